import assert from 'node:assert/strict';
import { eventually, Journey } from './journey.ts';

/** The main job alone: `--minimum` has the rest. */
describe('in the oldest VS Code that it supports, the extension', () => {
  const journey = new Journey('oldest');

  before(() => journey.open({ extension: process.env['PEAGEN_STAGE'] ?? '' }));
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  it('starts, and says in the empty view what to do', async () => {
    await journey.editor.page.locator('.activitybar .action-item:has(a[aria-label^="Peagen"])').click();
    await journey.editor.page.locator('.welcome-view-content', { hasText: 'Evolve Selection' }).waitFor();
  });

  it('evolves a function', async () => {
    await journey.evolve();
    await journey.elite().waitFor({ timeout: 180_000 });
  });

  it('proposes an elite, and writes it on Accept', async () => {
    await journey.openElite();
    assert.equal(journey.disk(), journey.original);
    await journey.clickLens('Accept');
    await eventually('the file has changed', () => journey.disk() !== journey.original);
  });
});
