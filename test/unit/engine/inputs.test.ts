import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readInputs } from '../../../daemon/engine/inputs.ts';

describe('sample inputs', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-inputs-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('reads a literal list of positional arguments', async () => {
    assert.deepEqual(await readInputs('[[[3, 1]], [[]]]', folder), [
      { args: [[3, 1]], kwargs: {} },
      { args: [[]], kwargs: {} },
    ]);
  });

  it('reads calls with keywords from a file relative to the folder', async () => {
    await writeFile(join(folder, 'i.json'), '[{"args": [1], "kwargs": {"reverse": true}}, [2]]');
    assert.deepEqual(await readInputs('i.json', folder), [
      { args: [1], kwargs: { reverse: true } },
      { args: [2], kwargs: {} },
    ]);
  });

  for (const [what, text, pattern] of [
    ['a missing file', 'nope.json', /nope\.json cannot be read \(ENOENT\)/],
    ['malformed JSON', '[[1, 2', /not valid JSON/],
    ['an empty list', '[]', /not a list of calls/],
    ['a bare value as a call', '[1]', /not a list of calls \(at 0\)/],
  ] as const) {
    it(`says what is wrong with ${what}`, async () => {
      await assert.rejects(readInputs(text, folder), pattern);
    });
  }
});
