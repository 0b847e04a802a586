/**
 * How long the dashboard takes to open in a real, idle VS Code: from the click on its icon in the Evolution view until the
 * archive of a run is drawn, the editor's own work included. `node test/bench/dashboard-open.ts [times]`, after a build.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeBrowser, Editor } from '../vscode/driver/editor.ts';
import { eventually } from '../vscode/driver/journey.ts';
import { installVsCode, project, stageExtension } from '../vscode/driver/parts.ts';
import { webviewFrame } from '../vscode/driver/webview.ts';

const times = Number(process.argv[2] ?? 8);
const folder = mkdtempSync(join(tmpdir(), 'peagen-dashboard-open-'));
const peagen = (...args: string[]) =>
  execFileSync(process.execPath, [join(project, 'dist', 'daemon', 'cli.js'), ...args], { cwd: folder, stdio: 'ignore' });
cpSync(join(project, 'media', 'samples', 'bad_sort_js'), folder, { recursive: true });
peagen('evolve', 'run', '--sync', '--generations', '2', '--population', '4', '--seed', '1');

installVsCode('newest');
const editor = await Editor.open({ folder, extension: stageExtension() });
try {
  const { page } = editor;
  await page.locator('.activitybar .action-item:has(a[aria-label^="Peagen"])').click();
  await editor.rows(/badSort/).waitFor();
  const icon = page.locator('.sidebar .actions-container a[aria-label^="Open Dashboard"]').first();
  await page.evaluate("addEventListener('click', () => { globalThis.clickedAt = Date.now() }, true)");
  for (let time = 1; time <= times; time++) {
    await icon.hover();
    await icon.click();
    const clicked = await page.evaluate<number>('globalThis.clickedAt');
    const frame = await webviewFrame(page);
    const at = (mark: string) =>
      frame.evaluate<number>(`performance.timeOrigin + (performance.getEntriesByName('${mark}')[0]?.startTime ?? Number.NaN)`);
    await eventually('the run is drawn', async () => !Number.isNaN(await at('peagen/painted')));
    // A user looks at it before closing it: a webview that goes while its graphs come leaves the next one waiting for them.
    await frame.locator('#score[data-shown]').waitFor();
    // What VS Code's own frame around the page was busy with before the page began to load.
    const outer = (mark: string) =>
      frame
        .parentFrame()
        ?.evaluate<number>(
          `performance.timeOrigin + (performance.getEntriesByType('mark').find(({ name }) => name.endsWith('${mark}'))?.startTime ?? Number.NaN)`,
        );
    const before = async (mark: string) => `${(((await outer(mark)) ?? Number.NaN) - clicked).toFixed(0)} ms`;
    const since = async (mark: string) => `${((await at(mark)) - clicked).toFixed(0)} ms`;
    const began = (await frame.evaluate<number>('performance.timeOrigin')) - clicked;
    console.log(
      `${time}: its HTML has come after ${await before('content/started')}, VS Code's service worker is ready after ${await before('content/workerReady')}, page began to load after ${began.toFixed(0)} ms, first paint ${await since('first-contentful-paint')}, run drawn ${await since('peagen/painted')}`,
    );
    await editor.command('View: Close Editor');
    await eventually('it is closed', async () => (await page.locator('.tab', { hasText: 'Peagen Dashboard' }).count()) === 0);
  }
} finally {
  await editor.close(() => peagen('daemon', 'stop', '--workspace', folder));
  await closeBrowser();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
