/** The calls that Peagen makes for a function, as a table for a user: what each is for, and what the original did on it. */
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import { type Call, FunctionOptions } from '../../../shared/judging.ts';
import type { DerivedInput, DerivedInputs, DeriveInputsRequest } from '../../../shared/protocol/judging.ts';
import type { CallOutput } from '../../../shared/protocol/runs.ts';
import type { TargetSpec } from '../../../shared/run-spec.ts';
import { loadTarget } from '../../evolution/target.ts';
import { likeliestCall } from '../../judging/inputs/seeds.ts';
import { entrySource } from '../../judging/inputs/source.ts';
import type { Registry } from '../../registry.ts';
import { execute } from '../ending/confirm.ts';
import { type TaskClient, whileWanted } from '../task-client.ts';
import type { Derivations } from './derive.ts';
import { resolveJudging } from './resolve.ts';

/** Throws `not_found` when the target names no function. */
export async function exampleCall(target: TargetSpec): Promise<Call> {
  const { program, entry } = await loadTarget(target);
  const file = program.files.find(({ path }) => path === target.path);
  if (entry === undefined)
    throw new PeagenError('not_found', `No function of ${target.path} is named.`, { hint: 'Name one as entry_fn.' });
  const source = await entrySource(program.language, file?.text ?? '', entry.fn);
  return source === undefined ? { args: [], kwargs: {} } : likeliestCall(source);
}

export interface DeriveInputsDeps {
  readonly config: Config;
  readonly registry: Registry;
  readonly taskClient: Pick<TaskClient, 'run' | 'cancel'>;
  readonly derivations: Derivations;
}

/** Asked for, calls are made also where [evaluate] derive is off. Throws `original_fails` when no call enters the function. */
export async function deriveInputs(
  { target, inputs }: DeriveInputsRequest,
  { config, registry, taskClient, derivations }: DeriveInputsDeps,
  signal: AbortSignal,
): Promise<DerivedInputs> {
  const { heldout: _, ...evaluate } = config.evaluate;
  const judged = await resolveJudging(
    { target, evaluator: { name: 'function', options: inputs === undefined ? {} : { inputs } } },
    { ...config, evaluate: { ...evaluate, derive: true } },
    registry,
    derivations.until(signal),
  );
  const { program, evaluator, spec, confidence } = judged;
  if (confidence === undefined) throw new PeagenError('internal', 'The function evaluator compares no calls.');
  signal.throwIfAborted();
  const basis = { evaluator: spec, original: program, data: null };
  const scope = { key: newTaskId() };
  const made = await whileWanted(taskClient, signal, (client) =>
    execute({ scope, taskClient: client, evaluator, basis, signal }, 'table', program, {
      mode: 'basis',
      deterministic: true,
      effort: 'quick',
    }),
  );
  const outputs = made.basis === undefined ? undefined : evaluator.outputs?.(made.basis);
  const { calls, derived, heldout, longer } = FunctionOptions.parse(spec.options);
  const rows = (list: readonly Call[], use: DerivedInput['use'], came: readonly CallOutput[] = []): DerivedInput[] =>
    list.map((call, i) => ({ call, use, ...resultOf(came[i]) }));
  return {
    inputs: [
      ...rows(calls, inputs === undefined ? 'timed' : 'given', outputs?.calls),
      ...rows(longer, 'timed', outputs?.longer),
      ...rows(derived, 'visible', outputs?.derived),
      ...rows(heldout, 'heldout', outputs?.heldout),
    ],
    confidence,
  };
}

function resultOf(output: CallOutput | undefined): Pick<DerivedInput, 'returned' | 'raised'> {
  const { returned, raised } = output ?? {};
  return { ...(returned === undefined ? {} : { returned }), ...(raised === undefined ? {} : { raised }) };
}
