/** What a run knows of the programs that were judged in it, by their hashes. */
import type { Sha256 } from '../../../../shared/ids.ts';
import { type Counterexample, describeCounterexample, isCorrect } from '../../../../shared/judging.ts';
import { ORIGINAL } from '../../../../shared/original.ts';
import type { ArchiveEntry } from '../../../evolution/evodb.ts';
import type { Memory } from '../../mutate/memory.ts';
import type { KnownProgram } from './slots.ts';

export class KnownPrograms extends Map<string, KnownProgram> {
  readonly counts = { made: 0, evaluated: 0, correct: 0, overfit: 0 };

  /** Keeps what was found out about a candidate, and counts it. */
  learn(sha256: Sha256, known: KnownProgram): void {
    this.set(sha256, known);
    this.counts.evaluated++;
    if (isCorrect(known.outcome)) this.counts.correct++;
    if (known.outcome.kind === 'overfit') this.counts.overfit++;
  }

  /** A candidate that had seemed to be correct is not. */
  relearn(sha256: Sha256, known: KnownProgram): void {
    if (isCorrect(this.get(sha256)?.outcome ?? known.outcome)) this.counts.correct--;
    if (known.outcome.kind === 'overfit') this.counts.overfit++;
    this.set(sha256, known);
  }

  /** Remembers what went wrong for the next prompts. The call on which an overfit program failed is held out no longer. */
  failInto(memory: Memory, sha256: Sha256): void {
    memory.fail(this.failureOf(sha256), sha256);
    const { kind, counterexample } = this.get(sha256)?.outcome ?? {};
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
    // What was only made smaller has had no place in the search.
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

  /** As the archive takes it. `index`: of its slot. */
  entry(sha256: Sha256, generation: number, index: number, features: number[]): ArchiveEntry {
    const known = this.get(sha256);
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
    };
  }
}
