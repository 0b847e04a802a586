/** What a run knows of the programs that were judged in it, by their hashes. */
import type { Sha256 } from '../../../../shared/ids.ts';
import { type Counterexample, describeCounterexample, isCorrect } from '../../../../shared/judging.ts';
import { ORIGINAL } from '../../../../shared/original.ts';
import type { ArchiveEntry } from '../../../evolution/evodb.ts';
import type { Memory } from '../../mutate/memory.ts';
import type { KnownProgram } from './slots.ts';

/** A lineage is looked at no further. */
const MOST_STEPS = 500;

export class KnownPrograms extends Map<string, KnownProgram> {
  readonly counts = { made: 0, evaluated: 0, correct: 0, overfit: 0 };

  /** Keeps what was found out about a candidate, and counts it. */
  learn(sha256: Sha256, known: KnownProgram): void {
    this.set(sha256, known);
    this.counts.evaluated++;
    if (isCorrect(known.outcome)) this.counts.correct++;
    if (known.outcome.kind === 'overfit') this.counts.overfit++;
  }

  /** A candidate that seemed to be correct is wrong. */
  relearn(sha256: Sha256, known: KnownProgram): void {
    if (isCorrect(this.get(sha256)?.outcome ?? known.outcome)) this.counts.correct--;
    if (known.outcome.kind === 'overfit') this.counts.overfit++;
    this.set(sha256, known);
  }

  /** Remembers what was changed and what went wrong, for the next mutators. The call on which an overfit program failed is held out no longer. */
  failInto(memory: Memory, sha256: Sha256): void {
    const { origin, outcome } = this.get(sha256) ?? {};
    memory.fail(origin?.summary ?? '', this.failureOf(sha256), sha256);
    const { kind, counterexample } = outcome ?? {};
    if (kind === 'overfit' && counterexample !== undefined) memory.reveal(counterexample);
  }

  /** `fitness`: null when it fails by itself. */
  addOriginal(
    { sha256, object }: { readonly sha256: Sha256; readonly object: Sha256 },
    judged: Pick<KnownProgram, 'outcome' | 'metrics' | 'fitness' | 'artifacts'>,
  ): void {
    this.set(sha256, { object, ...judged, origin: { parents: [], mutator: ORIGINAL, summary: 'the original' }, generation: 0 });
  }

  /** A program that was right in the search differs from the original on a fresh call. */
  refute(sha256: Sha256, counterexample: Counterexample, fn: string | undefined): void {
    const known = this.get(sha256);
    // A program that was only made smaller was never part of the search.
    if (known === undefined) return;
    const detail = `Right on the calls that were shown, wrong on others: ${describeCounterexample(counterexample, fn)}`;
    this.set(sha256, { ...known, outcome: { kind: 'overfit', counterexample, detail }, fitness: null });
  }

  /** What went wrong with a program, for the next prompt. */
  failureOf(sha256: Sha256): string {
    const known = this.get(sha256);
    if (known === undefined) return '';
    const { kind, detail } = known.outcome;
    return `${known.origin.summary.replace(/[.:]$/, '')}: ${kind}${detail && `: ${detail}`}`;
  }

  /** The summary of the step that gained most on the way from the original, along the better parents; undefined if it is its own. */
  gainedBy(sha256: Sha256): string | undefined {
    const steps: { readonly to: Sha256; readonly before: number; readonly after: number }[] = [];
    for (let at = this.get(sha256), to = sha256; at !== undefined && steps.length < MOST_STEPS; ) {
      const better = this.betterParent(at.origin.parents);
      if (better === undefined) break;
      steps.push({ to, before: better.fitness, after: at.fitness ?? better.fitness });
      to = better.sha256;
      at = this.get(to);
    }
    // A speed-up is a ratio; a metric that can be negative is not.
    const areRatios = steps.every(({ before }) => before > 0);
    const gains = steps.map(({ before, after }) => (areRatios ? after / before - 1 : after - before));
    const most = gains.reduce((best, gain, i) => (gain > (gains[best] ?? 0) ? i : best), 0);
    const step = steps[most];
    return step === undefined || step.to === sha256 ? undefined : this.get(step.to)?.origin.summary;
  }

  private betterParent(parents: readonly Sha256[]): { readonly sha256: Sha256; readonly fitness: number } | undefined {
    const judged = parents.flatMap((sha256) => {
      const fitness = this.get(sha256)?.fitness ?? null;
      return fitness === null ? [] : [{ sha256, fitness }];
    });
    return judged.sort((a, b) => b.fitness - a.fitness)[0];
  }

  /** As the archive takes it. `index`: of its slot. */
  entry(sha256: Sha256, generation: number, index: number, features: number[]): ArchiveEntry {
    const known = this.get(sha256);
    const gained = this.gainedBy(sha256);
    return {
      sha256,
      fitness: known?.fitness ?? 0,
      features,
      metrics: known?.metrics ?? {},
      generation,
      index,
      parents: known?.origin.parents ?? [],
      mutator: known?.origin.mutator ?? '',
      summary: known?.origin.summary ?? '',
      ...(gained === undefined ? {} : { gained }),
    };
  }
}
