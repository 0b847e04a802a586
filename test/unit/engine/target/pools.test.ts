import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openScene, registry, request, shortness, summaryOf } from '../scene.ts';

describe('the pools of a run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-pools-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('are filled apart: while sandboxes are busy, as many children as a generation has are made ahead, and no more', async () => {
    const busy = Promise.withResolvers<void>();
    const held = {
      ...shortness,
      name: 'held',
      judge: async (...args: Parameters<typeof shortness.judge>) => {
        await busy.promise;
        return shortness.judge(...args);
      },
    };
    registry.register('evaluator', 'held', async () => () => held, 'test');
    const population = 4;
    const asked = request({
      evaluator: { name: 'held', options: {} },
      mutator: 'scripted',
      population,
      deterministic: false,
      stop: { max_generations: 10 },
    });
    const scene = await openScene(folder, asked, 3 * population);
    const of = (type: string) => scene.events.filter((event) => event.type === type).length;
    while (of('mutated') < 2 * population) await new Promise(setImmediate);
    for (let i = 0; i < 500; i++) await new Promise(setImmediate);
    assert.equal(of('evaluated'), 0);
    assert.equal(of('selected') - of('rejected'), 2 * population);
    busy.resolve();
    assert.equal((await summaryOf(scene)).evaluated, 10 * population);
  });
});
