/** Runs that a command starts are stopped once they have judged the original; elites are those of the recorded run. */
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { eventually, Journey, until } from './driver/journey.ts';

/** Exit status 0 when a sort is right; takes long enough for its time to be a speed. */
const check = `from bad_sort import bad_sort

items = [(i * 37) % 61 for i in range(61)]
assert bad_sort(items) == sorted(items)
assert bad_sort([2, 1.5, 1]) == [1, 1.5, 2]
`;

describe('the commands in VS Code', () => {
  const journey = new Journey('commands');

  before(async () => {
    writeFileSync(join(journey.folder, 'sort-inputs.json'), '[[[3, 1, 2, 1.5]], [[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]], [[]]]');
    writeFileSync(join(journey.folder, 'check_sort.py'), check);
    // A search that somebody has to stop.
    const settings = { 'peagen.generations': 100_000, 'peagen.mutator': 'endless', 'peagen.keepRuns': 1 };
    await journey.open({ extension: process.env['PEAGEN_STAGE'] ?? '', settings });
  });
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  /** The original was judged, and is right. */
  const searches = () => journey.editor.rows(/bad_sort.*(best|no improvement yet).*generation \d+ of 100000/);

  it('Mutate Selection proposes one change, not evaluated, and writes it on Accept', async () => {
    const { editor } = journey;
    await editor.openFile('bad_sort.py', 20);
    await editor.command('Peagen: Mutate Selection');
    await journey.seenLens('Accept').waitFor();
    await editor.page.locator('.review-widget', { hasText: 'not evaluated' }).first().waitFor();
    await journey.picture('mutated');
    assert.equal(journey.disk(), journey.original);
    await journey.seenLens('Accept').click();
    await eventually('the file has changed', () => journey.disk() !== journey.original);
    writeFileSync(journey.file, journey.original);
  });

  it('Evolve Selection judges by a file of inputs that lies next to the function', async () => {
    const { editor } = journey;
    await editor.openFile('bad_sort.py', 20);
    await editor.command('Peagen: Evolve Selection');
    await journey.step('How should candidates for bad_sort be checked?');
    await editor.pick('Inputs from sort-inputs.json');
    await journey.step('Evolve bad_sort');
    await editor.pick('Start');
    await searches().waitFor();
    await journey.picture('by-file');
  });

  it('Stop Run ends the only run in order', async () => {
    const { editor } = journey;
    await editor.command('Peagen: Stop Run');
    await editor.rows(/bad_sort.*stopped/).waitFor();
    await journey.picture('stopped');
  });

  it('Evolve Selection judges by a test command, and its run stops from the view', async () => {
    const { editor } = journey;
    await editor.openFile('bad_sort.py', 20);
    await editor.command('Peagen: Evolve Selection');
    await journey.step('Evolve bad_sort');
    await editor.pick('Change how candidates are checked');
    await journey.step('How should candidates for bad_sort be checked?');
    await editor.pick('Run a test command');
    await editor.answer('Test or benchmark command', 'python3 check_sort.py');
    await journey.step('Evolve bad_sort');
    await editor.pick(/^.*Start/);
    const running = searches();
    await running.waitFor();
    await journey.picture('by-command');
    // The run before was stopped too.
    const stopped = editor.rows(/bad_sort.*stopped/);
    await journey.act(
      () => running,
      'Stop Run',
      async () => (await stopped.count()) === 2,
    );
  });

  it('compares the best of two runs on one function, listed with gain and time', async () => {
    const { editor } = journey;
    // Whether the two runs here gained anything is for the machine to say; this one did.
    journey.record();
    await editor.command('Peagen: Refresh Runs');
    await editor.rows(/bad_sort.*interrupted/).waitFor();
    const question = editor.page.locator('.quick-input-title', { hasText: 'Which run to compare?' });
    await editor.ask('Peagen: Compare Runs', question, (asked, timeout) => asked.waitFor({ timeout }));
    await editor.page
      .locator('.quick-input-list .monaco-list-row', { hasText: /stopped.*\d:\d\d/ })
      .nth(1)
      .waitFor();
    await editor.pick(/best.*interrupted/);
    await journey.step('Compare with which run?');
    await editor.pick(/stopped/);
    await editor.page.locator('.tab.active', { hasText: '↔' }).waitFor();
    // The editor scrolls to the first difference, wherever that is.
    for (const side of ['original', 'modified']) {
      const lines = editor.page.locator(`.monaco-diff-editor:visible .editor.${side} .view-line`, { hasText: /\w/ });
      await lines.first().waitFor();
    }
    await journey.picture('compared');
    await editor.command('View: Close Editor');
  });

  it('gives a run another name, removes old ones, and deletes one for good', async () => {
    const { editor } = journey;
    const runs = (text: RegExp) => editor.rows(text).and(editor.page.locator('[aria-level="1"]'));
    const shows = (locator: Locator) => async () => (await locator.count()) > 0;
    const title = editor.page.locator('.quick-input-title', { hasText: 'Name of the run' });
    await until('Rename Run', shows(title), () => editor.choose(runs(/bad_sort.*stopped/).first(), 'Rename Run'));
    await editor.answer('Name of the run', 'by a command');
    await runs(/by a command.*stopped/).waitFor();
    await journey.picture('renamed');
    const kept = () => readdirSync(join(journey.folder, '.peagen', 'runs')).length;
    await editor.command('Peagen: Remove Old Runs');
    const old = editor.page.locator('.monaco-dialog-box', { hasText: 'Remove 2 old runs?' });
    await journey.picture('old-runs');
    await old.locator('.monaco-button', { hasText: 'Remove' }).click();
    await runs(/bad_sort.*stopped/).waitFor({ state: 'detached' });
    assert.equal(kept(), 1);
    const remove = editor.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Delete' });
    await until('Delete Run', shows(remove), () => editor.choose(runs(/by a command/), 'Delete Run'));
    await remove.click();
    await runs(/by a command/).waitFor({ state: 'detached' });
    assert.equal(kept(), 0);
  });
});
