/** The page inside a webview: VS Code puts it into a frame of a frame. */
import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';
import { eventually } from './journey.ts';

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
