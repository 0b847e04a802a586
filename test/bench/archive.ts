/**
 * What an insert into the archive costs, in time and memory, and whether that grows with what it holds. Prints one JSON
 * line per archive. Run: `node --expose-gc test/bench/archive.ts [inserts]`.
 */
import { createHash } from 'node:crypto';
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { Cvt } from '../../daemon/evolution/evodb/cvt.ts';
import { type ArchiveEntry, EvoDB } from '../../daemon/evolution/evodb.ts';
import { EpsilonSelector } from '../../daemon/evolution/selectors/epsilon.ts';
import { UcbSelector } from '../../daemon/evolution/selectors/ucb.ts';
import { createRandom, type Random } from '../../daemon/random.ts';
import { Config } from '../../shared/config.ts';
import { Sha256 } from '../../shared/ids.ts';
import type { FeatureAxis } from '../../shared/niche.ts';

const inserts = Number(process.argv[2] ?? 1_000_000);
const SLICES = 10;
/** Inserts that take longer, in milliseconds, are looked at one by one. */
const SLOW_MS = 0.5;

/** The collector's pauses. It reports them when the event loop turns. */
const pauses: { start: number; end: number }[] = [];
const collector = new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) pauses.push({ start: startTime, end: startTime + duration });
});
collector.observe({ entryTypes: ['gc'] });

/** Milliseconds of a span of time that the collector did not take. */
function ownTime(start: number, end: number): number {
  const taken = pauses.reduce((sum, pause) => sum + Math.max(0, Math.min(end, pause.end) - Math.max(start, pause.start)), 0);
  return end - start - taken;
}

const axes: FeatureAxis[] = [
  { name: 'speed', bin: 5, unit: 'ms' },
  { name: 'memory', bin: 32, unit: 'KB' },
  { name: 'size', bin: 40, unit: 'characters' },
  { name: 'age', bin: 1, unit: '' },
];
const scaled = (scale: 'log' | 'quantile', bin: number): FeatureAxis[] =>
  axes.map((axis) => (axis.name === 'age' ? axis : { ...axis, scale, bin }));

const archives: Record<string, () => EvoDB> = {
  'grid, fixed bins': () => new EvoDB(axes),
  'grid, fixed bins, every insert a niche': () => new EvoDB([{ name: 'index', bin: 1, unit: '' }]),
  'grid, log bins': () => new EvoDB(scaled('log', 1.5)),
  'grid, quantile bins': () => new EvoDB(scaled('quantile', 10)),
  'CVT, 512 niches': () => new EvoDB(axes, new Cvt(axes, { niches: 512, seed: 1 })),
};

/** A search that slowly gets better. */
function entryAt(i: number, archive: EvoDB, random: Random): ArchiveEntry {
  const fitness = 1 + Math.log1p(i / 1000) * random.next();
  const features = [40 / fitness + 40 * random.next() ** 3, 2000 * random.next() ** 2, 200 + 1500 * random.next(), i % 6];
  return {
    sha256: Sha256.parse(createHash('sha256').update(`${i}`).digest('hex')),
    fitness,
    features: archive.axes.length === 1 ? [i] : features,
    metrics: { speedup: fitness, speed_ms: 40 / fitness, peak_kb: 1000 },
    generation: Math.floor(i / 8),
    index: i,
    parents: [],
    mutator: 'structural',
    summary: 'delete statement at line 12',
  };
}

for (const [name, make] of Object.entries(archives)) {
  const random = createRandom('bench', name);
  globalThis.gc?.();
  const heapBefore = process.memoryUsage().heapUsed;
  const archive = make();
  const slices: number[] = [];
  const times = new Float32Array(inserts);
  const slow: { start: number; end: number }[] = [];
  for (let slice = 0; slice < SLICES; slice++) {
    const count = Math.floor(inserts / SLICES);
    let spent = 0;
    for (let i = slice * count; i < (slice + 1) * count; i++) {
      const entry = entryAt(i, archive, random);
      const start = performance.now();
      archive.add(entry);
      const took = performance.now() - start;
      spent += took;
      times[i] = took;
      if (took > SLOW_MS) slow.push({ start, end: start + took });
    }
    slices.push((1000 * spent) / count);
  }
  for (let turns = 0; turns < 10; turns++) await turn();
  times.sort();
  const quantile = (share: number) => round(1000 * (times[Math.min(inserts - 1, Math.floor(share * inserts))] ?? 0));
  const own = slow.map(({ start, end }) => ownTime(start, end));
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed - heapBefore;
  const selection = Object.fromEntries(
    [new EpsilonSelector(Config.parse({})), new UcbSelector(Config.parse({}))].map((selector) => {
      const start = performance.now();
      for (let i = 0; i < 1000; i++) selector.select(archive, random);
      return [selector.name, round(performance.now() - start)];
    }),
  );
  const result = {
    archive: name,
    inserts,
    ...archive.stats(),
    us_per_insert: { first_tenth: round(slices[0] ?? 0), last_tenth: round(slices.at(-1) ?? 0) },
    us: { p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999) },
    slowest_ms: round(times.at(-1) ?? 0),
    /** The slowest but for the collector's pauses; and how many took longer than a millisecond by themselves. */
    slowest_own_ms: round(Math.max(0, ...own)),
    own_over_1_ms: own.filter((ms) => ms > 1).length,
    heap_mb: round(heap / 1024 ** 2),
    us_per_selection: selection,
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

function round(value: number): number {
  return Number(value.toPrecision(3));
}
