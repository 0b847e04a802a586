/**
 * How long it takes to take up a run of many candidates: from its journal alone, and with the checkpoint that was written at
 * its last generation or when its journal was a tenth shorter. Prints one JSON line for each. Run:
 * `npm run bench -- evolve/resume [candidates]`.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../../daemon/config/load.ts';
import { selectorOf } from '../../../daemon/engine/mutate/selector.ts';
import { CHECKPOINT } from '../../../daemon/engine/records/checkpoint.ts';
import { RunRecords } from '../../../daemon/engine/records/run-records.ts';
import { Journal } from '../../../daemon/evolution/journal.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createRandom } from '../../../daemon/random.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { newRunId, Sha256 } from '../../../shared/ids.ts';
import type { RunEvent } from '../../../shared/run.ts';
import { RunSpec } from '../../../shared/run-spec.ts';

const candidates = Number(process.argv[2] ?? 50_000);
const POPULATION = 8;
const at = '2026-01-31T14:25:01.000Z';
const random = createRandom(1);
const sha = (text: string) => Sha256.parse(createHash('sha256').update(text).digest('hex'));
const run = newRunId(Date.parse(at));

const spec = RunSpec.parse({
  target: { root: '/', path: 'sort.py', entry_fn: 'sort' },
  evaluator: { name: 'function', options: {} },
  ...{ seed: 1, population: POPULATION, deterministic: false, selector: 'epsilon', mutator: 'structural' },
  axes: [
    { name: 'speed', bin: 5, unit: 'ms' },
    { name: 'memory', bin: 32, unit: 'KB' },
    { name: 'size', bin: 40, unit: '' },
  ],
  stop: { max_generations: Math.ceil(candidates / POPULATION) },
});
const stats = { coverage: 100, qd_score: 1234.5678, best: 3.21 };

function metricsOf(fitness: number) {
  const speed_ms = 100 / fitness;
  return {
    speed_ms,
    baseline_ms: 100,
    speedup: fitness * 1.02,
    speedup_low: fitness,
    speedup_high: fitness * 1.05,
    peak_kb: 10_000,
  };
}

/** The events of one candidate, as a search writes them: two of three are correct. */
function eventsOf(index: number): RunEvent[] {
  const slot = { index, generation: Math.floor(index / POPULATION) + 1, attempt: 0 };
  const parent = sha(`${Math.floor(index * random.next())}`);
  const sha256 = sha(`${index + 1}`);
  const origin = {
    parents: [parent],
    mutator: 'structural',
    summary: `compute a repeated expression once at line ${index % 80}: result`,
  };
  const fitness = index % 3 === 0 ? null : 1 + random.next() * 3;
  const correct = fitness !== null;
  const events: RunEvent[] = [
    { type: 'selected', at, slot, parent, inspirations: [sha('1'), sha('2')], mutator: 'structural', seed: index },
    {
      type: 'mutated',
      at,
      slot,
      sha256,
      normal: sha(`n${index}`),
      object: sha(`o${index}`),
      origin,
      tokens: { prompt: 0, completion: 0 },
    },
    {
      ...{ type: 'evaluated', at, slot, sha256, fitness },
      outcome: correct
        ? { kind: 'correct', detail: '' }
        : { kind: 'wrong', detail: 'sort([3, 1, 2]) returned [3, 2, 1]; the original returned [1, 2, 3]' },
      metrics: correct ? metricsOf(fitness) : {},
      features: correct ? [100 / fitness, 10_000 + random.next() * 500, 500 + random.next() * 2000] : [],
      ...(correct ? { readings: [0.1, 0.2, 0.15, 0.12].map((value) => value * random.next()) } : {}),
    },
    { type: 'inserted', at, slot, sha256, status: 'rejected', niche: '0', stats },
  ];
  if ((index + 1) % POPULATION === 0) events.push({ type: 'generation', at, generation: slot.generation, stats });
  return events;
}

const folder = await mkdtemp(join(tmpdir(), 'peagen-bench-'));
const config = parseConfig({ text: '', file: '.peagen.toml', env: {}, flags: {} });
const records = () =>
  new RunRecords(folder, createLog({ level: 'warn' }), (wanted) => selectorOf(wanted, config, builtinRegistry()));
try {
  const journal = await Journal.create(await records().files.create(run));
  const original = sha('0');
  const appends = [
    journal.append({ type: 'started', at, run, request_id: 'bench-00', spec, original, object: sha('object'), build: 'bench' }),
    journal.append({
      type: 'baseline',
      at,
      metrics: metricsOf(1),
      features: [100, 10_000, 2000],
      fitness: 1,
      basis: sha('basis'),
    }),
  ];
  const write = (index: number) => appends.push(...eventsOf(index).map((event) => journal.append(event)));
  const resumed = async (how: string) => {
    const { size } = await stat(join(records().files.folder(run), CHECKPOINT)).catch(() => ({ size: 0 }));
    const began = performance.now();
    const { state, mark } = await records().folded(run);
    const loaded = performance.now();
    await (await Journal.reopen(records().files.folder(run), mark)).close();
    const ms = performance.now() - began;
    const mb = (bytes: number) => Number((bytes / 1e6).toFixed(1));
    const of = { candidates: state.counts.evaluated, journal_mb: mb(mark.bytes), checkpoint_mb: mb(size) };
    process.stdout.write(`${JSON.stringify({ how, ...of, load_ms: Math.round(loaded - began), ms: Math.round(ms) })}\n`);
  };
  const tail = Math.floor(candidates / 11);
  for (let i = 0; i < candidates - tail; i++) write(i);
  await Promise.all(appends.splice(0));
  const began = performance.now();
  await records().checkpoint(run);
  process.stdout.write(`${JSON.stringify({ how: 'writing a checkpoint', ms: Math.round(performance.now() - began) })}\n`);
  for (let i = candidates - tail; i < candidates; i++) write(i);
  await Promise.all(appends);
  await journal.close();
  await resumed('with the checkpoint of a journal that was a tenth shorter');
  await records().checkpoint(run);
  for (let i = 0; i < 3; i++) await resumed('with the checkpoint of its last generation');
  await rm(join(records().files.folder(run), CHECKPOINT));
  await resumed('from the journal alone');
} finally {
  await rm(folder, { recursive: true, force: true });
}
