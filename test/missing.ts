/** For what a machine may lack: a test that needs it is skipped and says so; in CI, where .ci/run installs it, it fails by its name. */
import assert from 'node:assert/strict';

export function skipWithout(what: string, context: Mocha.Context): never {
  assert.notEqual(process.env['CI'], 'true', `${what} is not installed`);
  console.warn(`skipped: ${what} is not installed`);
  context.skip();
}
