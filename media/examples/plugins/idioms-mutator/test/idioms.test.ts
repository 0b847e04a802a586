import assert from 'node:assert/strict';
import type { MutatePayload, Program } from 'peagen/plugin';
import { mutatorConformance, pluginContext, shaOf } from 'peagen/plugin/testing';
import plugin from '../src/idioms.js';

mutatorConformance('idioms', plugin);

describe('idioms', () => {
  const text = 'def f(a):\n    b = list(sorted(a))\n    return [x ** 2 for x in b if x in [1, 2, 3]]\n';
  const program: Program = {
    language: 'python',
    files: [{ path: 'f.py', text }],
    spans: [{ path: 'f.py', start: 0, end: text.length }],
  };
  const linesFrom = async (without: readonly ('square' | 'set-literal' | 'sorted-list')[]): Promise<Set<string>> => {
    const mutator = plugin.make({ without: [...without] }, pluginContext('idioms'));
    const parent = { sha256: shaOf('f'), program, metrics: {}, note: '' };
    const lines = new Set<string>();
    for (let seed = 0; seed < 12; seed++) {
      const payload: MutatePayload = {
        mutator: 'idioms',
        seed,
        original: program,
        parent,
        inspirations: [],
        failures: [],
        nextRequires: [],
      };
      const made = await mutator.mutate(payload);
      if (made.kind !== 'child') continue;
      const child = made.program.files[0]?.text.split('\n') ?? [];
      for (const line of child.filter((each) => !text.includes(each))) lines.add(line.trim());
    }
    return lines;
  };

  it('are replaced one at a time, each of them for some seed', async () => {
    assert.deepEqual(
      [...(await linesFrom([]))].sort(),
      ['b = sorted(a)', 'return [x * x for x in b if x in [1, 2, 3]]', 'return [x ** 2 for x in b if x in {1, 2, 3}]'].sort(),
    );
  });

  it('stay where the options say so', async () => {
    assert.deepEqual([...(await linesFrom(['square', 'set-literal']))], ['b = sorted(a)']);
  });
});
