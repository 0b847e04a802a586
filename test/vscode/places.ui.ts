import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Editor, type Shown } from './driver/editor.ts';
import { openView, until } from './driver/journey.ts';
import { cli, project } from './driver/parts.ts';
import { copyRecordedRun } from './driver/recorded.ts';

const extension = process.env['PEAGEN_STAGE'] ?? '';
const sample = join(project, 'media', 'samples', 'bad_sort_js');

function peagen(folder: string, ...args: string[]): string {
  return execFileSync(process.execPath, [cli(), ...args], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

describe('Peagen in other places than a trusted folder', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'peagen-places-'));
  /** The one that trusts: its window shows one place after the other. */
  let trusting: Editor | undefined;
  let wary: Editor | undefined;
  let last: Editor | undefined;
  /** Where a daemon may have been started. */
  const folders = ['single', 'one', 'two', 'three', 'four'].map((name) => join(scratch, name));
  const [single = '', ...team] = folders;
  /** The daemon that never answers. */
  let silent: number | undefined;

  before(() => {
    for (const folder of folders) cpSync(sample, folder, { recursive: true });
  });
  after(async () => {
    await wary?.close();
    if (silent !== undefined) process.kill(silent, 'SIGCONT');
    await trusting?.close(() => {
      for (const folder of folders) peagen(folder, 'daemon', 'stop', '--workspace', folder);
    });
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await last?.keepFailure(`places-${this.currentTest.title}`);
  });

  async function show(place: Shown): Promise<Editor> {
    if (trusting === undefined) trusting = await Editor.open({ extension, ...place });
    else await trusting.show({ extension, ...place });
    last = trusting;
    return trusting;
  }

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
    wary = await Editor.open({ extension, folder, trust: false });
    const editor = wary;
    last = wary;
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

  it('says to open a folder where there is none, evolves a single file all the same, and says so when no file is open', async () => {
    const editor = await show({ file: join(single, 'bad_sort.js') });
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

  it('shows the runs of all folders of a workspace that have any, as folders come and go', async () => {
    const [one = '', two = '', broken = '', stuck = ''] = team;
    for (const folder of [one, two]) copyRecordedRun(process.env['PEAGEN_RECORDED'] ?? '', folder);
    writeFileSync(join(broken, '.peagen.toml'), '[evolve]\nseed = "many"\n');
    silent = JSON.parse(peagen(stuck, 'daemon', 'start', '--workspace', stuck, '--json')).pid;
    assert.ok(silent);
    process.kill(silent, 'SIGSTOP');
    const workspace = join(scratch, 'team.code-workspace');
    const has = (...paths: string[]) => writeFileSync(workspace, JSON.stringify({ folders: paths.map((path) => ({ path })) }));
    has(broken, stuck, two);
    const editor = await show({ workspace });
    await openView(editor);
    const runOf = (folder: string) => editor.rows(new RegExp(`bad_sort.*${basename(folder)} · .*interrupted`));
    // VS Code begins a window with what it remembers of the workspace, here nothing, and reads its file afterwards. On a busy machine
    // it stayed with nothing, in its Explorer too, until the file changed: in 3 of 7 windows next to three busy loops.
    await until(
      'the first folders of the workspace',
      async () => (await runOf(two).count()) > 0,
      async () => has(broken, stuck, two),
    );
    has(broken, stuck, two, one);
    await runOf(one).waitFor();
    await editor.screenshot('places-multi-root');
    has(broken, stuck, one);
    await runOf(two).waitFor({ state: 'detached' });
  });

  it('says in a workspace without a disk that it needs one', async () => {
    const editor = await show({ folder: 'tmp-none:/somewhere' });
    await openView(editor);
    await welcome(editor, 'on a disk');
    await editor.screenshot('places-virtual');
  });
});
