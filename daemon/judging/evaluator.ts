/**
 * The contract of an evaluator: judges one program, in sandboxes that it asks for. Correctness first; a wrong candidate is
 * not timed.
 */
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { EvaluatorSpec, Execution, HotLine } from '../../shared/judging.ts';
import type {
  AttackOptions,
  AttackReport,
  Basis,
  Derivation,
  DeriveOptions,
  EffortName,
  SearchRole,
} from '../../shared/payloads.ts';
import type { Program } from '../../shared/program.ts';
import type { CallOutputs } from '../../shared/protocol/runs.ts';
import type { SandboxFactory } from '../executors/sandbox.ts';
import type { Log } from '../telemetry/log.ts';

export interface EvaluatorContext {
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly sandboxes: SandboxFactory;
  readonly deterministic: boolean;
  /** Speed-up over the original that the candidate must beat to be of interest. */
  readonly toBeat: number | undefined;
  /** Speed-up of the best so far. */
  readonly best?: number | undefined;
  /** Standard deviation of the logarithm of a pair of readings, pooled over the run; undefined at its start. */
  readonly noise?: number | undefined;
  readonly effort: EffortName;
  /** The seed of the random generators, where scores vary. */
  readonly seed?: number | undefined;
  /** Pairs to take in a search, whatever they show; undefined: as many as the race needs. */
  readonly pairs?: number | undefined;
  readonly role?: SearchRole | undefined;
  /** Kilobytes of a program that is known to be correct by its role. */
  readonly peakKb?: number | undefined;
  /** Milliseconds after which measuring ends, once it has looked as often as `compare` does. */
  readonly withinMs?: number | undefined;
}

export interface Evaluator {
  readonly name: string;
  /** The metric that fitness is made of unless the configuration says otherwise. */
  readonly metric: string;
  /** Every metric that it can give; absent where that depends on its options or on what it runs. */
  readonly metrics?: readonly string[];
  /** Parses the options. Throws `invalid_input` that names the option, the value and the fix. */
  parse(spec: EvaluatorSpec): void;
  /** Capability tags a worker needs for a program of this language, in addition to `cpu`. */
  requires(language: string): string[];
  /**
   * Judges the original and makes what candidates are compared with. Throws `original_fails` when it fails on the inputs; see
   * OriginalFails.
   */
  prepare(original: Program, spec: EvaluatorSpec, context: EvaluatorContext): Promise<{ basis: Basis; execution: Execution }>;
  judge(candidate: Program, basis: Basis, context: EvaluatorContext): Promise<Execution>;
  /**
   * Makes more calls for the original from the given ones (`spec.options.calls`, may be missing), its source and the hints.
   * Deterministic for a seed. Throws `original_fails` when no call can enter the function.
   */
  derive?(original: Program, spec: EvaluatorSpec, how: DeriveOptions, context: EvaluatorContext): Promise<Derivation>;
  /** Looks for a call on which the candidate differs from the original: property-based search with shrinking. */
  attack?(candidate: Program, basis: Basis, how: AttackOptions, context: EvaluatorContext): Promise<AttackReport>;
  /** The lines of a correct program that most of its work is done in, counted in a run that nothing is timed in. */
  lines?(program: Program, basis: Basis, context: EvaluatorContext): Promise<HotLine[]>;
  /** What the original did on its inputs, for a user; of evaluators that make calls. */
  outputs?(basis: Basis): CallOutputs;
}

/**
 * The original fails, and what is right can be found out without it (by a test command, say): another program may pass. An
 * evaluator that takes the original as its oracle throws a plain `original_fails`.
 */
export class OriginalFails extends PeagenError {
  readonly execution: Execution;

  constructor(message: string, hint: string, execution: Execution) {
    super('original_fails', message, { hint: `${hint} Or evolve with a language model, which fixes it.` });
    this.execution = execution;
  }
}

declare module '../registry.ts' {
  interface PluginKinds {
    evaluator: (config: Config) => Evaluator;
  }
}
