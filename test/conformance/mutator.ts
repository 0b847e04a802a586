/** What every mutator promises: it is deterministic, and changes nothing but what may change. */
import assert from 'node:assert/strict';
import type { Mutated, Mutator } from '../../daemon/evolution/mutators/mutator.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { Sha256 } from '../../shared/ids.ts';
import { MutatePayload } from '../../shared/payloads.ts';
import { Program } from '../../shared/program.ts';

const before = 'LIMIT = 10\n\n\n';
const body =
  'def slow(items):\n    found = []\n    for item in items:\n        if item not in found:\n            found.append(item)\n' +
  '    found = sorted(found)\n    found = sorted(found)\n    return found[:LIMIT]\n';
const after = '\n\ndef other():\n    return LIMIT\n';
const program = Program.parse({
  language: 'python',
  files: [{ path: 'slow.py', text: before + body + after }],
  spans: [{ path: 'slow.py', start: before.length, end: before.length + body.length }],
});

/** `requires` of it must be empty: one that asks a model is tested with recorded answers. */
export function mutatorConformance(name: string, make: () => Mutator): void {
  const mutate = async (seed: number): Promise<Mutated> => {
    const parent = { sha256: Sha256.parse('0'.repeat(64)), program, metrics: {} };
    const payload = MutatePayload.parse({ mutator: name, seed, original: program, parent, inspirations: [] });
    const signal = new AbortController().signal;
    const ask = () => Promise.reject(new Error('There is no model here.'));
    return await make().mutate(payload, { signal, log: createLog({ level: 'silent' }), ask });
  };

  describe(`mutator ${name}`, () => {
    it('has its name, and names the capabilities that it needs', () => {
      const mutator = make();
      assert.equal(mutator.name, name);
      assert.ok(mutator.requires.every((tag) => /^[a-z0-9][a-z0-9_-]{0,31}$/.test(tag)));
    });

    it('makes a child that differs from its parent, for some of 50 seeds', async () => {
      const made = await Promise.all(Array.from({ length: 50 }, (_, seed) => mutate(seed)));
      assert.ok(made.some((one) => one.kind === 'child' && one.program.files[0]?.text !== program.files[0]?.text));
    });

    it('makes the same child for the same payload', async () => {
      for (let seed = 0; seed < 10; seed++) assert.deepEqual(await mutate(seed), await mutate(seed));
    });

    it('changes what may change and nothing else, and says where that is now', async () => {
      for (let seed = 0; seed < 50; seed++) {
        const made = await mutate(seed);
        if (made.kind === 'rejected') {
          assert.ok(made.reason.length > 0, 'a rejection says why');
          continue;
        }
        const child = Program.parse(made.program);
        const text = child.files[0]?.text ?? '';
        const [span] = child.spans;
        assert.equal(text.slice(0, span?.start), before);
        assert.equal(text.slice(span?.end), after);
        assert.ok(made.origin.summary.length > 0, 'a child says what was done');
      }
    });

    it('leaves its parent as it is', async () => {
      const kept = structuredClone(program);
      for (let seed = 0; seed < 10; seed++) await mutate(seed);
      assert.deepEqual(program, kept);
    });
  });
}
