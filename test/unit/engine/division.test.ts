import assert from 'node:assert/strict';
import { parseConfig } from '../../../daemon/config/load.ts';
import { armsOf, Division } from '../../../daemon/engine/mutate/division.ts';
import type { EventOf } from '../../../daemon/engine/run/state/slots.ts';
import { Sha256 } from '../../../shared/ids.ts';
import { RunSpec } from '../../../shared/run-spec.ts';
import { registry } from './scene.ts';

const arms = ['patch@a', 'patch@b', 'patch@c', 'rewrite@a', 'structural'];
const spec = RunSpec.parse({
  target: { root: '/', path: 'a.py' },
  evaluator: { name: 'shortness' },
  seed: 1,
  population: 4,
  deterministic: true,
  selector: 'epsilon',
  mutator: 'auto',
  axes: [{ name: 'speed', bin: 5, unit: 'ms' }],
  stop: {},
});
const at = '2026-01-31T14:25:01.000Z';
const selected = (index: number, backend?: string): EventOf<'selected'> => ({
  type: 'selected',
  at,
  slot: { index, generation: 1, attempt: 0 },
  parent: Sha256.parse('0'.repeat(64)),
  inspirations: [],
  mutator: 'patch',
  ...(backend === undefined ? {} : { backend }),
  seed: 1,
});
const use = (tokens: number) => ({ prompt: tokens, completion: 0 });
/** What is chosen for slots to come. */
function shares(division: Division): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let index = 1000; index < 1400; index++) {
    const { mutator, backend } = division.choose({ index, generation: 9, attempt: 0 }, true);
    const arm = backend === undefined ? mutator : `${mutator}@${backend}`;
    counts[arm] = (counts[arm] ?? 0) + 1;
  }
  return counts;
}

describe('the division of slots', () => {
  it('is among the back ends of a mutator that is named, unless one of them is named too', async () => {
    const backend = (name: string) => `[[llm.backends]]\nname = "${name}"\nmodel = "m"\npreset = "ollama"\n`;
    const config = parseConfig({ text: backend('a') + backend('b'), file: '.peagen.toml', env: {}, flags: {} });
    assert.deepEqual(await armsOf('patch', undefined, config, registry, []), ['patch@a', 'patch@b']);
    assert.equal(await armsOf('patch', 'b', config, registry, []), undefined);
    assert.equal(await armsOf('structural', undefined, config, registry), undefined);
  });

  it('is among the roles of an edit too, and leaves out the mutators whose role is not wanted', async () => {
    const text = '[[llm.backends]]\nname = "a"\nmodel = "m"\npreset = "ollama"\n';
    const config = parseConfig({ text, file: '.peagen.toml', env: {}, flags: {} });
    assert.deepEqual(await armsOf('patch', undefined, config, registry), [
      'patch#algorithm',
      'patch#structure',
      'patch#constant',
      'patch#simplify',
    ]);
    assert.deepEqual(await armsOf('patch', undefined, config, registry, ['constant', 'bold']), ['patch#constant']);
    const some = (await armsOf('auto', undefined, config, registry, ['constant', 'bold'])) ?? [];
    assert.ok(some.includes('patch#constant') && some.includes('rewrite') && !some.includes('crossover'), some.join());
  });

  it('learns which role of a mutator pays', () => {
    const division = new Division(spec, ['patch#algorithm@a', 'patch#simplify@a', 'patch#algorithm@b']);
    for (let index = 0; index < 40; index++) {
      const role = index % 2 === 0 ? ('algorithm' as const) : ('simplify' as const);
      division.credit({ ...selected(index, 'a'), role }, { at, tokens: use(100) }, role === 'simplify' ? 1 : 0);
    }
    division.endGeneration();
    const chosen = Array.from({ length: 100 }, (_, i) => division.choose({ index: 1000 + i, generation: 9, attempt: 0 }, true));
    const simple = chosen.filter(({ role }) => role === 'simplify').length;
    assert.ok(simple > 90, `${simple} of 100`);
    assert.deepEqual(chosen[0], { mutator: 'patch', role: 'simplify', backend: 'a' });
    assert.equal(division.backends({ mutator: 'patch', backend: 'a' }), 'a,b');
  });

  it('names the other back ends of the mutator as what to ask when the chosen one fails', () => {
    const division = new Division(spec, arms);
    assert.equal(division.backends({ mutator: 'patch', backend: 'b' }), 'b,a,c');
    assert.equal(division.backends({ mutator: 'rewrite', backend: 'a' }), 'a');
    assert.equal(division.backends({ mutator: 'structural' }), undefined);
  });

  it('gives the gain to the back end that answered, and to the one that was chosen what it cost', () => {
    const division = new Division(spec, ['patch@a', 'patch@b']);
    for (let index = 0; index < 40; index++) {
      const by = { a: use(90), b: use(10) };
      division.credit(selected(index, 'a'), { at, tokens: { ...use(100), by }, backend: 'b' }, 1);
    }
    division.endGeneration();
    const { 'patch@a': a = 0, 'patch@b': b = 0 } = shares(division);
    assert.ok(b > 10 * a, `${a} and ${b}`);
  });

  it('leaves a back end that fails without an answer for one that answers', () => {
    const division = new Division(spec, ['patch@a', 'patch@b']);
    for (let index = 0; index < 40; index++) {
      division.credit(selected(index, 'a'), { at, tokens: use(0) }, 0);
      division.credit(
        selected(index, 'b'),
        { at, tokens: { ...use(10), by: { b: use(10) } }, backend: 'b' },
        index % 4 === 0 ? 1 : 0,
      );
    }
    division.endGeneration();
    const { 'patch@a': a = 0, 'patch@b': b = 0 } = shares(division);
    assert.ok(b > 4 * a, `${a} and ${b}`);
  });

  it('asks the cheap one of two models of equal worth at least four times in five, when prices are known', () => {
    const prices = { a: { prompt: 0.25, completion: 2 }, b: { prompt: 10, completion: 80 } };
    const learnt = (own: RunSpec) => {
      const division = new Division(own, ['patch@a', 'patch@b']);
      for (let index = 0; index < 400; index++) {
        const backend = index % 2 === 0 ? 'a' : 'b';
        const tokens = { prompt: 1200, completion: 1500 };
        division.credit(
          selected(index, backend),
          { at, tokens: { ...tokens, by: { [backend]: tokens } }, backend },
          index % 8 < 2 ? 1 : 0,
        );
      }
      division.endGeneration();
      return (shares(division)['patch@a'] ?? 0) / 400;
    };
    assert.ok(learnt({ ...spec, prices }) >= 0.8, `${learnt({ ...spec, prices })}`);
    assert.ok(learnt(spec) < 0.7, `${learnt(spec)}`);
  });
});
