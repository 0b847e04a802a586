import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { eventually, Journey } from './journey.ts';

describe('the packaged extension', () => {
  const vsix = process.env['PEAGEN_VSIX'] ?? '';
  const journey = new Journey('package');

  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  it('is smaller than 5 MB', () => {
    const { size } = statSync(vsix);
    console.log(`      ${(size / 1e6).toFixed(2)} MB`);
    assert.ok(size < 5e6, `has ${size} bytes`);
  });

  it('evolves, proposes and writes like the one in development', async () => {
    await journey.open({ vsix });
    await journey.evolve();
    await journey.elite().waitFor({ timeout: 180_000 });
    await journey.openElite();
    assert.equal(journey.disk(), journey.original);
    // While the run goes on.
    await journey.clickLens('Accept');
    await eventually('the file has changed', () => journey.disk() !== journey.original);
  });
});
