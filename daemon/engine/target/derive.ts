/**
 * Makes calls for a function before it is judged: more than the user gave, half of them held out. Through a task, and once
 * for the same program and inputs, so that a plan and the run that follows it judge by the same calls.
 */
import { createHash } from 'node:crypto';
import type { Confidence } from '../../../shared/confidence.ts';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import { type Call, type EvaluatorSpec, FunctionOptions } from '../../../shared/judging.ts';
import { type Derivation, ExecuteData, type ExecutePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import { programSha } from '../../evolution/hash.ts';
import type { Evaluator } from '../../judging/evaluator.ts';
import { createRandom } from '../../random.ts';
import { type TaskClient, whileWanted } from '../task-client.ts';
import { namedExecuteTask } from '../tasks.ts';

/** Milliseconds of making calls; what an ordinary function needs is less. */
const WITHIN_MS = 2000;
/** Derivations that are remembered. */
const REMEMBERED = 32;

interface Derivable {
  readonly program: Program;
  readonly evaluator: Evaluator;
  /** `options.calls` may be missing. */
  readonly spec: EvaluatorSpec;
  /** Calls found in doctests and in the workspace. */
  readonly examples: Call[];
  /** Nothing ends early where the machine is slow. */
  readonly deterministic: boolean;
}

/** Makes the calls for what is judged. */
export interface CallMaker {
  of(asked: Derivable): Promise<Derivation>;
}

interface Making {
  readonly derivation: Promise<Derivation>;
  /** The callers that wait for it: the last one to leave ends it. Infinite once it is made. */
  waiting: number;
  readonly aborter: AbortController;
}

export class Derivations implements CallMaker {
  private readonly taskClient: () => Promise<Pick<TaskClient, 'run' | 'cancel'>>;
  private readonly made = new Map<string, Making>();

  constructor(taskClient: () => Promise<Pick<TaskClient, 'run' | 'cancel'>>) {
    this.taskClient = taskClient;
  }

  /** The same for the same program, options and examples. Throws `original_fails` when no call can enter the function. */
  of(asked: Derivable, signal?: AbortSignal): Promise<Derivation> {
    signal?.throwIfAborted();
    const { program, spec, examples, deterministic } = asked;
    const sha256 = programSha(program);
    const key = createHash('sha256')
      .update(JSON.stringify([sha256, spec, examples, deterministic]))
      .digest('hex');
    const making = this.made.get(key) ?? this.begin(key, asked, createRandom('derive', sha256).int(2 ** 32));
    making.waiting++;
    signal?.addEventListener('abort', () => {
      if (--making.waiting > 0) return;
      this.forget(key, making);
      making.aborter.abort(signal.reason);
    });
    return making.derivation;
  }

  /** The same for a request that may be withdrawn. */
  until(signal: AbortSignal): CallMaker {
    return { of: (asked) => this.of(asked, signal) };
  }

  private begin(key: string, asked: Derivable, seed: number): Making {
    const aborter = new AbortController();
    const making: Making = { derivation: this.make(asked, seed, aborter.signal), waiting: 0, aborter };
    this.made.set(key, making);
    for (const oldest of [...this.made.keys()].slice(0, -REMEMBERED)) this.made.delete(oldest);
    // What failed may go better the next time.
    making.derivation.then(
      () => (making.waiting = Number.POSITIVE_INFINITY),
      () => this.forget(key, making),
    );
    return making;
  }

  private forget(key: string, making: Making): void {
    if (this.made.get(key) === making) this.made.delete(key);
  }

  private async make(
    { program, evaluator, spec, examples, deterministic }: Derivable,
    seed: number,
    signal: AbortSignal,
  ): Promise<Derivation> {
    const payload: ExecutePayload = {
      mode: 'derive',
      derive: { seed, within_ms: WITHIN_MS, examples },
      program,
      basis: { evaluator: spec, original: program, data: null },
      deterministic,
      effort: 'quick',
    };
    const task = namedExecuteTask({ key: newTaskId() }, 'derive', payload, evaluator.requires(program.language));
    const data = ExecuteData.parse(await whileWanted(await this.taskClient(), signal, (client) => client.run(task, signal)));
    if (data.derivation === undefined) throw new PeagenError('internal', `The evaluator ${evaluator.name} derived no calls.`);
    return data.derivation;
  }
}

/** Whether more calls are made for what this evaluator judges. */
export function derives(evaluator: Evaluator, { evaluate }: Config): boolean {
  return evaluate.derive && evaluator.derive !== undefined;
}

/** The options with the derived calls, the given held-out ones first among those that are held out. */
export function withDerived(
  spec: EvaluatorSpec,
  given: readonly Call[],
  { calls, derived, heldout, longer, confidence }: Derivation,
): { spec: EvaluatorSpec; confidence: Confidence } {
  const known = new Set(given.map((call) => JSON.stringify(call)));
  const fresh = (call: Call): boolean => !known.has(JSON.stringify(call));
  const options = {
    ...spec.options,
    calls,
    derived: derived.filter(fresh),
    heldout: [...given, ...heldout.filter(fresh)],
    longer,
  };
  return { spec: { ...spec, options }, confidence: { ...confidence, given: confidence.given + given.length } };
}

/** What a match rests on where only the given calls are compared. */
export function confidenceInGiven({ options }: EvaluatorSpec): Confidence {
  const { calls, heldout, ignore_effects: ignored } = FunctionOptions.parse(options);
  return {
    given: calls.length + heldout.length,
    derived: 0,
    heldout: 0,
    attacked: 0,
    lines: { hit: 0, of: 0 },
    rejections: { hit: 0, of: 0 },
    mutants: { hit: 0, of: 0 },
    dropped: { slow: 0, unstable: 0 },
    ignored,
    limits: ['Only the given calls are compared: deriving more of them is turned off.'],
  };
}
