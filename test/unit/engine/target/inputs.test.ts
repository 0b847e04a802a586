import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type * as z from 'zod';
import { readInputs } from '../../../../daemon/engine/target/inputs.ts';
import { asWritten, Calls } from '../../../../shared/judging.ts';

const none = (): never => assert.fail('nothing is to be run');

describe('sample inputs', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-inputs-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('reads a literal list of positional arguments', async () => {
    assert.deepEqual(await readInputs('[[[3, 1]], [[]]]', folder, none), [
      { args: [[3, 1]], kwargs: {} },
      { args: [[]], kwargs: {} },
    ]);
  });

  it('reads back a call as it was written, keywords, constructor and tagged values included', () => {
    const args = fc.array(fc.jsonValue() as fc.Arbitrary<z.core.util.JSONType>, { maxLength: 3 });
    const both = fc.record({ args, kwargs: fc.dictionary(fc.constantFrom('key', 'reverse'), fc.integer()) });
    const call = fc.record(
      { args, kwargs: both.map(({ kwargs }) => kwargs), init: both, typed: fc.constant(true as const) },
      { requiredKeys: ['args', 'kwargs'] },
    );
    fc.assert(
      fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), (calls) => {
        const text = JSON.stringify(calls.map(asWritten));
        const wanted: unknown = JSON.parse(JSON.stringify(calls));
        assert.deepEqual(JSON.parse(JSON.stringify(Calls.parse(JSON.parse(text)))), wanted);
      }),
    );
    const awkward = '[[{"__proto__":[1],"constructor":2}]]';
    assert.equal(JSON.stringify(Calls.parse(JSON.parse(awkward)).map(asWritten)), awkward);
    assert.deepEqual(asWritten({ args: [1], kwargs: {} }), [1]);
    assert.deepEqual(asWritten({ args: [1], kwargs: {}, init: { args: [5], kwargs: {} } }), {
      args: [1],
      init: { args: [5], kwargs: {} },
    });
  });

  it('reads calls with keywords from a file relative to the folder', async () => {
    await writeFile(join(folder, 'i.json'), '[{"args": [1], "kwargs": {"reverse": true}}, [2]]');
    assert.deepEqual(await readInputs('i.json', folder, none), [
      { args: [1], kwargs: { reverse: true } },
      { args: [2], kwargs: {} },
    ]);
  });

  it('names the file and the function that make inputs, and nothing else that has a colon', async () => {
    const asked: string[] = [];
    const make = async (file: string, fn: string) => {
      asked.push(`${file} ${fn}`);
      return [{ args: [1], kwargs: {} }];
    };
    for (const text of ['lib/inputs.py:make_inputs', 'inputs.mjs:makeCalls']) await readInputs(text, folder, make);
    assert.deepEqual(asked, ['lib/inputs.py make_inputs', 'inputs.mjs makeCalls']);
    await assert.rejects(readInputs('inputs.txt:make', folder, make), /cannot be read/);
  });

  for (const [what, text, pattern] of [
    ['a missing file', 'nope.json', /nope\.json cannot be read \(ENOENT\)/],
    ['malformed JSON', '[[1, 2', /not valid JSON/],
    ['an empty list', '[]', /not a list of calls/],
    ['a bare value as a call', '[1]', /not a list of calls \(at 0\)/],
  ] as const) {
    it(`says what is wrong with ${what}`, async () => {
      await assert.rejects(readInputs(text, folder, none), pattern);
    });
  }
});
