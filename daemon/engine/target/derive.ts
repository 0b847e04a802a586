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
import type { TaskClient } from '../task-client.ts';
import { namedExecuteTask } from '../tasks.ts';

/** Milliseconds of making calls; what an ordinary function needs is less. */
const WITHIN_MS = 2000;
/** Derivations that are remembered. */
const REMEMBERED = 32;

export interface Derivable {
  readonly program: Program;
  readonly evaluator: Evaluator;
  /** `options.calls` may be missing. */
  readonly spec: EvaluatorSpec;
  /** Calls found in doctests and in the workspace. */
  readonly examples: Call[];
  /** Nothing ends early where the machine is slow. */
  readonly deterministic: boolean;
}

export class Derivations {
  private readonly taskClient: () => Promise<Pick<TaskClient, 'run'>>;
  private readonly made = new Map<string, Promise<Derivation>>();

  constructor(taskClient: () => Promise<Pick<TaskClient, 'run'>>) {
    this.taskClient = taskClient;
  }

  /** The same for the same program, options and examples. Throws `original_fails` when no call can enter the function. */
  of(asked: Derivable): Promise<Derivation> {
    const { program, spec, examples, deterministic } = asked;
    const sha256 = programSha(program);
    const key = createHash('sha256')
      .update(JSON.stringify([sha256, spec, examples, deterministic]))
      .digest('hex');
    const known = this.made.get(key);
    if (known !== undefined) return known;
    const making = this.make(asked, createRandom('derive', sha256).int(2 ** 32));
    this.made.set(key, making);
    for (const oldest of [...this.made.keys()].slice(0, -REMEMBERED)) this.made.delete(oldest);
    // What failed may go better the next time.
    making.catch(() => this.made.delete(key));
    return making;
  }

  private async make({ program, evaluator, spec, examples, deterministic }: Derivable, seed: number): Promise<Derivation> {
    const payload: ExecutePayload = {
      mode: 'derive',
      derive: { seed, within_ms: WITHIN_MS, examples },
      program,
      basis: { evaluator: spec, original: program, data: null },
      deterministic,
      effort: 'quick',
    };
    const task = namedExecuteTask({ key: newTaskId() }, 'derive', payload, evaluator.requires(program.language));
    const data = ExecuteData.parse(await (await this.taskClient()).run(task, new AbortController().signal));
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
