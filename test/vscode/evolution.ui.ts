import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { eventually, Journey, shortRun } from './journey.ts';

describe('the Evolution view in VS Code', () => {
  const journey = new Journey('evolution');

  before(async () => {
    const settings = { ...shortRun, 'peagen.generations': 2000, 'workbench.editor.enablePreview': false };
    await journey.open({ extension: process.env['PEAGEN_STAGE'] ?? '', settings });
    await journey.editor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(() => journey.close());
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await journey.picture(`failed-${this.currentTest.title.replaceAll(/\W+/g, '-')}`);
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
  const elites = () => journey.editor.rows(/faster|slower|as fast/);
  /** Clicks an action that shows on a row under the pointer; again when the row has moved away meanwhile. */
  const act = async (row: () => Locator, title: string) => {
    await eventually(`"${title}" is clicked`, async () => {
      try {
        await row().hover({ timeout: 2000 });
        await row().locator(`.actions a[aria-label^="${title}"]`).click({ timeout: 2000 });
        return true;
      } catch {
        return false;
      }
    });
  };
  /** Takes the first of the other elites that are offered. */
  const another = async (question: string) => {
    const offer = journey.editor.page.locator('.quick-input-widget', { hasText: question });
    await offer.waitFor();
    await offer.locator('.monaco-list-row').first().click();
    await offer.waitFor({ state: 'hidden' });
  };

  it('counts new elites on its icon while it is closed', async () => {
    const { page } = journey.editor;
    await journey.evolve();
    await elites().first().waitFor({ timeout: 120_000 });
    await page.locator('.activitybar .action-item a[aria-label^="Explorer"]').click();
    const icon = page.locator('.activitybar .action-item:has(a[aria-label^="Peagen"])');
    await icon.locator('.badge-content', { hasText: /^[1-9]/ }).waitFor({ timeout: 60_000 });
    await journey.picture('badge');
    await icon.locator('.badge').click();
    await icon.locator('.badge-content', { hasText: /^[1-9]/ }).waitFor({ state: 'hidden' });
  });

  it('names niches by the ranges of their features', async () => {
    await eventually('two elites are there', async () => (await elites().count()) >= 2, 60_000);
    await journey.editor
      .rows(/size \d+–\d+ characters/)
      .first()
      .waitFor();
  });

  it('pauses a run', async () => {
    await act(() => journey.editor.rows(/bad_sort.*generation \d+ of 2000/), 'Pause Run');
    await journey.editor.rows(/bad_sort.*paused/).waitFor();
  });

  it('reviews an elite', async () => {
    await act(() => elites().first(), 'Review Elite');
    await journey.lens('Accept').first().waitFor({ timeout: 60_000 });
    await journey.editor.command('Peagen: Close Review');
  });

  it('pins an elite, and lets it go', async () => {
    await act(() => elites().first(), 'Pin Elite');
    await eventually('the journal says so', () => said('pinned') === 1);
    const pinned = elites().filter({ has: journey.editor.page.locator('.codicon-pinned') });
    await pinned.first().waitFor();
    await elites().first().hover();
    await journey.picture('actions');
    await act(() => pinned.first(), 'Unpin Elite');
    await eventually('the journal says so', () => said('pinned') === 2);
  });

  it('copies the code of an elite', async () => {
    await act(() => elites().first(), 'Copy Code');
    const clipboard = () => journey.editor.page.evaluate<string>('navigator.clipboard.readText()');
    await eventually('the code is on the clipboard', async () => (await clipboard()).includes('def bad_sort('));
    assert.notEqual(await clipboard(), journey.original);
  });

  it('breeds from an elite', async () => {
    await act(() => elites().first(), 'Use Elite as Parent');
    await eventually('the journal says so', () => said('steered') === 1);
  });

  it('compares two elites side by side', async () => {
    await act(() => elites().nth(1), 'Compare Two');
    await another('With which elite is it compared?');
    await journey.editor.page.locator('.tab.active', { hasText: '↔' }).waitFor({ timeout: 60_000 });
    await journey.editor.page.locator('.diff-editor, .multiDiffEntry, .multi-diff-editor').first().waitFor();
    await journey.picture('compare');
  });

  it('crosses two elites', async () => {
    const before = said('steered');
    await act(() => elites().nth(1), 'Cross Two');
    await another('With which elite is it crossed?');
    await eventually('the journal says so', () => said('steered') === before + 1);
  });

  it('discards an elite for good, when that is confirmed', async () => {
    await elites().first().click();
    await act(() => elites().last(), 'Discard Elite');
    await journey.editor.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Discard' }).click();
    await eventually('the journal says so', () => said('discarded') === 1);
  });

  it('applies an elite', async () => {
    assert.equal(journey.disk(), journey.original);
    await act(() => elites().first(), 'Apply Elite');
    await eventually('the file has changed', () => journey.disk() !== journey.original);
  });
});
