/** What becomes of a user's edits of the target while a run searches: each is judged by itself before the run goes over to it. */
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { Program } from '../../../shared/program.ts';
import type { TargetSpec } from '../../../shared/run-spec.ts';
import { programSha } from '../../evolution/hash.ts';
import { syntaxError } from '../../evolution/syntax/parse.ts';
import { loadTarget } from '../../evolution/target.ts';
import type { Log } from '../../telemetry/log.ts';
import { type Failing, isFailing, originalFails, type Prepared } from './baseline.ts';

interface EditsDeps {
  readonly target: TargetSpec;
  /** Belongs to the program that is the original now. */
  original(): Sha256;
  /** There is a search that can go over to another original. */
  isSearching(): boolean;
  prepare(program: Program): Promise<Prepared | Failing>;
  /** There is a next original. */
  ready(): void;
  readonly signal: AbortSignal;
  readonly log: Log;
}

type Next = Prepared & { readonly program: Program };

export class Edits {
  private readonly deps: EditsDeps;
  private next: Next | undefined;
  private refused: string | undefined;

  constructor(deps: EditsDeps) {
    this.deps = deps;
  }

  /** Why the run goes on with an older text than the file has, in one line. */
  get notice(): string | undefined {
    return this.refused;
  }

  /** Prepares the text to be the original. One that is not a target, or fails, changes nothing. */
  async hear(text: string): Promise<void> {
    const { target, log, signal } = this.deps;
    try {
      const { program } = await loadTarget({ ...target, text });
      this.refused = undefined;
      if (programSha(program) === this.deps.original() || !this.deps.isSearching()) return;
      const error = await syntaxError(program);
      if (error !== undefined) throw new PeagenError('invalid_input', `It does not parse: ${error}`);
      const prepared = await this.deps.prepare(program);
      if (isFailing(prepared)) throw originalFails(prepared);
      this.next = { program, ...prepared };
      this.deps.ready();
    } catch (caught) {
      const error = PeagenError.from(caught);
      if (signal.aborted) return;
      this.refused = `${target.path} was edited, and the run goes on with the text that it had before. ${error.message}`;
      log.warn({ err: error }, 'the edited file cannot be the new original; the run goes on with the old one');
    }
  }

  /** The edited target, judged by itself, for the search that has ended for it. */
  take(): Next {
    const { next } = this;
    if (next === undefined) throw new PeagenError('internal', 'There is nothing to rebase on.');
    this.next = undefined;
    return next;
  }
}
