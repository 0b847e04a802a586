/**
 * `npm run bench -- offline [--candidates N] [NAME…]`: the offline mutator on ordinary functions, each by a real run of the
 * command line with sandboxes and timing. The functions in `offline/python` are those that the operators were written for;
 * those in `offline/javascript` were written while the last of them changed. Those in `offline/unseen` were written after that, and
 * no operator was changed for them. Prints the speed-up of each and how many reach 1.5 times.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RunSummary } from '../../shared/run.ts';

const { values, positionals } = parseArgs({
  options: { candidates: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
  allowPositionals: true,
});
const PER_GENERATION = 8;
const GOAL = 1.5;
const peagen = join(import.meta.dirname, '..', '..', 'daemon', 'cli', 'main.ts');

interface Sample {
  readonly set: string;
  readonly file: string;
  readonly fn: string;
}

function samples(): Sample[] {
  return ['python', 'javascript', 'unseen'].flatMap((set) => {
    const folder = join(import.meta.dirname, 'offline', set);
    return readdirSync(folder)
      .sort()
      .map((file) => {
        const fn = /^(?:def|export function) (\w+)/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? '';
        return { set, file, fn };
      });
  });
}

/** The measured speed-up of the announced best, or why there is none. */
function evolve({ set, file, fn }: Sample): number | string {
  const folder = mkdtempSync(join(tmpdir(), 'peagen-offline-'));
  try {
    copyFileSync(join(import.meta.dirname, 'offline', set, file), join(folder, file));
    const generations = Math.ceil(Number(values.candidates) / PER_GENERATION);
    const how = ['--sync', '--json', '--mutator', 'structural', '--no-improve', `${generations}`, '--seed', values.seed];
    const size = ['--generations', `${generations}`, '--population', `${PER_GENERATION}`];
    const target = ['--target-file', file, '--entry-fn', fn, '--inputs', `${file}:inputs`];
    const ran = spawnSync(process.execPath, [peagen, 'evolve', 'run', ...target, ...how, ...size], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (ran.status !== 0) return (ran.stderr.trim().split('\n').at(-1) ?? '').slice(0, 100);
    const { best } = RunSummary.parse(JSON.parse(ran.stdout.trim().split('\n').at(-1) ?? ''));
    return best?.speedup ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const chosen = samples().filter(({ file }) => positionals.length === 0 || positionals.some((name) => file.startsWith(name)));
const reached = new Map<string, { won: number; of: number }>();
process.stdout.write(`set         function            speed-up   (${values.candidates} candidates, seed ${values.seed})\n`);
for (const sample of chosen) {
  const found = evolve(sample);
  const tally = reached.get(sample.set) ?? { won: 0, of: 0 };
  const won = typeof found === 'number' && found >= GOAL ? 1 : 0;
  reached.set(sample.set, { won: tally.won + won, of: tally.of + 1 });
  const text = typeof found === 'number' ? `${found.toFixed(2)}×` : found;
  process.stdout.write(`${sample.set.padEnd(12)}${sample.fn.padEnd(20)}${text}\n`);
}
for (const [set, { won, of }] of reached) process.stdout.write(`${set}: ${won} of ${of} reach ${GOAL}×\n`);
