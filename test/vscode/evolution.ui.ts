import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { eventually, Journey, until } from './driver/journey.ts';

describe('the Evolution view in VS Code', () => {
  const journey = new Journey('evolution', { recorded: true });

  before(async () => {
    const settings = { 'workbench.editor.enablePreview': false };
    await journey.open({ extension: process.env['PEAGEN_STAGE'] ?? '', settings });
    await journey.editor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  const journal = () => {
    const runs = join(journey.folder, '.peagen', 'runs');
    return readdirSync(runs)
      .map((run) => readFileSync(join(runs, run, 'journal.jsonl'), 'utf8'))
      .join('')
      .split('\n')
      .filter((line) => line !== '');
  };
  const said = (type: string) => journal().filter((line) => line.includes(`"type":"${type}"`)).length;
  const elites = () => journey.editor.rows(/faster|slower|as fast/).and(journey.editor.page.locator('[aria-level="2"]'));
  const shows = (locator: Locator) => async () => (await locator.count()) > 0;
  type Effect = () => boolean | Promise<boolean>;
  /** Chooses an action from the row's menu. */
  const choose = (row: () => Locator, title: string, effect: Effect) =>
    until(title, effect, () => journey.editor.choose(row(), title));

  const offer = (question: string) => journey.editor.page.locator('.quick-input-widget', { hasText: question });
  const pickFirst = async (question: string) => {
    await offer(question).locator('.monaco-list-row').first().click();
    await offer(question).waitFor({ state: 'hidden' });
  };

  it('counts new elites on its icon while it is closed', async () => {
    const { page } = journey.editor;
    await journey.resume();
    await page.locator('.activitybar .action-item a[aria-label^="Explorer"]').click();
    const icon = page.locator('.activitybar .action-item:has(a[aria-label^="Peagen"])');
    await icon.locator('.badge-content', { hasText: /^[1-9]/ }).waitFor();
    await journey.picture('badge');
    await icon.locator('.badge').click();
    await icon.locator('.badge-content', { hasText: /^[1-9]/ }).waitFor({ state: 'hidden' });
  });

  it('has a row for each elite, with what was changed first, then its gain', async () => {
    await eventually('two elites are there', async () => (await elites().count()) >= 2, 180_000);
    const spoken = (await elites().first().getAttribute('aria-label')) ?? '';
    assert.match(spoken, /^.* at line \d+.* · (\d+\.\d\d× (faster|slower)|as fast) · endless · generation \d+/);
  });

  it('groups the rows by niche on demand', async () => {
    const { editor } = journey;
    const level = (number: number) => editor.page.locator(`[aria-level="${number}"]`);
    const groups = editor.rows(/^complexity \d+/).and(level(2));
    await editor.command('Peagen: Sort Candidates');
    await editor.pick('Niche');
    await groups.first().waitFor();
    await editor
      .rows(/faster|slower|as fast/)
      .and(level(3))
      .first()
      .waitFor();
    await journey.picture('grouped');
    await editor.command('Peagen: Sort Candidates');
    await editor.pick('Score');
    await groups.first().waitFor({ state: 'detached' });
  });

  it('holds the lenses of a proposal still for a hand on its way to them, whatever the run finds', async () => {
    await journey.act(() => elites().first(), 'Review Candidate', shows(journey.lens('Accept')));
    const lens = journey.seenLens('Accept');
    // One that is drawn again has another id. At first the editor makes room for the threads.
    await eventually('the lens stays as it is while an elite comes', async () => {
      const id = await lens.getAttribute('id');
      const before = await elites().count();
      await eventually('another elite stands in the view', async () => (await elites().count()) > before);
      return (await lens.getAttribute('id')) === id;
    });
    await journey.closeReview();
  });

  it('pauses a run', async () => {
    const paused = journey.editor.rows(/bad_sort.*paused/);
    await journey.act(() => journey.editor.rows(/bad_sort.*generation \d+ of 100000/), 'Pause Run', shows(paused));
  });

  it('reviews an elite', async () => {
    await journey.act(() => elites().first(), 'Review Candidate', shows(journey.lens('Accept')));
    await journey.closeReview();
  });

  it('shows no more than two actions on a row, and the others in its menu', async () => {
    const icons = elites().first().locator('.actions a.action-label');
    await eventually('the icons show', async () => {
      await elites().first().hover();
      return (await icons.count()) > 0;
    });
    assert.deepEqual(await icons.evaluateAll((each) => each.map((icon) => icon.getAttribute('aria-label'))), [
      'Review Candidate',
      'Apply Candidate',
    ]);
    await journey.picture('actions');
    // What was in work when the run was paused still comes, and rows move under the pointer.
    await eventually('the menu of an elite is open', async () => {
      await journey.editor.page.keyboard.press('Escape');
      await elites().first().locator('.label-name').click({ button: 'right' });
      const discard = journey.editor.page.locator('.context-view .action-label', { hasText: 'Discard Candidate' });
      return await discard.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
    await journey.picture('menu');
    await journey.editor.page.keyboard.press('Escape');
  });

  it('pins an elite, and lets it go', async () => {
    await choose(
      () => elites().first(),
      'Pin Candidate',
      () => said('pinned') === 1,
    );
    const pinned = elites().filter({ has: journey.editor.page.locator('.codicon-pinned') });
    await pinned.first().waitFor();
    await choose(
      () => pinned.first(),
      'Unpin Candidate',
      () => said('pinned') === 2,
    );
  });

  it('copies the code of an elite', async () => {
    const clipboard = () => journey.editor.page.evaluate<string>('navigator.clipboard.readText()');
    await choose(
      () => elites().first(),
      'Copy Code',
      async () => (await clipboard()).includes('def bad_sort('),
    );
    assert.notEqual(await clipboard(), journey.original);
  });

  it('breeds from an elite', async () => {
    await choose(
      () => elites().first(),
      'Use Candidate as Parent',
      () => said('steered') > 0,
    );
  });

  it('compares two elites side by side', async () => {
    await choose(() => elites().nth(1), 'Compare Two', shows(offer('Compare with which candidate?')));
    await pickFirst('Compare with which candidate?');
    await journey.editor.page.locator('.tab.active', { hasText: '↔' }).waitFor();
    await journey.editor.page.locator('.monaco-diff-editor:visible').first().waitFor();
    await journey.picture('compare');
  });

  it('crosses two elites', async () => {
    const before = said('steered');
    await choose(() => elites().nth(1), 'Combine Two', shows(offer('Combine with which candidate?')));
    await pickFirst('Combine with which candidate?');
    await eventually('the journal says so', () => said('steered') > before);
  });

  it('discards an elite for good, when that is confirmed', async () => {
    const discard = journey.editor.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Discard' });
    await choose(() => elites().last(), 'Discard Candidate', shows(discard));
    await discard.click();
    await discard.waitFor({ state: 'detached' });
    await eventually('the journal says so', () => said('discarded') === 1);
  });

  it('sorts elites, and shows only those that are asked for', async () => {
    const { editor } = journey;
    const sideBar = (text: string) => editor.page.locator('.sidebar', { hasText: text });
    await editor.pickFrom('Peagen: Sort Candidates', 'Newest');
    await sideBar('by: Newest').waitFor();
    await editor.command('Peagen: Filter Candidates');
    await editor.answer('Show only candidates with', 'structural >1000');
    await sideBar('by: Newest · filter: structural >1000').waitFor();
    await eventually('none shows', async () => (await elites().count()) === 0);
    await editor.command('Peagen: Clear Filter');
    await elites().first().waitFor();
    await journey.picture('sorted');
  });

  it('offers to judge what was accepted of a candidate', async () => {
    const { editor } = journey;
    await editor.command('Notifications: Clear All Notifications');
    // What is cut off of a long change can still be heard.
    const several = () => elites().and(editor.page.locator('[aria-label*=", "]')).first();
    await journey.act(several, 'Review Candidate', shows(journey.lens('Accept All')));
    await journey.seenLens(/Accept(?! All)/).click();
    await eventually('one change is written', () => journey.disk() !== journey.original);
    await journey.lens('Accept All').waitFor({ state: 'detached' });
    // The other one may lie below the window.
    await editor.page.locator('.statusbar-item', { hasText: '1 change to review' }).click();
    // A lens that is just being drawn again has no command.
    await until(
      'Reject',
      async () => (await journey.lens('Reject').count()) === 0,
      () => journey.seenLens('Reject').click(),
    );
    await editor.message('You accepted a part of the candidate');
    await journey.picture('accepted-part');
    await editor.page.locator('a.monaco-button', { hasText: 'Judge What I Accepted' }).click();
    await editor.message(/bad_sort against the original: .*(faster|slower|fast|wrong)/);
    await journey.picture('accepted-judged');
    writeFileSync(journey.file, journey.original);
  });

  // The last: the archive begins again with the file as it is then.
  it('applies an elite', async () => {
    assert.equal(journey.disk(), journey.original);
    await journey.act(
      () => elites().first(),
      'Apply Candidate',
      () => journey.disk() !== journey.original,
    );
  });
});
