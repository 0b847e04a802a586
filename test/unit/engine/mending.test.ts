import assert from 'node:assert/strict';
import { parseConfig } from '../../../daemon/config/load.ts';
import { choiceFor } from '../../../daemon/engine/mutate/choice.ts';
import { MinHashes } from '../../../daemon/engine/mutate/min-hashes.ts';
import { mutatePayload } from '../../../daemon/engine/mutate/mutate-payload.ts';
import { RunState } from '../../../daemon/engine/run/state/run-state.ts';
import { infoOf } from '../../../daemon/engine/run/state/run-view.ts';
import { resolveRequest } from '../../../daemon/engine/target/resolve.ts';
import { EpsilonSelector } from '../../../daemon/evolution/selectors/epsilon.ts';
import { createRandom } from '../../../daemon/random.ts';
import { Config } from '../../../shared/config.ts';
import { gainOf } from '../../../shared/gain.ts';
import { RunEvent } from '../../../shared/run.ts';
import { registry, request } from './scene.ts';

const at = '2026-01-31T14:25:01.000Z';
const sha = (index: number) => index.toString(16).padStart(64, '0');
const ORIGINAL = 999;
const nothing = { prompt: 0, completion: 0 };
const llm = '[[llm.backends]]\nname = "one"\nmodel = "m"\npreset = "ollama"\n';

/** A run of two candidates a generation that has judged its original, which is right or fails. */
async function begun(mutator: string, original: 'right' | 'fails' = 'right') {
  const config = parseConfig({ text: llm, file: '.peagen.toml', env: {}, flags: {} });
  const { spec, program } = await resolveRequest(request({ mutator, population: 2, deterministic: false }), config, registry);
  const started = RunEvent.parse({
    type: 'started',
    at,
    run: '20260131-142501-3fa9c1',
    request_id: 'r',
    spec,
    original: sha(ORIGINAL),
    object: sha(ORIGINAL),
    build: 'test',
  });
  assert.ok(started.type === 'started');
  const state = new RunState(started, [new EpsilonSelector(Config.parse({}))]);
  const apply = (event: object) => state.apply(RunEvent.parse({ at, ...event }));
  const begin = (program?: string) =>
    apply({ type: 'baseline', metrics: {}, features: spec.axes.map(() => 0), fitness: 1, basis: sha(0), program });
  if (original === 'right') begin();
  else apply({ type: 'failing', outcome: { kind: 'wrong', detail: 'it is 10, not 6' } });
  const judge = (index: number, kind: string, parent = ORIGINAL) => {
    const slot = { index, generation: 1, attempt: 0 };
    const [sha256, fitness] = [sha(index), kind === 'correct' ? 2 : null];
    const origin = { parents: [sha(parent)], mutator, summary: `try ${index}.` };
    apply({ type: 'selected', slot, parent: sha(parent), inspirations: [], mutator, seed: 1 });
    apply({ type: 'mutated', slot, sha256, normal: sha256, object: sha256, origin, tokens: nothing });
    const outcome = { kind, detail: kind === 'correct' ? '' : `no, not ${index}` };
    apply({ type: 'evaluated', slot, sha256, outcome, metrics: {}, fitness, features: spec.axes.map(() => 0) });
    apply({ type: 'inserted', slot, sha256, status: 'rejected', niche: '0', stats: state.archive.stats() });
  };
  const choose = (index: number) => choiceFor(state, { index, generation: 2, attempt: 0 }, createRandom('test', index));
  return { state, program, judge, choose, apply, begin };
}

