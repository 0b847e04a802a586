import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Editor, type EditorOptions } from './editor.ts';
import { project } from './parts.ts';
import { copyRecordedRun } from './recorded.ts';

const extension = process.env['PEAGEN_STAGE'] ?? '';
const cli = join(project, 'dist', 'daemon', 'cli.js');
const sample = join(project, 'media', 'samples', 'bad_sort_js');

function peagen(folder: string, ...args: string[]): string {
  return execFileSync(process.execPath, [cli, ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** An editor on a place of its own; whatever it started for `folders` has ended afterwards. */
async function within(folders: string[], options: EditorOptions, use: (editor: Editor) => Promise<void>): Promise<void> {
  const editor = await Editor.open({ extension, ...options });
  try {
    await use(editor);
  } catch (caught) {
    await editor.keepFailure(`places-${Date.now()}`);
    throw caught;
  } finally {
    await editor.close(() => {
      for (const folder of folders) peagen(folder, 'daemon', 'stop', '--workspace', folder);
    });
  }
}

describe('Peagen in other places than a trusted folder', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'peagen-places-'));
  after(() => rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

  const openView = (editor: Editor) => editor.page.locator('.activitybar .action-item:has(a[aria-label^="Peagen"])').click();
  const welcome = (editor: Editor, text: string) => editor.page.locator('.welcome-view-content', { hasText: text }).waitFor();

  it('executes nothing and reads no program from the settings in a workspace that is not trusted', async () => {
    const folder = join(scratch, 'hostile');
    const marker = join(scratch, 'was-executed');
    const program = join(folder, 'node');
    cpSync(sample, folder, { recursive: true });
    mkdirSync(join(folder, '.vscode'));
    writeFileSync(program, `#!/bin/sh\ntouch ${marker}\n`);
    chmodSync(program, 0o755);
    writeFileSync(
      join(folder, 'evil.mjs'),
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(marker)}, '');\n`,
    );
    writeFileSync(join(folder, '.peagen.toml'), `plugins = ["./evil.mjs"]\n[evaluate]\ncommand = "touch ${marker}"\n`);
    const hostile = { 'peagen.nodePath': program, 'peagen.backend': 'evil', 'peagen.pythonPath': program };
    writeFileSync(join(folder, '.vscode', 'settings.json'), JSON.stringify(hostile));
    await within([], { folder, trust: false }, async (editor) => {
      await openView(editor);
      await welcome(editor, 'not trusted');
      await editor.screenshot('places-untrusted');
      await editor.openFile('bad_sort.js', 20);
      await editor.command('Peagen: Evolve Selection');
      const message = await editor.message('not trusted');
      await message.locator('a.monaco-button', { hasText: 'Manage Workspace Trust' }).waitFor();
      await editor.screenshot('places-untrusted-refused');
      assert.match(peagen(folder, 'daemon', 'status', '--workspace', folder), /No daemon runs/);
      assert.equal(existsSync(marker), false);
    });
  });

  it('says to open a folder where there is none, evolves a single file all the same, and says so when no file is open', async () => {
    const folder = join(scratch, 'single');
    cpSync(sample, folder, { recursive: true });
    const settings = { 'peagen.generations': 2, 'peagen.mutator': 'structural' };
    await within([folder], { file: join(folder, 'bad_sort.js'), settings }, async (editor) => {
      await openView(editor);
      await welcome(editor, 'Open a folder first');
      await editor.screenshot('places-empty');
      await editor.page.locator('.view-line', { hasText: 'function badSort' }).first().click();
      await editor.command('Peagen: Evolve Selection');
      await editor.page.locator('.quick-input-title', { hasText: 'How should candidates for badSort be checked?' }).waitFor();
      await editor.screenshot('places-single-file');
      await editor.page.keyboard.press('Escape');
      await editor.command('View: Close All Editors');
      await editor.page.locator('.tab').waitFor({ state: 'detached' });
      await editor.command('Peagen: Evolve Selection');
      await editor.message('No file is open');
    });
  });

  it('shows the runs of all folders of a workspace, though one folder has a broken configuration', async () => {
    const folders = ['one', 'two', 'three'].map((name) => join(scratch, name));
    for (const folder of folders) cpSync(sample, folder, { recursive: true });
    for (const folder of folders.slice(0, 2)) copyRecordedRun(process.env['PEAGEN_RECORDED'] ?? '', folder);
    writeFileSync(join(folders[2] ?? '', '.peagen.toml'), '[evolve]\nseed = "many"\n');
    const workspace = join(scratch, 'team.code-workspace');
    writeFileSync(workspace, JSON.stringify({ folders: [...folders].reverse().map((path) => ({ path })) }));
    await within(folders, { workspace }, async (editor) => {
      await openView(editor);
      await editor
        .rows(/bad_sort/)
        .nth(1)
        .waitFor();
      await editor.screenshot('places-multi-root');
    });
  });

  it('says in a workspace without a disk that it needs one', async () => {
    await within([], { folder: 'tmp-none:/somewhere' }, async (editor) => {
      await openView(editor);
      await welcome(editor, 'on a disk');
      await editor.screenshot('places-virtual');
    });
  });
});
