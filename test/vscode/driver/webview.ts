/** The page inside a webview: VS Code puts it into a frame of a frame. */
import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';
import { eventually } from './journey.ts';

/** Waits until a webview shows a text: a page that is rendered. */
export async function rendered(page: Page, text: string): Promise<void> {
  const shows = (frame: Frame) =>
    frame
      .evaluate<boolean>(`document.visibilityState === 'visible' && document.body.innerText.includes(${JSON.stringify(text)})`)
      .catch(() => false);
  await eventually(`a page shows "${text}"`, async () => {
    // The first is the window itself.
    for (const frame of page.frames().slice(1)) if (await shows(frame)) return true;
    return false;
  });
}

/** The frame of the webview that shows; it is another one whenever the webview was hidden. */
export async function webviewFrame(page: Page): Promise<Frame> {
  let found: Frame | undefined;
  await eventually('a webview shows', async () => {
    for (const frame of page.frames()) {
      const shows = await frame
        .evaluate<boolean>("document.querySelector('#map-frame') !== null && document.visibilityState === 'visible'")
        .catch(() => false);
      if (shows) found = frame;
    }
    return found !== undefined;
  });
  assert.ok(found);
  return found;
}
