/**
 * Whether a program does on given calls what the original did: call by call in a sandbox, compared out here, where the
 * candidate cannot reach. Makes the oracle from the original with the same code.
 */
import { PeagenError } from '../../../shared/errors.ts';
import {
  type Call,
  type Execution,
  type FunctionOptions,
  type Outcome,
  showArguments,
  showBefore,
} from '../../../shared/judging.ts';
import type { Entry, Program, ProgramFile } from '../../../shared/program.ts';
import type { Order, Runner, RunnerReply, RunnerRuntime } from '../../executors/runner.ts';
import type { SandboxExit } from '../../executors/sandbox.ts';
import { FinalState, finalDifference } from '../effects/effects.ts';
import { tuned } from '../tuned.ts';
import {
  CallResult,
  type ExpectedResults,
  effectFault,
  effectWords,
  faultOf,
  hintOf,
  outcome,
  rulesOf,
  withCall,
} from './result.ts';
import { javascriptEntry, stripTypes } from './typescript.ts';

/** The program and the calls that a runner loads. */
export interface Source {
  readonly files: readonly ProgramFile[];
  readonly entry: Entry;
}

/** The limits of time, and whether operations are counted. */
export interface Bounds {
  readonly loadMs: number;
  /** The limit of all calls together. */
  readonly callsMs: number;
  /** Processor time of one call, where it can be told; undefined: as long as it takes. */
  readonly cpuMs: number | undefined;
  /** Operations for all calls together; undefined when they are not counted. */
  readonly operations: number | undefined;
  /** A second thread ends a call of JavaScript that passes them; costs as much as the start of a process. */
  readonly watched?: boolean;
}

export interface Observed {
  readonly results: CallResult[];
  readonly state: FinalState;
  readonly callsMs: number;
  /** The same of the timed calls alone: `calls` and `longer`. */
  readonly timedMs: number;
  readonly loadMs: number;
  /** One for each timed call, in order; operations when they are counted. */
  readonly perCall: readonly { readonly ms: number; readonly cost: number }[];
  /** Operations of all calls, those that are not timed among them. */
  readonly wholeCost: number;
}

type Ran = { readonly ok: true; readonly observed: Observed } | { readonly ok: false; readonly outcome: Outcome };

export function runtimeOf(language: string): RunnerRuntime {
  return language === 'python' ? 'python' : 'node';
}

/** The program as runners take it. `runner` may still load it afterwards. */
export async function sourceOf(runner: Runner, program: Program, entry: Entry, withinMs: number): Promise<Source | Outcome> {
  if (program.language !== 'typescript') return { files: program.files, entry };
  const stripped = await stripTypes(runner, program, withinMs);
  return 'error' in stripped ? outcome('invalid', stripped.error) : { files: stripped.files, entry: javascriptEntry(entry) };
}

/**
 * Puts a program into a runner and imports its entry. `limit`: operations are counted, and all calls together may take as many.
 * Undefined when that worked.
 */
export async function load(
  runner: Runner,
  source: Source,
  withinMs: number,
  how: { readonly limit?: number | undefined; readonly watched?: boolean | undefined; readonly effects?: boolean } = {},
): Promise<Outcome | undefined> {
  const { entry, files } = source;
  const reply = await runner.ask({ op: 'load', path: entry.path, fn: entry.fn, files, ...how }, withinMs);
  const answer = reply.kind === 'answer' ? reply.value['error'] : undefined;
  if (typeof answer === 'string') return outcome('invalid', answer);
  return failureOf(reply, `loading ${entry.path}`, withinMs);
}

/**
 * Runs every call once in one process: `calls`, `derived`, `heldout`, then `longer`. `expected`: stops at the first that differs.
 * One that differs in `heldout` is overfitted to those before.
 */
