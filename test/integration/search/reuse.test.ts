/** Runs that take from runs before them: a run that goes on after its end, and founders next to the original. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foundersOf } from '../../../daemon/engine/target/reuse.ts';
import { loadTarget } from '../../../daemon/evolution/target.ts';
import { openScene, recordsOf, request, summaryOf, text } from '../../unit/engine/scene.ts';

describe('a run that takes from runs before it', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-reuse-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const mutator of ['scripted', 'structural']) {
    it(`comes to the same candidates in 4 and 4 more generations as in 8, with the mutator "${mutator}"`, async () => {
      const asked = request({ mutator, population: 4 });
      const whole = await summaryOf(await openScene(folder, { ...asked, stop: { max_generations: 8 } }));
      const first = await summaryOf(await openScene(folder, { ...asked, stop: { max_generations: 4 } }));
      assert.notEqual(first.candidates_digest, whole.candidates_digest);
      const extended = await summaryOf(await openScene(folder, first.run, 4, { extend: 4 }));
      assert.equal(extended.run, first.run);
      assert.equal(extended.generations, 8);
      assert.equal(extended.candidates_digest, whole.candidates_digest);
      assert.equal(extended.best?.sha256, whole.best?.sha256);
      assert.equal((await recordsOf(folder).load(first.run)).stopped?.reason, 'max_generations');
    });
  }

  it('goes on after it was stopped for no improvement, and is refused while it is not over', async () => {
    const asked = request({ mutator: 'scripted', stop: { max_generations: 50, no_improve: 2 } });
    const first = await summaryOf(await openScene(folder, asked));
    assert.equal(first.stopped, 'no_improve');
    const extended = await summaryOf(await openScene(folder, first.run, 4, { extend: 2 }));
    assert.equal(extended.generations, first.generations + 2);
    const open = await openScene(folder, request({ mutator: 'scripted', stop: { max_generations: 1000 } }));
    await assert.rejects(openScene(folder, open.run.id, 4, { extend: 2 }), { code: 'conflict' });
    await open.close();
  });

  it('judges several founders first, each as a program of its own, and makes children of them', async () => {
    const shorter = text.replace('        total = total - 0\n', '');
    const shortest = shorter.replace('    for item in items:\n        check = item * 1\n', '');
    const seeds = [{ text: shorter }, { text: shortest }, { text }, { text: shortest }];
    const scene = await openScene(folder, request({ mutator: 'scripted', seeds, stop: { max_generations: 2 } }));
    await summaryOf(scene);
    const judged = scene.events.flatMap((event) => (event.type === 'judged' ? [event] : []));
    assert.deepEqual(
      judged.map(({ outcome, status }) => [outcome.kind, status]),
      [
        ['correct', 'new'],
        ['correct', 'new'],
      ],
    );
    const founder = judged[1]?.sha256;
    assert.ok(
      scene.events.findIndex(({ type }) => type === 'selected') > scene.events.findIndex(({ type }) => type === 'judged'),
    );
    const chosen = scene.events.flatMap((event) => (event.type === 'selected' ? [event.parent] : []));
    assert.ok(founder !== undefined && chosen.includes(founder));
    assert.equal(scene.run.state.known.get(founder)?.origin.mutator, 'seed');
    const { program } = await loadTarget({ root: '/', path: 'busy.py', text, entry_fn: 'busy' });
    const of = (run: typeof scene.run.id) => foundersOf([{ run }], program, recordsOf(folder));
    assert.ok(
      (await of(scene.run.id)).some(({ sha256 }) => sha256 === founder),
      'the elites of a run are founders of the next',
    );
  });

  it('refuses a founder that changes other parts than the target', async () => {
    await assert.rejects(openScene(folder, request({ seeds: [{ text: 'import os\n' }] })), { code: 'invalid_input' });
  });
});
