import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, Journey, openView } from './driver/journey.ts';

const stage = process.env['PEAGEN_STAGE'] ?? '';

describe('a run, over the lives of windows, daemons and builds', function () {
  this.timeout(300_000);
  const journey = new Journey('lifetimes', { recorded: true });
  const scratch = mkdtempSync(join(tmpdir(), 'peagen-lifetimes-'));
  /** Its own copy of the extension: it is updated under way. */
  const extension = join(scratch, 'extension');

  const daemon = (command: string): string =>
    execFileSync(
      process.execPath,
      [join(extension, 'dist', 'daemon', 'cli.js'), 'daemon', command, '--workspace', journey.folder, '--json'],
      { encoding: 'utf8', timeout: 120_000, stdio: ['ignore', 'pipe', 'ignore'] },
    );
  const pid = (): number => {
    const { pid: found } = JSON.parse(daemon('status'));
    assert.equal(typeof found, 'number', 'a daemon runs');
    return found;
  };
  // Between the two is how the best got better, where it did in more than one generation.
  const goesOn = /bad_sort.*running · (?:[▁-█]+ · )?generation \d+ of 100000/;
  const running = () => journey.editor.rows(goesOn);
  before(async () => {
    cpSync(stage, extension, { recursive: true });
    await journey.open({
      extension,
      // In place of a minute.
      env: { PEAGEN_DAEMON_GRACE_MS: '5000' },
    });
    await journey.resume();
    await running().waitFor({ timeout: 120_000 });
  });
  after(async () => {
    try {
      daemon('stop');
    } finally {
      await journey.close();
      rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    }
  });
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  it('is one and the same in two windows of its folder', async () => {
    const before = pid();
    const second = await journey.editor.secondWindow();
    await openView(second);
    const there = second.rows(goesOn);
    await there.waitFor();
    const paused = journey.editor.rows(/bad_sort.*paused/);
    await journey.act(
      () => there,
      'Pause Run',
      async () => (await paused.count()) > 0,
    );
    // The second window must have seen it, else it is running there all the time.
    await second.rows(/bad_sort.*paused/).waitFor();
    // A window behind another draws seldom, and a click waits for that.
    await journey.editor.page.bringToFront();
    await journey.act(
      () => paused,
      'Unpause Run',
      async () => (await there.count()) > 0,
    );
    assert.equal(pid(), before);
    await second.page.close();
  });

  it('goes on while its window is reloaded, which follows it again', async () => {
    const before = pid();
    await journey.editor.load();
    // The window had no time to put away what was open in it.
    await openView(journey.editor);
    await running().waitFor();
    await journey.editor.page.locator('.statusbar-item', { hasText: /bad_sort.* left/ }).waitFor();
    await journey.picture('followed-again');
    assert.equal(pid(), before);
  });

  it('comes back when its daemon is killed, with one message and nothing lost', async () => {
    const { editor } = journey;
    await journey.elite().waitFor({ timeout: 120_000 });
    const killed = pid();
    process.kill(killed, 'SIGKILL');
    const message = await editor.message('was interrupted');
    await editor.rows(/bad_sort.*interrupted/).waitFor();
    await journey.elite().waitFor();
    const told = editor.page.locator('.notifications-center .monaco-list-row');
    assert.equal(await told.count(), 1, (await told.allInnerTexts()).join('\n'));
    await journey.picture('daemon-killed');
    await message.locator('a.monaco-button', { hasText: 'Resume' }).click();
    await running().waitFor();
    assert.notEqual(pid(), killed);
  });

  it('goes on in the build that started it when the extension is updated, which is said once', async () => {
    const { editor } = journey;
    const before = pid();
    const old = join(scratch, 'old');
    cpSync(extension, old, { recursive: true });
    writeFileSync(join(extension, 'dist', 'build-id'), 'feedfacefeedface');
    await editor.load();
    await openView(journey.editor);
    await editor.message('goes on in the process that started it');
    await running().waitFor();
    await journey.picture('updated');
    assert.notEqual(pid(), before, 'the new build has a daemon of its own');
    process.kill(before, 0);
    const stop = [join(old, 'dist', 'daemon', 'cli.js'), 'daemon', 'stop', '--workspace', journey.folder];
    execFileSync(process.execPath, stop, { stdio: 'ignore', timeout: 120_000 });
    await editor.rows(/bad_sort.*interrupted/).waitFor();
    await editor.message('was interrupted');
  });

  it('leaves no daemon behind when the window is closed and what ran the extension is killed', async () => {
    const left = pid();
    await journey.editor.page.close();
    // VS Code waits for the window to come back, and so does the daemon.
    process.kill(left, 0);
    journey.editor.killExtensionHosts();
    await eventually('the daemon has ended by itself', () => {
      try {
        return !process.kill(left, 0);
      } catch {
        return true;
      }
    });
  });
});