export async function runCalls(
  runner: Runner,
  source: Source,
  options: FunctionOptions,
  bounds: Bounds,
  expected: ExpectedResults | undefined,
): Promise<Ran> {
  const start = performance.now();
  const failed = await load(runner, source, bounds.loadMs, {
    ...{ limit: bounds.operations, watched: bounds.watched, effects: true },
  });
  if (failed !== undefined) return { ok: false, outcome: failed };
  const loadMs = performance.now() - start;
  const calls = [...options.calls, ...options.derived, ...options.heldout, ...options.longer];
  const shown = options.calls.length + options.derived.length;
  const unseen = shown + options.heldout.length;
  const rules = rulesOf(options, expected);
  const results: CallResult[] = [];
  const perCall: { ms: number; cost: number }[] = [];
  let callsMs = 0;
  let timedMs = 0;
  let wholeCost = 0;
  const withinMs = (): number => Math.max(1, bounds.callsMs - callsMs);
  const isTimed = (index: number): boolean => index < options.calls.length || index >= unseen;
  for await (const reply of replies(runner, calls, bounds, withinMs, isTimed)) {
    const index = results.length;
    const call = calls[index];
    // The last reply is that to the question for the state at the end.
    if (call === undefined) {
      const state = finalState(reply, bounds);
      if ('kind' in state) return { ok: false, outcome: state };
      wholeCost = operationsOf(reply, 'spent');
      const wrong = finalDifference(state, rules);
      const last = calls.at(-1);
      if (wrong !== undefined && last !== undefined) {
        const fault = effectWords(`The calls up to ${showCall(options.entry.fn, last)}`, wrong);
        return { ok: false, outcome: withCall(fault, last, unseen > shown) };
      }
      return { ok: true, observed: { results, state, callsMs, timedMs, loadMs, wholeCost, perCall } };
    }
    const what = showCall(options.entry.fn, call);
    // All calls so far have passed the limit of operations, and which of them is noticed is chance.
    const isExcess = reply.kind === 'cut' && bounds.cpuMs === undefined;
    const got = resultOf(reply, isExcess ? options.entry.fn : what, bounds);
    if ('kind' in got) return { ok: false, outcome: got };
    const want = expected?.results[index];
    const fault = want === undefined ? undefined : (faultOf(want, got, what, options) ?? effectFault(want, got, what, rules));
    if (fault !== undefined) {
      const excess = bounds.operations === undefined ? undefined : await excessOf(runner, options.entry.fn, withinMs());
      return { ok: false, outcome: excess ?? withCall(fault, call, index >= shown && index < unseen) };
    }
    results.push(got);
    const ms = reply.kind === 'answer' ? reply.ms : 0;
    callsMs += ms;
    if (!isTimed(index)) continue;
    timedMs += ms;
    perCall.push({ ms, cost: operationsOf(reply, 'cost') });
  }
  return { ok: false, outcome: outcome('forged', `${options.entry.fn} did not answer every call.`) };
}

/** The replies to all calls, and to the question for the state at the end. */
async function* replies(
  runner: Runner,
  calls: readonly Call[],
  { operations, cpuMs }: Bounds,
  withinMs: () => number,
  isTimed: (index: number) => boolean,
): AsyncGenerator<RunnerReply, void> {
  const last: Order = { op: 'state' };
  if (operations === undefined) {
    yield* runner.askAll([...calls.map((call) => ({ op: 'call', ...call })), last], withinMs, cpuMs);
    return;
  }
  // None is sent ahead: what was counted until one that fails is asked for.
  for (const [index, call] of calls.entries()) {
    const reply = await runner.ask({ op: 'call', ...call, counted: isTimed(index) }, withinMs(), cpuMs);
    yield reply;
    if (reply.kind !== 'answer') return;
  }
  yield await runner.ask(last, withinMs());
}

const operationsOf = (reply: RunnerReply, which: 'cost' | 'spent'): number =>
  reply.kind === 'answer' && typeof reply.value[which] === 'number' ? reply.value[which] : 0;

/** That the calls so far took more operations than they may, which a call that also does something else does not hide. */
async function excessOf(runner: Runner, fn: string, withinMs: number): Promise<Outcome | undefined> {
  const reply = await runner.ask({ op: 'spent' }, withinMs);
  return reply.kind === 'cut' ? failureOf(reply, fn, withinMs) : undefined;
}

