/** `peagen runs diff [RUN] [OTHER]`: the changes of a run's best program, or two runs next to each other. */
import { PeagenError } from '../../../shared/errors.ts';
import { plainGain } from '../../../shared/gain.ts';
import type { RunId } from '../../../shared/ids.ts';
import type { Elite } from '../../../shared/niche.ts';
import { type FileChange, unifiedDiff } from '../../../shared/patch/unified.ts';
import { ReportRun, type RunReport } from '../../../shared/protocol/report.ts';
import { GetElite, ListElites, ListRuns } from '../../../shared/protocol/runs.ts';
import type { RunInfo } from '../../../shared/run.ts';
import { printDocument, printResult } from '../output.ts';
import { runId, runOrNewest } from '../run-id.ts';
import { type CommandSession, openSession, type SessionOptions } from '../session.ts';
import { stateText } from '../words.ts';

export async function diffRuns(one: string | undefined, other: string | undefined, options: SessionOptions): Promise<void> {
  const session = await openSession(options, process.cwd());
  try {
    const run = await runOrNewest(session, one);
    if (other === undefined) {
      const diff = await announcedDiff(session, run);
      if (options.json === true) printResult(options, { run, diff }, '');
      else printDocument(diff);
      return;
    }
    const sides = [await sideOf(session, run), await sideOf(session, runId(other))] as const;
    const result = { runs: sides.map(asJson), niches: nichesOf(sides), diff: bestDiff(sides) };
    if (options.json === true) printResult(options, result, '');
    else
      printDocument(
        `${tableOf(sides).join('\n')}\n\n${result.diff === '' ? 'Their best programs are the same.\n' : result.diff}`,
      );
  } finally {
    await session.close();
  }
}

/** Throws `not_found` where nothing was announced. */
async function announcedDiff({ client }: CommandSession, run: RunId): Promise<string> {
  await client.request(ListElites, { run });
  const sha256 = (await client.request(ListRuns, {})).find((each) => each.run === run)?.ending?.best?.sha256;
  if (sha256 !== undefined) return unifiedDiff((await client.request(GetElite, { run, sha256 })).changes);
  throw new PeagenError('not_found', `Run ${run} has announced no best program.`, {
    hint: 'See "peagen runs show" for what it did.',
  });
}

interface Side {
  readonly info: RunInfo;
  readonly report: RunReport;
  readonly elites: readonly Elite[];
  /** Returns the changed files, from the original to what the run announced, else to its best so far. */
  readonly changes: readonly FileChange[];
}

type Sides = readonly [Side, Side];

async function sideOf({ client }: CommandSession, run: RunId): Promise<Side> {
  const elites = await client.request(ListElites, { run });
  const info = (await client.request(ListRuns, {})).find((each) => each.run === run);
  if (info === undefined)
    throw new PeagenError('not_found', `There is no run ${run} in this folder.`, { hint: 'See "peagen runs list".' });
  const best = info.ending?.best?.sha256 ?? elites.toSorted((a, b) => b.fitness - a.fitness)[0]?.sha256;
  const changes = best === undefined ? [] : (await client.request(GetElite, { run, sha256: best })).changes;
  return { info, report: await client.request(ReportRun, { run }), elites, changes };
}

/** From the best program of the first to that of the second; a file that only one changes is the original's in the other. */
function bestDiff([one, other]: Sides): string {
  const paths = new Set([...one.changes, ...other.changes].map(({ path }) => path));
  const textIn = (side: Side, path: string): string | undefined => side.changes.find((change) => change.path === path)?.after;
  const original = (path: string): string => [...one.changes, ...other.changes].find((each) => each.path === path)?.before ?? '';
  const changes = [...paths].map((path) => ({
    path,
    before: textIn(one, path) ?? original(path),
    after: textIn(other, path) ?? original(path),
  }));
  return unifiedDiff(changes.filter(({ before, after }) => before !== after));
}

function nichesOf([one, other]: Sides): { both: number; only: [number, number] } {
  const inOne = new Set(one.elites.map(({ niche }) => niche));
  const inOther = new Set(other.elites.map(({ niche }) => niche));
  const both = [...inOne].filter((niche) => inOther.has(niche)).length;
  return { both, only: [inOne.size - both, inOther.size - both] };
}

function asJson({ info, report }: Side) {
  const { run, target, generation, candidates, evaluated, correct, tokens, stopped } = info;
  const gain = plainGain(info) ?? null;
  return { run, target, gain, generation, candidates, evaluated, correct, tokens, stopped, cost: report.total.cost };
}

function tableOf(sides: Sides): string[] {
  const { both, only } = nichesOf(sides);
  const row = (name: string, ...values: readonly [string, string]): string =>
    `${name.padEnd(12)} ${values.map((value) => value.padEnd(24)).join(' ')}`.trimEnd();
  const each = (name: string, value: (side: Side) => string): string => row(name, value(sides[0]), value(sides[1]));
  const isPaid = sides.some(({ info }) => info.tokens.prompt + info.tokens.completion > 0);
  return [
    each('run', ({ info }) => info.run),
    each('function', ({ info: { target } }) => [target.path, target.entry_fn ?? []].flat().join(' ')),
    each('best', ({ info }) => plainGain(info) ?? 'no improvement'),
    each('candidates', ({ info }) => `${info.candidates}, ${info.correct} correct`),
    each('generations', ({ info }) => `${info.generation}`),
    each('made by', ({ report }) => Object.keys(report.byMutator).join(', ')),
    ...(isPaid
      ? [
          each('tokens', ({ info: { tokens } }) => `${tokens.prompt + tokens.completion}`),
          each('cost', ({ report: { total } }) => (total.cost === null ? 'price unknown' : `$${total.cost.toFixed(4)}`)),
        ]
      : []),
    each('ended by', ({ info }) => stateText(info)),
    row('niches', ...(only.map((alone) => `${both + alone}, ${both} in both`) as [string, string])),
  ];
}
