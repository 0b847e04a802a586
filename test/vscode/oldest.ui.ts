import assert from 'node:assert/strict';
import { eventually, Journey } from './driver/journey.ts';

/** The main job alone: `--minimum` has the rest. */
describe('in the oldest VS Code that it supports, the extension', () => {
  const journey = new Journey('oldest', { recorded: true });

  before(() => journey.open({ extension: process.env['PEAGEN_STAGE'] ?? '' }));
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  it('starts, and goes on with a run', async () => {
    await journey.resume();
    await journey.elite().waitFor();
  });

  it('asks how a function is to be evolved', async () => {
    await journey.again();
    await journey.step('How should candidates for bad_sort be checked?');
    await journey.editor.page.keyboard.press('Escape');
  });

  it('proposes an elite, and writes it on Accept', async () => {
    await journey.openElite();
    assert.equal(journey.disk(), journey.original);
    await journey.seenLens('Accept').click();
    await eventually('the file has changed', () => journey.disk() !== journey.original);
  });
});
