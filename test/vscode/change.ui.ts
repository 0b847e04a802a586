import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Journey, until } from './driver/journey.ts';
import { rendered } from './driver/webview.ts';

const inputs = JSON.stringify([[[3, 1, 2, 1.5]], [Array.from({ length: 30 }, (_, i) => (i * 37) % 61)]]);

describe("a user's own change in VS Code", () => {
  const journey = new Journey('change', { recorded: 'paused' });

  before(async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
        cwd: journey.folder,
        stdio: 'ignore',
      });
    git('init');
    git('add', 'bad_sort.py');
    git('commit', '-m', 'As it was');
    writeFileSync(
      join(journey.folder, 'other.py'),
      'def twice(x):\n    total = 0\n    total = total + x\n    total = total + x\n    return total\n',
    );
    await journey.open({
      extension: process.env['PEAGEN_STAGE'] ?? '',
      settings: { 'peagen.generations': 200, 'peagen.mutator': 'structural' },
    });
  });
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  /** Writes the file, and waits until the editor shows it. */
  async function write(text: string, shown: string): Promise<void> {
    writeFileSync(journey.file, text);
    await journey.editor.page.locator('.view-line', { hasText: shown }).waitFor();
  }

  async function judge(file: string, line: number): Promise<void> {
    await journey.editor.openFile(file, line);
    await journey.editor.command('Peagen: Judge My Change');
  }

  it('is nothing to judge before there is one', async () => {
    await judge('bad_sort.py', 20);
    await journey.editor.message('has no change to judge');
    await journey.editor.command('Notifications: Clear All Notifications');
  });

  it('is measured against the last commit, as candidates are', async () => {
    const { editor } = journey;
    await write(journey.original.replace('rounds = 2', 'rounds = 1'), 'rounds = 1');
    await judge('bad_sort.py', 20);
    await journey.step('How should candidates for bad_sort be checked?');
    await journey.typeInputs(inputs);
    const message = await editor.message(
      /bad_sort against the last commit: .*(faster|slower|fast).*; (verified|matches on the calls we have; add inputs)/,
    );
    await journey.picture('correct');
    await message.first().getByText('Show Details').click();
    await rendered(editor.page, 'Against: the last commit');
    await journey.picture('details');
    const page = editor.page.locator('.tab.active', { hasText: 'Verdict on bad_sort' });
    await page.waitFor();
    await editor.reload();
    await rendered(editor.page, 'Against: the last commit');
    await journey.picture('details-reloaded');
    await editor.command('View: Close Editor');
    await page.waitFor({ state: 'detached' });
  });

  it('is reported when it is wrong, with what came out', async () => {
    const { editor } = journey;
    await editor.command('Notifications: Clear All Notifications');
    await editor.openFile('bad_sort.py', 20);
    await write(journey.original.replace('result.append(item)', 'result.append(-item)'), 'result.append(-item)');
    await judge('bad_sort.py', 20);
    await editor.message(/bad_sort against the last commit: wrong/);
    await journey.picture('wrong');
    await write(journey.original, 'result.append(item)');
  });

  it('is measured against the saved file where there is no commit', async () => {
    const { editor } = journey;
    await editor.openFile('other.py', 3);
    await editor.page.locator('.monaco-editor.focused', { hasText: 'def twice' }).waitFor();
    await editor.page.keyboard.press('End');
    await editor.page.keyboard.press('Enter');
    await editor.page.keyboard.type('x = x + 0');
    await editor.page.locator('.view-line', { hasText: 'x = x + 0' }).waitFor();
    await editor.command('Peagen: Judge My Change');
    await journey.step('How should candidates for twice be checked?');
    await journey.typeInputs('[[1], [2.5]]');
    await editor.message(/twice against the saved file: .*(verified|matches)/);
    await editor.page.keyboard.press('Escape');
    await editor.command('File: Revert File');
  });

  describe('to a candidate of a run', () => {
    const document = () => journey.editor.page.locator('.editor-instance .monaco-editor').first();
    const send = () => journey.editor.page.locator('.editor-actions a[aria-label^="Send Candidate"]').click();

    /** The first line of the function's body, before its description: whatever else an elite does, it is not reached. */
    async function begin(statement: string): Promise<void> {
      const { page } = journey.editor;
      // Not where messages lie over it.
      await document().click({ position: { x: 300, y: 60 } });
      await page.keyboard.press('Control+Home');
      for (let line = 1; line < 9; line++) await page.keyboard.press('ArrowDown');
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
      await page.keyboard.type(statement);
      await page.locator('.view-line', { hasText: statement }).waitFor();
    }

    before(async () => {
      const { editor } = journey;
      await journey.resume();
      await editor.rows(/bad_sort.*paused/).waitFor();
      await journey.elite().waitFor();
      await editor.command('Notifications: Clear All Notifications');
    });

    it('opens as a document of its own by the menu of an elite', async () => {
      const { page } = journey.editor;
      const send = page.locator('.editor-actions a[aria-label^="Send Candidate"]');
      // What was in flight still comes in, and moves the rows.
      await until(
        'Edit Candidate',
        () => send.isVisible(),
        () => journey.editor.choose(journey.elite(), 'Edit Candidate'),
      );
      await journey.picture('candidate');
    });

    it('is judged when it is sent, and becomes an elite of the run', async () => {
      const { editor } = journey;
      await begin('return sorted(items)');
      await journey.picture('candidate-edited');
      await send();
      const message = await editor.message(/Your candidate of bad_sort: \d+(\.\d+)?× faster, the (first|best) of its kind/);
      await editor.rows(/own edit.*× faster.*by you/).waitFor();
      await journey.picture('candidate-judged');
      await message.locator('a.monaco-button', { hasText: 'Review' }).click();
      await journey.seenLens('Accept').waitFor();
      await editor.page.locator('.review-widget', { hasText: 'Made by you' }).first().waitFor();
      await journey.closeReview();
      assert.equal(journey.disk(), journey.original);
    });

    it('is reported when it is wrong, with the way back to it', async () => {
      const { editor } = journey;
      const { page } = editor;
      const tab = page.locator('.tab[data-resource-name="bad_sort.py"]');
      // The first is the file itself.
      await tab.last().click();
      await begin('return list(items)');
      await send();
      const message = await editor.message(/Your candidate of bad_sort: wrong: /);
      await journey.picture('candidate-wrong');
      await message.locator('a.monaco-button', { hasText: 'Edit Again' }).click();
      await page.locator('.view-line', { hasText: 'return list(items)' }).waitFor();
    });

    it('is not judged twice', async () => {
      const { editor } = journey;
      await editor.command('Notifications: Clear All Notifications');
      await send();
      await editor.message('has made the same program before');
    });

    it('is kept, and not sent, when its run has ended', async () => {
      const { editor } = journey;
      await editor.command('Peagen: Stop Run');
      await editor.rows(/bad_sort.*stopped/).waitFor();
      await editor.command('Notifications: Clear All Notifications');
      await send();
      await editor.message('The run on bad_sort has ended and takes no more candidates.');
      await editor.page.locator('.view-line', { hasText: 'return list(items)' }).waitFor();
    });
  });
});