/** Returns what a call did, or the outcome when it did not end. */
function resultOf(reply: RunnerReply, what: string, bounds: Bounds): CallResult | Outcome {
  if (reply.kind === 'cut' && bounds.cpuMs !== undefined) {
    const spent = `${Math.round(bounds.cpuMs)} ms of processor time`;
    return outcome('timeout', `${what} took more than ${spent}, far more than the original.`);
  }
  const failure = failureOf(reply, what, bounds.callsMs);
  if (failure !== undefined) return failure;
  const answer = reply.kind === 'answer' ? reply.value : {};
  if (typeof answer['error'] === 'string' && answer['raised'] === undefined) {
    return outcome('crashed', `${what}: ${answer['error']}`);
  }
  const parsed = CallResult.safeParse(answer);
  if (!parsed.success || (parsed.data.raised === undefined && parsed.data.value === undefined)) {
    return outcome('forged', `${what} answered something that no runner answers.`);
  }
  return parsed.data;
}

function finalState(reply: RunnerReply, bounds: Bounds): FinalState | Outcome {
  const failure = failureOf(reply, 'Comparing the state after all calls', bounds.callsMs);
  if (failure !== undefined) return failure;
  const parsed = FinalState.safeParse(reply.kind === 'answer' ? reply.value : {});
  return parsed.success ? parsed.data : outcome('forged', 'The state after all calls is not one that a runner reports.');
}

/** Turns every end of a call other than an answer into an outcome. */
export function failureOf(reply: RunnerReply, what: string, withinMs: number): Outcome | undefined {
  switch (reply.kind) {
    case 'answer':
      return reply.value['memory'] === 1 ? outcome('memory', `${what} ran out of memory.`) : undefined;
    case 'late':
      return outcome('timeout', `${what} took longer than ${Math.round(withinMs)} ms.`);
    case 'cut':
      return outcome('timeout', `${what} took more operations than it may.`);
    case 'garbled':
      return outcome('forged', `${what} wrote to the result channel: ${reply.line}`);
    case 'ended':
      return ended(reply.exit, what);
  }
}

function ended(exit: SandboxExit, what: string): Outcome {
  const text = exit.stderr.trim().slice(-2000);
  switch (exit.cause) {
    case 'memory':
      return outcome('memory', `${what} ran out of memory.`);
    case 'timeout':
      return outcome('timeout', `${what} used up its processor time.`);
    case 'output':
      return outcome('crashed', `${what} wrote more output than it may.`);
    case 'exit':
      return outcome('crashed', `${what} ended the process with status ${exit.code}.\n${text}`);
    case 'killed':
      return outcome('crashed', `${what} ended the process (${exit.signal ?? `status ${exit.code}`}).\n${text}`);
  }
}

/** `sort([3, 1])`, or `Counter(10).add(3) after clear()` for an instance of its own. */
export function showCall(fn: string, call: Call): string {
  if (call.init === undefined) return `${fn}${showArguments(call, short)}`;
  const member = fn.lastIndexOf('.');
  const made = `${fn.slice(0, member)}${showArguments(call.init, short)}${fn.slice(member)}`;
  return `${made}${showArguments(call, short)}${showBefore(call, short)}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}

export function originalFails(detail: string, kind: string): PeagenError {
  const hints: Readonly<Record<string, string>> = {
    invalid: 'Fix the file or the name of the entry function first.',
    timeout: 'Use smaller inputs, or raise [evaluate] timeout.',
    memory: 'Use smaller inputs, or raise [evaluate] memory_mb.',
    wrong: 'Its results must not depend on time or on chance that no seed controls.',
  };
  return new PeagenError('original_fails', `The original fails on the inputs: ${detail.replace(/\.?$/, '.')}`, {
    hint: hintOf(detail, hints[kind] ?? 'Give inputs that the original accepts.'),
  });
}

/**
 * Measures the original next to itself. The original is honest: readings that look forged are noise of a busy machine, and are
 * measured again. Throws `unavailable` where that does not end.
 */
export async function againstItself(measure: () => Promise<Execution>): Promise<Execution> {
  for (let left = tuned.repeats; ; left--) {
    const execution = await measure();
    if (execution.outcome.kind !== 'forged') return execution;
    if (left > 0) continue;
    throw new PeagenError('unavailable', 'The original cannot be measured: its times differ too much from run to run.', {
      hint: 'Try again when the machine has less to do, or raise the time that the inputs take.',
    });
  }
}
