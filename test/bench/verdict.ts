/**
 * How often a whole offline search announces wrong code: searches over ordinary functions with two to four typed calls, each
 * announcement compared with the original on random calls. Prints a table, and fails when anything was wrong.
 *
 * `node test/bench/verdict.ts [--seeds 3] [--generations 8] [--population 8] [--calls 5000] [--only bag,note]
 * [--fixtures other.ts] [--variants] [--untyped]`: with `--untyped` no call is typed; `--variants` checks each function, judges its honest and tempting
 * changes in place of searching, and prints those that are judged wrongly; other.ts exports `fixtures`, functions that nobody tuned anything for (see test/ordinary/fixture.ts).
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { describeConfidence, isVerified } from '../../shared/confidence.ts';
import { PeagenError } from '../../shared/errors.ts';
import { isCorrect } from '../../shared/judging.ts';
import { faultsOf } from '../ordinary/check.ts';
import { type Comparison, compareWith } from '../ordinary/comparer.ts';
import { OrdinaryEngine } from '../ordinary/engine.ts';
import type { Fixture } from '../ordinary/fixture.ts';

const { values: flags } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3' },
    generations: { type: 'string', default: '8' },
    population: { type: 'string', default: '8' },
    calls: { type: 'string', default: '5000' },
    only: { type: 'string' },
    variants: { type: 'boolean', default: false },
    untyped: { type: 'boolean', default: false },
    fixtures: { type: 'string', default: new URL('../ordinary/fixtures.ts', import.meta.url).pathname },
  },
});
const calls = Number(flags.calls);
const size = { generations: Number(flags.generations), population: Number(flags.population) };
const seeds = Array.from({ length: Number(flags.seeds) }, (_, index) => index + 1);
/** Other random calls than those that the corpus checks itself with. */
const CALLS_SEED = 1000;

interface Announcement {
  readonly seed: number;
  readonly text: string;
  readonly comparison: Comparison;
  readonly sessions: number;
}

async function announcements(engine: OrdinaryEngine, fixture: Fixture): Promise<{ found: Announcement[]; said: string }> {
  const found: Announcement[] = [];
  let said = '';
  for (const seed of seeds) {
    const { announced, summary } = await engine.search(fixture, { seed, ...size });
    const { confidence } = summary;
    if (confidence !== undefined) said = `${isVerified(confidence) ? 'verified' : 'amber'}: ${describeConfidence(confidence)}`;
    if (announced === undefined) continue;
    const sessions = fixture.sessions(CALLS_SEED + seed, calls);
    const { results } = await compareWith(fixture, [announced], sessions);
    for (const comparison of results) found.push({ seed, text: announced, comparison, sessions: sessions.length });
  }
  return { found, said };
}

/** Prints the changes of a function that are judged wrongly; returns how many, and of how many. */
async function judgeVariants(engine: OrdinaryEngine, { name, ...rest }: Fixture): Promise<{ mistaken: number; of: number }> {
  let mistaken = 0;
  if (rest.calls.length > 0) for (const fault of await faultsOf({ name, ...rest }, CALLS_SEED)) console.log(`${name}: ${fault}`);
  for (const { kind, title, text } of rest.variants) {
    const { outcome } = await engine.judge({ name, ...rest }, text);
    if (isCorrect(outcome) === (kind === 'honest')) continue;
    mistaken++;
    console.log(`${name}: ${kind} "${title}": ${outcome.kind} ${outcome.detail.split('\n')[0]}`);
  }
  return { mistaken, of: rest.variants.length };
}

const { fixtures }: { fixtures: readonly Fixture[] } = await import(resolve(flags.fixtures));
const only = flags.only?.split(',');
const chosen = fixtures
  .filter(({ name }) => only === undefined || only.includes(name))
  .map((fixture) => (flags.untyped ? { ...fixture, calls: [] } : fixture));
const engine = await OrdinaryEngine.open();
let announced = 0;
let wrong = 0;
if (flags.variants) {
  let of = 0;
  for (const fixture of chosen) {
    const judged = await judgeVariants(engine, fixture).catch((error: unknown) => {
      if (!(error instanceof PeagenError)) throw error;
      // Nothing is believed of it.
      console.log(`${fixture.name}: ${error.message}`);
      return { mistaken: 0, of: 0 };
    });
    wrong += judged.mistaken;
    of += judged.of;
  }
  await engine.close();
  console.log(`\n${wrong} wrong of ${of} verdicts`);
  process.exit(wrong > 0 ? 1 : 0);
}
try {
  console.log('| function | announced | wrong | wrong sessions | s | confidence |\n| --- | --- | --- | --- | --- | --- |');
  for (const fixture of chosen) {
    const start = performance.now();
    const { found, said } = await announcements(engine, fixture);
    const mistaken = found.filter(({ comparison }) => comparison.different > 0);
    announced += found.length;
    wrong += mistaken.length;
    const shares = mistaken.map(({ comparison, sessions }) => `${comparison.different} of ${sessions}`).join(', ');
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    console.log(
      `| ${fixture.name} | ${found.length} of ${seeds.length} | ${mistaken.length} | ${shares} | ${seconds} | ${said} |`,
    );
    for (const { seed, text, comparison } of mistaken) {
      console.error(`${fixture.name}, seed ${seed}: ${JSON.stringify(comparison.first)}\n${text}`);
    }
  }
} finally {
  await engine.close();
}
console.log(`\n${wrong} wrong of ${announced} announced, in ${chosen.length * seeds.length} searches`);
process.exitCode = wrong > 0 ? 1 : 0;
