import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Evaluator } from '../../../daemon/judging/evaluator.ts';
import { estimate } from '../../../daemon/judging/timing/statistics/posterior.ts';
import type { Execution } from '../../../shared/judging.ts';
import { RunEvent } from '../../../shared/run.ts';
import { openScene, recordsOf, registry, request, summaryOf } from './scene.ts';

const NOISE = 0.08;

/** So that every title is that of the best of the run. */
const ONE_NICHE = [{ name: 'memory', bin: 32, unit: 'KB' }];

/** Logarithms, one for each pair of processes. */
function measured(readings: number[]): Execution {
  const { ratio, low, high } = estimate(readings, NOISE);
  const metrics = { baseline_ms: 10, speed_ms: 10 / ratio, speedup: ratio, speedup_low: low, speedup_high: high, peak_kb: 1 };
  return { outcome: { kind: 'correct', detail: '' }, metrics, artifacts: {}, readings };
}

/** A recording: the first look at every program is lucky by half, and each later one finds what the program is worth. */
const recorded: Evaluator = {
  name: 'recorded',
  metric: 'speedup_low',
  parse: () => undefined,
  requires: () => [],
  prepare: async (original, spec) => ({ basis: { evaluator: spec, original, data: null }, execution: measured([0, 0]) }),
  judge: async (candidate, _, { pairs }) => {
    const [, digits = '0'] = /unused = \[\d{4}(\d{3})\]/.exec(candidate.files[0]?.text ?? '') ?? [];
    const truth = Math.log(1 + Number(digits) / 1000);
    return measured(Array.from({ length: pairs ?? 1 }, () => (pairs === undefined ? truth + Math.log(1.5) : truth)));
  },
};
registry.register('evaluator', 'recorded', async () => () => recorded, 'test');

const asked = () => {
  const evaluator = { name: 'recorded', options: {} };
  const stop = { max_generations: 4 };
  // Not confirmed: a smaller version of the best would enter with its first, lucky look, which the search has no part in.
  return request({ mutator: 'scripted', population: 4, deterministic: false, stop, evaluator, confirm: 'none', axes: ONE_NICHE });
};

describe('the title of a champion', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-title-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is held by what all readings say, not by a lucky first one', async () => {
    const scene = await openScene(folder, asked(), 1, { evaluator: recorded });
    await summaryOf(scene);
    const { state } = scene.run;
    const again = scene.events.filter((event) => event.type === 'measured');
    assert.ok(again.length > 0, 'nobody was measured again');
    const best = state.archive.best();
    assert.ok(best !== undefined && best.metrics['samples'] !== undefined && best.metrics['samples'] >= 4);
    // One lucky reading of four moves the middle by nothing.
    const readings = state.readings.of(best.sha256);
    assert.equal(best.metrics['speedup'], estimate(readings, NOISE).ratio);
    assert.ok((best.metrics['speedup'] ?? 9) < 2, 'the lucky reading counts');
  });

  it('has its holder measured next to the challenger, and the original never', async () => {
    const scene = await openScene(folder, asked(), 1, { evaluator: recorded });
    await summaryOf(scene);
    const challengers = new Map(
      scene.events.flatMap((event) => (event.type === 'evaluated' ? [[event.slot.index, event.sha256]] : [])),
    );
    const again = scene.events.filter((event) => event.type === 'measured');
    assert.ok(again.some(({ slot, sha256 }) => challengers.get(slot.index) === sha256));
    assert.ok(again.some(({ slot, sha256 }) => challengers.get(slot.index) !== sha256));
    assert.ok(again.every(({ sha256 }) => sha256 !== scene.run.state.original.sha256));
  });

  it('comes out the same when the journal is read back', async () => {
    const scene = await openScene(folder, asked(), 2, { evaluator: recorded });
    const { run } = await summaryOf(scene);
    const { archive, readings } = scene.run.state;
    const read = await recordsOf(folder).load(run);
    assert.deepEqual(read.archive.champions(), archive.champions());
    for (const { sha256 } of archive.champions()) assert.deepEqual(read.readings.of(sha256), readings.of(sha256));
  });

  it('is decided from the readings in the journal where a run goes on in the middle of a challenge', async () => {
    const scene = await openScene(folder, asked(), 1, { evaluator: recorded });
    const { run } = await summaryOf(scene);
    const journal = join(folder, '.peagen', 'runs', run, 'journal.jsonl');
    const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n');
    const cut = lines.findIndex((line) => JSON.parse(line).type === 'measured');
    const first = RunEvent.parse(JSON.parse(lines[cut] ?? ''));
    assert.ok(first.type === 'measured');
    await writeFile(journal, `${lines.slice(0, cut + 1).join('\n')}\n`);
    const resumed = await openScene(folder, run, 1, { evaluator: recorded });
    await summaryOf(resumed);
    const twice = resumed.events.filter(
      (event) => event.type === 'measured' && event.slot.index === first.slot.index && event.sha256 === first.sha256,
    );
    assert.deepEqual(twice, []);
    const inserted = resumed.events.find((event) => event.type === 'inserted' && event.slot.index === first.slot.index);
    assert.ok(inserted !== undefined);
    const before = scene.events.find((event) => event.type === 'inserted' && event.slot.index === first.slot.index);
    assert.ok(inserted.type === 'inserted' && before?.type === 'inserted');
    assert.deepEqual([inserted.status, inserted.niche, inserted.stats], [before.status, before.niche, before.stats]);
  });
});
