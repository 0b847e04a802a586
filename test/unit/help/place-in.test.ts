import assert from 'node:assert/strict';
import { parseConfig } from '../../../daemon/config/load.ts';
import { placeIn } from '../../../extension/commands/place-in.ts';
import { PeagenError } from '../../../shared/errors.ts';

function complaint(text: string, file: string): string {
  try {
    parseConfig({ text, file, env: {}, flags: {} });
  } catch (caught) {
    return PeagenError.from(caught).message;
  }
  return assert.fail('the configuration is valid');
}

describe('the place that a message names', () => {
  it('is the line of the key that is wrong', () => {
    const message = complaint('[evolve]\npopulation = "many"\n', '/code/a folder/.peagen.toml');
    assert.deepEqual(placeIn(message), { file: '/code/a folder/.peagen.toml', line: 2 });
  });

  it('is the line where TOML ends', () => {
    const message = complaint('[evolve]\n\npopulation = = 3\n', 'C:\\work\\.peagen.toml');
    assert.deepEqual(placeIn(message), { file: 'C:\\work\\.peagen.toml', line: 3 });
  });

  it('is the first line of a file named without one', () => {
    assert.deepEqual(placeIn('task_queue.url in /code/.peagen.toml holds a password.'), { file: '/code/.peagen.toml', line: 1 });
  });

  it('is none when no file is named', () => {
    assert.equal(placeIn('evolve.seed (from PEAGEN__EVOLVE__SEED) = "x": expected number.'), undefined);
  });
});
