/**
 * The execute handlers: judge one program with its evaluator, in sandboxes of the worker's own tier, and score it there:
 * another worker for a few sums would cost more than they do. One handler per interpreter, so that a worker without Python
 * never claims a Python candidate; those for containers and GPUs have a tier of their own.
 */
import * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { type Execution, isCorrect } from '../../shared/judging.ts';
import { type ExecuteData, ExecutePayload } from '../../shared/payloads.ts';
import type { CapTag, Task } from '../../shared/task.ts';
import { codeSize } from '../evolution/features.ts';
import { type CodeOrigin, codeOrigin, openSandboxes } from '../executors/open.ts';
import type { SandboxFactory } from '../executors/sandbox.ts';
import { runOnce } from '../judging/command/run-once.ts';
import { type Evaluator, type EvaluatorContext, OriginalFails } from '../judging/evaluator.ts';
import type { Registry } from '../registry.ts';
import { traced } from '../telemetry/trace.ts';
import { evaluate, loadFeatures } from './evaluate.ts';
import { withFolders } from './folders.ts';
import type { Handled, HandlerContext, TaskHandler } from './handler.ts';

/** `provides` in addition to `cpu`: what the handler's tasks may require. `tier`: the sandbox in place of the configured one. */
export function createExecuteHandler(name: string, provides: readonly CapTag[], tier?: string): TaskHandler {
  return {
    kind: 'execute',
    name,
    version: '1',
    provides: ['cpu', ...provides],
    accepts: (task) => task.kind === 'execute',
    handle: (task, context) => handle(task, context, tier),
  };
}

async function handle(task: Task, context: HandlerContext, tier: string | undefined): Promise<Handled> {
  const payload = parse(task);
  const evaluator = (await context.registry.load('evaluator', payload.basis.evaluator.name))(context.config);
  const origin = codeOrigin(context.config, task.trace?.offline === true);
  const sandboxes = await sandboxesOf(context.config, context.registry, tier ?? context.config.evaluate.sandbox, origin);
  if (sandboxes.warning !== undefined) context.log.warn({ tier: sandboxes.tier.name }, sandboxes.warning);
  const evaluation: EvaluatorContext = {
    signal: context.signal,
    log: context.log,
    sandboxes,
    deterministic: payload.deterministic,
    toBeat: payload.toBeat,
    best: payload.best,
    noise: payload.noise,
    effort: payload.effort,
    pairs: payload.pairs,
    role: payload.role,
    peakKb: payload.peak_kb,
    seed: payload.seed,
    withinMs: payload.within_ms,
  };
  const attributes = { 'peagen.evaluator': evaluator.name, 'peagen.mode': payload.mode };
  const data = await withFolders(payload, context, origin === 'queue', async (local) => {
    const failed = await stageZero(local, evaluation);
    return failed === undefined
      ? withSize(await traced('executor', { attributes }, () => judged(local, evaluator, evaluation)), local)
      : { execution: failed };
  });
  return { status: 'ok', data: await scored(data, payload, context.registry) };
}

async function judged(
  { mode, program, basis, derive, attack }: ExecutePayload,
  evaluator: Evaluator,
  context: EvaluatorContext,
): Promise<ExecuteData> {
  if (mode === 'derive') {
    if (evaluator.derive === undefined || derive === undefined) throw cannot(evaluator, mode);
    return { execution: nothingJudged, derivation: await evaluator.derive(program, basis.evaluator, derive, context) };
  }
  if (mode === 'attack') {
    if (evaluator.attack === undefined || attack === undefined) throw cannot(evaluator, mode);
    return { execution: nothingJudged, attack: await evaluator.attack(program, basis, attack, context) };
  }
  if (mode === 'lines') return { execution: nothingJudged, lines: (await evaluator.lines?.(program, basis, context)) ?? [] };
  if (mode === 'candidate') return { execution: await evaluator.judge(program, basis, context) };
  try {
    return await evaluator.prepare(program, basis.evaluator, context);
  } catch (caught) {
    if (mode === 'alone' && caught instanceof OriginalFails) return { execution: caught.execution };
    throw caught;
  }
}

/** Whatever the evaluator measures, the size of the code is a metric too. */
function withSize(data: ExecuteData, { program }: ExecutePayload): ExecuteData {
  const { execution } = data;
  if (execution === nothingJudged || !isCorrect(execution.outcome)) return data;
  return { ...data, execution: { ...execution, metrics: { size_ch: codeSize(program), ...execution.metrics } } };
}

/** Calls were made or tried, and no program was judged. */
const nothingJudged: Execution = { outcome: { kind: 'correct', detail: '' }, metrics: {}, artifacts: {} };

function cannot({ name }: Evaluator, mode: string): PeagenError {
  return new PeagenError(
    'unsupported',
    `A task of mode ${mode} cannot be done with the evaluator ${name}, or lacks its options.`,
    {
      hint: 'Calls are made and tried by the function evaluator only.',
    },
  );
}

function parse(task: Task): ExecutePayload {
  const parsed = ExecutePayload.safeParse(task.payload);
  if (parsed.success) return parsed.data;
  throw new PeagenError('invalid_input', `The payload of execute task ${task.id} is malformed: ${z.prettifyError(parsed.error)}`);
}

async function scored(data: ExecuteData, { scoring, program }: ExecutePayload, registry: Registry): Promise<ExecuteData> {
  if (scoring === undefined) return data;
  const features = await loadFeatures(registry, scoring);
  const { fitness, features: place, ...execution } = evaluate({ execution: data.execution, program, scoring }, features);
  return { ...data, execution, score: { fitness, features: place } };
}

const opened = new WeakMap<Config, Map<string, Promise<SandboxFactory>>>();

/** One choice of tier per worker. A failed choice is tried again: the user may install what was missing. */
function sandboxesOf(config: Config, registry: Registry, sandbox: string, origin: CodeOrigin): Promise<SandboxFactory> {
  const factories = opened.get(config) ?? new Map<string, Promise<SandboxFactory>>();
  opened.set(config, factories);
  const key = `${sandbox} ${origin}`;
  let factory = factories.get(key);
  if (factory === undefined) {
    factory = openSandboxes({ ...config, evaluate: { ...config.evaluate, sandbox } }, registry, origin);
    factories.set(key, factory);
    factory.catch(() => factories.delete(key));
  }
  return factory;
}

/**
 * Stage 0: a type-check or lint command that a candidate must pass before anything else is paid for. It runs in a sandbox,
 * in a copy of the folder that holds the candidate. Undefined for a program that may be judged. Throws `original_fails` when
 * the original does not pass by itself.
 */
async function stageZero({ check, mode, program }: ExecutePayload, context: EvaluatorContext): Promise<Execution | undefined> {
  if (check === undefined) return undefined;
  const { outcome, output } = await runOnce(program, { ...check, metrics: [] }, context);
  if (outcome.kind === 'correct') return undefined;
  if (mode === 'basis') {
    throw new PeagenError('original_fails', `The check fails on the original: ${outcome.detail}`, {
      hint: `Make "${check.command}" succeed in ${check.root} first, or remove check under [evaluate].`,
    });
  }
  return { outcome: { kind: 'invalid', detail: outcome.detail }, metrics: {}, artifacts: { output } };
}
