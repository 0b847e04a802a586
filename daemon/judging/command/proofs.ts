/** Whether a command's success, and what it gains, are the program's own doing: by runs of programs that are broken on purpose. */
import type { Program } from '../../../shared/program.ts';
import { type Break, type BrokenRun, breaks, broken, disproved, drewIn } from '../forgery/counterproof.ts';
import { type DrawnRun, type DrawnRuns, drawnVerdict, MOST_DRAWS, wantedIn } from '../forgery/drawn.ts';
import type { ReportedVerdict, Timed } from '../forgery/reported.ts';
import type { CommandRun } from './run-once.ts';

/** Runs the command on a program; the text of the file `mark` is read at the end. */
export type RunMarked = (program: Program, mark: string) => Promise<CommandRun>;

/** Whether the candidate still succeeds when it is broken on purpose, and the original does not. */
export async function counterproof(candidate: Program, original: Program, run: RunMarked): Promise<string | undefined> {
  const tell = async (program: Program, how: Break): Promise<BrokenRun> => {
    const change = broken(program, how);
    if (change === undefined) return { succeeded: false, mark: undefined };
    const ran = await run(change.program, change.mark);
    return { succeeded: ran.outcome.kind === 'correct', mark: ran.read };
  };
  // Nothing is timed. Nearly every candidate fails each of them, and no more runs are needed then.
  const told = await Promise.all(breaks.map((how) => tell(candidate, how)));
  for (const [index, how] of breaks.entries()) {
    if (told[index]?.succeeded !== true) continue;
    // It is run twice, since a failure by chance proves nothing.
    let why: string | undefined;
    for (const candidates of [told[index], undefined]) {
      why = disproved(how, await tell(original, how), candidates ?? (await tell(candidate, how)));
      if (why === undefined) break;
    }
    if (why !== undefined) return `${why}, which the original does not: its success is forged.`;
  }
  return undefined;
}

/**
 * What the candidate gains where it cannot know whether it is broken. `plain`: runs of both programs as they are. Ends as soon as
 * the runs decide, or when it is late.
 */
export async function drawnProof(
  candidate: Program,
  original: Program,
  plain: Readonly<Record<'original' | 'candidate', readonly Timed[]>>,
  run: RunMarked,
  late: () => boolean,
): Promise<ReportedVerdict> {
  const runs = { original: [] as DrawnRun[], candidate: [] as DrawnRun[] };
  const draw = async (which: keyof DrawnRuns): Promise<void> => {
    const change = broken(which === 'original' ? original : candidate, 'draw');
    if (change === undefined) return;
    const { outcome, ms, wallMs, read } = await run(change.program, change.mark);
    const succeeded = outcome.kind === 'correct';
    runs[which].push({ drew: drewIn({ mark: read }), succeeded, timed: { reported: ms, wall: wallMs } });
  };
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    for (const which of wantedIn(runs)) await draw(which);
    const verdict = drawnVerdict(plain, runs, draws === MOST_DRAWS - 1 || late());
    if (verdict !== undefined) return verdict;
  }
  return { leastMs: 0, unverified: true };
}
