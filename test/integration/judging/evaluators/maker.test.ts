/** Inputs made by a function of the target's folder: run in a sandbox, read as calls. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeInputs, readInputs } from '../../../../daemon/engine/target/inputs.ts';
import { builtinRegistry } from '../../../../daemon/plugins/builtin.ts';
import { Config } from '../../../../shared/config.ts';

describe('a function that makes inputs', () => {
  let root: string;
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'peagen-inputs-'));
  });
  after(() => rmSync(root, { recursive: true }));
  const made = async (name: string, text: string, fn: string) => {
    writeFileSync(join(root, name), text);
    const make = (file: string, maker: string) => makeInputs(root, file, maker, Config.parse({}), builtinRegistry());
    return await readInputs(`${name}:${fn}`, root, make);
  };

  it('yields calls in Python, with what JSON cannot say, from what it imports', async () => {
    writeFileSync(join(root, 'sizes.py'), 'SIZES = [1, 2]\n');
    const text =
      'from sizes import SIZES\ndef make_inputs():\n    for n in SIZES:\n        yield ((n, n), {n})\n    yield {"args": [2.0], "kwargs": {"by": 3}, "init": [1]}\n';
    assert.deepEqual(await made('inputs.py', text, 'make_inputs'), [
      { args: [{ tuple: [1, 1] }, { set: [1] }], kwargs: {}, typed: true },
      { args: [{ tuple: [2, 2] }, { set: [2] }], kwargs: {}, typed: true },
      { args: [{ float: '2.0' }], kwargs: { by: 3 }, init: { args: [1], kwargs: {} }, typed: true },
    ]);
  });

  for (const [name, text] of [
    ['inputs.mjs', 'export function* makeInputs() { yield [[3, 1]]; yield [new Set([1])]; }'],
    ['inputs.ts', 'export async function makeInputs(): Promise<unknown[][]> { return [[[3, 1]], [new Set<number>([1])]]; }'],
  ] as const) {
    it(`answers a list of calls in ${name}`, async () => {
      assert.deepEqual(await made(name, text, 'makeInputs'), [
        { args: [[3, 1]], kwargs: {}, typed: true },
        { args: [{ set: [1] }], kwargs: {}, typed: true },
      ]);
    });
  }

  it('is distinguished from what makes none, each with its reason', async () => {
    const rejects = (text: string, pattern: RegExp) => assert.rejects(made('bad.py', text, 'make_inputs'), pattern);
    await rejects('def make_inputs():\n    return 3\n', /answered no list/);
    await rejects('def make_inputs():\n    return []\n', /made 0 calls/);
    await rejects('def make_inputs():\n    return [3]\n', /call 1 is not a list of arguments/);
    await rejects('def make_inputs():\n    raise ValueError("no data")\n', /bad\.py", line 2[\s\S]*no data/);
    await rejects('def other():\n    return 3\n', /no function "make_inputs"/);
  });
});
