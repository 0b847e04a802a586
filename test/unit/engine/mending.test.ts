import assert from 'node:assert/strict';
import { parseConfig } from '../../../daemon/config/load.ts';
import { choiceFor } from '../../../daemon/engine/choice.ts';
import { mutatePayload } from '../../../daemon/engine/mutate-payload.ts';
import { resolveRequest } from '../../../daemon/engine/resolve.ts';
import { RunState } from '../../../daemon/engine/run-state.ts';
import { Sketches } from '../../../daemon/engine/sketches.ts';
import { createRandom } from '../../../daemon/evolution/random.ts';
import { EpsilonSelector } from '../../../daemon/evolution/selectors/epsilon.ts';
import { Config } from '../../../shared/config.ts';
import { RunEvent } from '../../../shared/run.ts';
import { registry, request } from './scene.ts';

const at = '2026-01-31T14:25:01.000Z';
const sha = (index: number) => index.toString(16).padStart(64, '0');
const ORIGINAL = 999;
const nothing = { prompt: 0, completion: 0 };
const llm = '[[llm.backends]]\nname = "one"\nmodel = "m"\npreset = "ollama"\n';

/** A run of two candidates a generation that has judged its original. */
async function begun(mutator: string) {
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
  apply({ type: 'baseline', metrics: {}, features: spec.axes.map(() => 0), fitness: 1, basis: sha(0) });
  const judge = (index: number, kind: string, parent = ORIGINAL) => {
    const slot = { index, generation: 1, attempt: 0 };
    const [sha256, fitness] = [sha(index), kind === 'correct' ? 2 : null];
    const origin = { parents: [sha(parent)], mutator, summary: `try ${index}` };
    apply({ type: 'selected', slot, parent: sha(parent), inspirations: [], mutator, seed: 1 });
    apply({ type: 'mutated', slot, sha256, normal: sha256, object: sha256, origin, tokens: nothing });
    const outcome = { kind, detail: kind === 'correct' ? '' : `no, not ${index}` };
    apply({ type: 'evaluated', slot, sha256, outcome, metrics: {}, fitness, features: spec.axes.map(() => 0) });
    apply({ type: 'inserted', slot, sha256, status: 'rejected', niche: '0', stats: state.archive.stats() });
  };
  const choose = (index: number) => choiceFor(state, { index, generation: 2, attempt: 0 }, createRandom('test', index));
  return { state, program, judge, choose, apply };
}

describe('while no candidate is correct', () => {
  it('those that fail are mended by a model, once a generation’s worth has failed, and until one is correct', async () => {
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

  it('a model is told first how the program failed that it is to mend', async () => {
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
      sketches: new Sketches(async () => program),
      program: async () => program,
      readText: async () => '{}',
    };
    const { failures, parent } = await mutatePayload(open, deps, ['llm']);
    assert.equal(parent.sha256, sha(0));
    assert.equal(failures[0], 'this program: wrong: no, not 0');
  });

  it('nothing is mended in a run that asks no model', async () => {
    const { judge, choose } = await begun('structural');
    judge(0, 'wrong');
    judge(1, 'wrong');
    assert.deepEqual([choose(2).mutator, choose(2).parent], ['structural', sha(ORIGINAL)]);
  });
});