describe('while no candidate is correct', () => {
  it('those that fail are fixed by a model, once a generation’s worth has failed, and until one is correct', async () => {
    const { judge, choose } = await begun('patch');
    judge(0, 'wrong');
    assert.deepEqual([choose(1).mutator, choose(1).parent], ['patch', sha(ORIGINAL)]);
    judge(1, 'crashed');
    const chosen = Array.from({ length: 20 }, (_, i) => choose(2 + i));
    assert.deepEqual(new Set(chosen.map(({ mutator }) => mutator)), new Set(['fix']));
    assert.deepEqual(new Set(chosen.map(({ parent }) => parent)), new Set([sha(0), sha(1)]));
    judge(2, 'correct', 1);
    assert.equal(choose(3).mutator, 'patch');
    assert.ok([sha(2), sha(ORIGINAL)].includes(choose(3).parent));
  });

  it('a model first learns how the program failed that it is to fix', async () => {
    const { state, program, judge, apply } = await begun('patch');
    judge(0, 'wrong');
    judge(1, 'crashed');
    const slot = { index: 2, generation: 2, attempt: 0 };
    apply({ type: 'selected', slot, parent: sha(0), inspirations: [], mutator: 'fix', seed: 1 });
    const open = state.open.get(2);
    assert.ok(open !== undefined);
    const deps = {
      state,
      original: program,
      sketches: new MinHashes(async () => program),
      program: async () => program,
      readText: async () => '{}',
    };
    const { failures, parent } = await mutatePayload(open, deps, ['llm']);
    assert.equal(parent.sha256, sha(0));
    // Not once more under the name of the change that made it.
    assert.deepEqual(failures, ['this program: wrong: no, not 0', 'try 1: crashed: no, not 1']);
  });

  it('nothing is fixed in a run that asks no model', async () => {
    const { judge, choose } = await begun('structural');
    judge(0, 'wrong');
    judge(1, 'wrong');
    assert.deepEqual([choose(2).mutator, choose(2).parent], ['structural', sha(ORIGINAL)]);
  });
});

describe('an original that fails', () => {
  it('is fixed at once, and so is what was made of it in vain', async () => {
    const { judge, choose } = await begun('patch', 'fails');
    assert.deepEqual([choose(0).mutator, choose(0).parent], ['fix', sha(ORIGINAL)]);
    judge(0, 'wrong');
    const chosen = Array.from({ length: 20 }, (_, i) => choose(1 + i));
    assert.deepEqual(new Set(chosen.map(({ mutator }) => mutator)), new Set(['fix']));
    assert.deepEqual(new Set(chosen.map(({ parent }) => parent)), new Set([sha(0), sha(ORIGINAL)]));
  });

  it('is what nothing is compared with: the first program that does not fail is the first elite', async () => {
    const { state, judge, choose, begin } = await begun('patch', 'fails');
    judge(0, 'wrong');
    judge(1, 'correct');
    assert.ok(state.failing !== undefined);
    begin(sha(1));
    assert.deepEqual([state.failing, state.mended], [undefined, sha(1)]);
    assert.deepEqual(gainOf(infoOf(state, true)), { kind: 'fixed' });
    assert.deepEqual(
      state.archive.champions().map(({ sha256, fitness }) => [sha256, fitness]),
      [[sha(1), 1]],
    );
    assert.deepEqual([choose(2).mutator, choose(2).parent], ['patch', sha(1)]);
  });

  it('goes on being fixed when that program fails after all', async () => {
    const { state, judge, choose, apply } = await begun('patch', 'fails');
    judge(0, 'correct');
    apply({ type: 'failing', outcome: { kind: 'wrong', detail: 'not twice' }, program: sha(0) });
    assert.equal(state.archive.best(), undefined);
    assert.equal(choose(1).mutator, 'fix');
  });

  it('leaves slots their programs, to be judged again, and lets those without one begin again', async () => {
    const { state, judge, apply, begin } = await begun('patch', 'fails');
    const select = (index: number) =>
      apply({
        type: 'selected',
        slot: { index, generation: 1, attempt: 0 },
        parent: sha(ORIGINAL),
        inspirations: [],
        mutator: 'fix',
        seed: 1,
      });
    select(0);
    select(1);
    const slot = { index: 1, generation: 1, attempt: 0 };
    const origin = { parents: [sha(ORIGINAL)], mutator: 'fix', summary: 'a try' };
    apply({ type: 'mutated', slot, sha256: sha(1), normal: sha(1), object: sha(1), origin, tokens: nothing });
    judge(2, 'correct');
    const before = state.scope.key;
    begin(sha(2));
    assert.deepEqual([[...state.open.keys()], [...state.open.reopened]], [[1], [0]]);
    assert.equal(state.open.get(1)?.evaluated, undefined);
    assert.notEqual(state.scope.key, before);
  });
});
