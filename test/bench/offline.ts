/**
 * `npm run bench -- offline [--candidates N] [NAME…]`: the offline mutator on ordinary functions, each by a real run of the
 * command line with sandboxes and timing. README.md says when the functions of each folder in `offline` were written, next to the
 * operators. Prints the speed-up of each and how many reach 1.5 times.
 *
 * `--everyday [--seconds N]`: those in `test/fixtures/everyday`, written from a description without a look at the operators, as a newcomer
 * has them: Peagen makes the inputs, and the search stops after a minute. What is announced is compared with the original on
 * 1,000 random calls.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { Call } from '../../shared/judging.ts';
import { RunSummary } from '../../shared/run.ts';
import { compareWith } from '../ordinary/comparer.ts';
import { Draw } from '../ordinary/draw.ts';
import { drawsOf } from '../ordinary/everyday.ts';

const { values, positionals } = parseArgs({
  options: {
    candidates: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    everyday: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '60' },
  },
  allowPositionals: true,
});
const PER_GENERATION = 8;
const GOAL = 1.5;
const WIDTH = 22;
/** What is announced for those of the sets that came later is compared with the original. */
const FIRST = ['python', 'javascript', 'unseen', 'later', 'fresh'];
const SETS = [...FIRST, 'blind', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'];
const EVERYDAY = ['everyday/python', 'everyday/javascript', 'everyday/typescript'];
/** Random calls that what is announced is compared on. */
const CALLS = 1000;
const CALLS_SEED = 7;
const peagen = join(import.meta.dirname, '..', '..', 'daemon', 'cli', 'main.ts');

interface Sample {
  readonly set: string;
  readonly file: string;
  readonly fn: string;
}

const folderOf = (set: string) => join(import.meta.dirname, EVERYDAY.includes(set) ? '../fixtures' : 'offline', set);

function samples(): Sample[] {
  return (values.everyday ? EVERYDAY : SETS).flatMap((set) => {
    const folder = folderOf(set);
    return readdirSync(folder)
      .sort()
      .map((file) => {
        const text = readFileSync(join(folder, file), 'utf8');
        const names = [...text.matchAll(/^(?:def|export function) (\w+)/gm)].map(([, name = '']) => name);
        // Helpers may stand above the function that the file is named after.
        return { set, file, fn: names.find((name) => file === `${name}.py`) ?? names[0] ?? '' };
      });
  });
}

interface Found {
  /** That of the announced best; 1 without one. */
  readonly speedup: number;
  /** The whole file of what was announced. */
  readonly announced?: string;
}

/** What the search has announced, or why it failed. */
function evolve({ set, file, fn }: Sample): Found | string {
  const folder = mkdtempSync(join(tmpdir(), 'peagen-offline-'));
  try {
    copyFileSync(join(folderOf(set), file), join(folder, file));
    const generations = Math.ceil(Number(values.candidates) / PER_GENERATION);
    const size = values.everyday
      ? ['--timeout', values.seconds]
      : ['--inputs', `${file}:inputs`, '--no-improve', `${generations}`, '--generations', `${generations}`];
    const how = ['--sync', '--json', '--mutator', 'structural', '--seed', values.seed, '--population', `${PER_GENERATION}`];
    const ran = spawnSync(process.execPath, [peagen, 'evolve', 'run', '--target-file', file, '--entry-fn', fn, ...how, ...size], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (ran.status !== 0) return (ran.stderr.trim().split('\n').at(-1) ?? '').slice(0, 100);
    const { best, output } = RunSummary.parse(JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? ''));
    if (best === null || output === null) return { speedup: 1 };
    return { speedup: best.speedup, announced: readFileSync(join(output, file), 'utf8') };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const languages: Readonly<Record<string, 'python' | 'javascript' | 'typescript'>> = {
  '.py': 'python',
  '.mjs': 'javascript',
  '.ts': 'typescript',
};

/** In how many of the random calls the announced program differs from the original. */
async function mistakes({ set, file, fn }: Sample, announced: string): Promise<number> {
  const source = new Draw(CALLS_SEED);
  const make = drawsOf(file, set);
  const sessions = Array.from({ length: CALLS }, () => [Call.parse({ args: make(source) })]);
  const text = readFileSync(join(folderOf(set), file), 'utf8');
  const language = languages[extname(file)] ?? 'javascript';
  const { results } = await compareWith({ language, entry: fn, text }, [announced], sessions);
  return results[0]?.different ?? CALLS;
}

const chosen = samples().filter(({ file }) => positionals.length === 0 || positionals.some((name) => file.startsWith(name)));
const reached = new Map<string, { won: number; of: number }>();
process.stdout.write(
  `${'set'.padEnd(WIDTH)}function            speed-up   (${values.everyday ? `${values.seconds} s` : `${values.candidates} candidates`}, seed ${values.seed})\n`,
);
for (const sample of chosen) {
  const found = evolve(sample);
  const tally = reached.get(sample.set) ?? { won: 0, of: 0 };
  const wrong =
    !FIRST.includes(sample.set) && typeof found === 'object' && found.announced !== undefined
      ? await mistakes(sample, found.announced)
      : 0;
  const won = typeof found === 'object' && wrong === 0 && found.speedup >= GOAL ? 1 : 0;
  reached.set(sample.set, { won: tally.won + won, of: tally.of + 1 });
  const text = typeof found === 'string' ? found : `${found.speedup.toFixed(2)}×${wrong > 0 ? `, wrong on ${wrong} calls` : ''}`;
  process.stdout.write(`${sample.set.padEnd(WIDTH)}${sample.fn.padEnd(20)}${text}\n`);
}
for (const [set, { won, of }] of reached) process.stdout.write(`${set}: ${won} of ${of} reach ${GOAL}×\n`);
