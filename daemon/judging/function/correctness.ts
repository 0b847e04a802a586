/**
 * Whether a program does on given calls what the original did: call by call in a sandbox, compared out here, where the
 * candidate cannot reach. Makes the oracle from the original with the same code.
 */
import * as z from 'zod';
import { type Call, type FunctionOptions, type Outcome, showArguments } from '../../../shared/judging.ts';
import type { Entry, Program, ProgramFile } from '../../../shared/program.ts';
import type { Reply, Runner, RunnerRuntime } from '../../executors/runner.ts';
import type { SandboxExit } from '../../executors/sandbox.ts';
import { javascriptEntry, stripTypes } from './typescript.ts';
import { difference, show, Value } from './values.ts';

/** What a runner loads. */
export interface Source {
  readonly files: readonly ProgramFile[];
  readonly entry: Entry;
}

/** What one call did: returned or raised, and what it left in its arguments when it changed them. */
export const CallResult = z.object({
  value: Value.optional(),
  /** Name of the exception's type. */
  raised: z.string().optional(),
  /** Its text, for a person; never compared. */
  error: z.string().optional(),
  args: Value.optional(),
  /** It was a promise or a coroutine, which was waited for. */
  awaited: z.literal(true).optional(),
});
export type CallResult = z.infer<typeof CallResult>;

/** How long things may take, and whether operations are counted. */
export interface Bounds {
  readonly loadMs: number;
  /** For all calls together. */
  readonly callsMs: number;
  /** Processor time of one call, where it can be told; undefined: as long as it takes. */
  readonly cpuMs: number | undefined;
  /** Operations for all calls together; undefined when they are not counted. */
  readonly operations: number | undefined;
}

export interface Observed {
  readonly results: CallResult[];
  readonly callsMs: number;
  /** The same without the held-out calls: what a timed pass repeats. */
  readonly timedMs: number;
  readonly loadMs: number;
  /** Operations of a timed pass, when counted. */
  readonly cost: number;
}

export type Ran = { readonly ok: true; readonly observed: Observed } | { readonly ok: false; readonly outcome: Outcome };

export function runtimeOf(language: string): RunnerRuntime {
  return language === 'python' ? 'python' : 'node';
}

/** The program as runners take it. `runner` may still load it afterwards. */
export async function sourceOf(runner: Runner, program: Program, entry: Entry, withinMs: number): Promise<Source | Outcome> {
  if (program.language !== 'typescript') return { files: program.files, entry };
  const stripped = await stripTypes(runner, program, withinMs);
  return 'error' in stripped ? outcome('invalid', stripped.error) : { files: stripped.files, entry: javascriptEntry(entry) };
}

/** Puts a program into a runner and imports its entry. Undefined when that worked. */
export async function load(runner: Runner, source: Source, withinMs: number, count = false): Promise<Outcome | undefined> {
  const { entry, files } = source;
  const reply = await runner.ask({ op: 'load', path: entry.path, fn: entry.fn, files, count }, withinMs);
  const answer = reply.kind === 'answer' ? reply.value['error'] : undefined;
  if (typeof answer === 'string') return outcome('invalid', answer);
  return failureOf(reply, `loading ${entry.path}`, withinMs);
}

/** Runs every call once, the held-out ones last. `expected`: stops at the first that differs. */
export async function runCalls(
  runner: Runner,
  source: Source,
  options: FunctionOptions,
  bounds: Bounds,
  expected: readonly CallResult[] | undefined,
): Promise<Ran> {
  const start = performance.now();
  const failed = await load(runner, source, bounds.loadMs, bounds.operations !== undefined);
  if (failed !== undefined) return { ok: false, outcome: failed };
  const loadMs = performance.now() - start;
  const results: CallResult[] = [];
  let callsMs = 0;
  let timedMs = 0;
  let cost = 0;
  for (const [index, call] of [...options.calls, ...options.heldout].entries()) {
    const heldOut = index >= options.calls.length;
    const limit = bounds.operations === undefined ? undefined : bounds.operations - cost;
    const withinMs = Math.max(1, bounds.callsMs - callsMs);
    const what = heldOut ? `${options.entry.fn} on a held-out input` : showCall(options.entry.fn, call);
    const reply = await runner.ask({ op: 'call', ...call, limit }, withinMs, bounds.cpuMs);
    if (reply.kind === 'cut' && bounds.cpuMs !== undefined) {
      const spent = `${Math.round(bounds.cpuMs)} ms of processor time`;
      return { ok: false, outcome: outcome('timeout', `${what} took more than ${spent}, far more than the original.`) };
    }
    const failure = failureOf(reply, what, bounds.callsMs);
    if (failure !== undefined) return { ok: false, outcome: failure };
    const answer = reply.kind === 'answer' ? reply.value : {};
    if (typeof answer['error'] === 'string' && answer['raised'] === undefined) {
      return { ok: false, outcome: outcome('crashed', `${what}: ${answer['error']}`) };
    }
    const parsed = CallResult.safeParse(answer);
    if (!parsed.success || (parsed.data.raised === undefined && parsed.data.value === undefined)) {
      return { ok: false, outcome: outcome('forged', `${what} answered something that no runner answers.`) };
    }
    const want = expected?.[index];
    const wrong = want === undefined ? undefined : mismatch(want, parsed.data, what, options);
    // What is held out stays so: neither its arguments nor its result reach the next prompt.
    if (wrong !== undefined)
      return { ok: false, outcome: heldOut ? outcome(wrong.kind, `${what} differs from the original.`) : wrong };
    results.push(parsed.data);
    const ms = reply.kind === 'answer' ? reply.ms : 0;
    callsMs += ms;
    if (heldOut) continue;
    timedMs += ms;
    cost += typeof answer['cost'] === 'number' ? answer['cost'] : 0;
  }
  return { ok: true, observed: { results, callsMs, timedMs, loadMs, cost } };
}

/** The outcome of a call that did not do what the original did. */
export function mismatch(want: CallResult, got: CallResult, what: string, options: FunctionOptions): Outcome | undefined {
  if (got.awaited !== want.awaited) {
    const [own, others] = got.awaited === true ? ['has to be awaited', 'does not'] : ['is there at once', 'has to be awaited'];
    return outcome('wrong', `What ${what} returns ${own}; what the original returns ${others}.`);
  }
  if (got.raised !== undefined && want.raised === undefined) {
    return outcome('crashed', `${what} raised ${got.raised}, expected ${show(want.value ?? null)}\n${got.error ?? ''}`);
  }
  if (want.raised !== undefined) {
    if (got.raised === want.raised) return argumentsDiffer(want, got, what, options);
    const instead = got.raised === undefined ? `returned ${show(got.value ?? null)}` : `raised ${got.raised}`;
    return outcome('wrong', `${what} ${instead}, expected ${want.raised} to be raised.\n${got.error ?? ''}`);
  }
  const found = difference(want.value ?? null, got.value ?? null, options.tolerance);
  if (found === undefined) return argumentsDiffer(want, got, what, options);
  const where = found.path === '' ? '' : `\nFirst difference at ${found.path}: got ${found.actual}, expected ${found.expected}.`;
  return outcome('wrong', `${what} returned ${show(got.value ?? null)}, expected ${show(want.value ?? null)}.${where}`);
}

function argumentsDiffer(want: CallResult, got: CallResult, what: string, options: FunctionOptions): Outcome | undefined {
  if (want.args === undefined && got.args === undefined) return undefined;
  if (want.args === undefined)
    return outcome(
      'wrong',
      `${what} changed its arguments to ${showLeft(got.args ?? null)}; the original leaves them as they are.`,
    );
  if (got.args === undefined)
    return outcome('wrong', `${what} left its arguments as they were; the original changes them to ${showLeft(want.args)}.`);
  const found = difference(want.args, got.args, options.tolerance);
  if (found === undefined) return undefined;
  const where = found.path.replace(/^\[0\]/, 'args').replace(/^\[1\]/, 'kwargs');
  return outcome('wrong', `${what} left other arguments behind: at ${where} got ${found.actual}, expected ${found.expected}.`);
}

const Pair = z.tuple([z.array(Value), Value]);
/** Arguments after a call: positional and named ones, as either runner reports them. */
const Left = z.union([Pair, z.object({ tuple: Pair }).transform(({ tuple }) => tuple)]);

/** As a call is written. */
function showLeft(args: Value): string {
  const { data: [positional, named] = [] } = Left.safeParse(args);
  if (positional === undefined || named === undefined) return show(args);
  const names = show(named);
  return `${show({ tuple: positional })}${names === '{}' ? '' : ` and ${names}`}`;
}

/** Everything but an answer, as an outcome. */
export function failureOf(reply: Reply, what: string, withinMs: number): Outcome | undefined {
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

export function outcome(kind: Outcome['kind'], detail: string): Outcome {
  return { kind, detail: detail.trim().slice(0, 8000) };
}

/** `sort([3, 1])`, or `Counter(10).add(3)` with arguments for the constructor. */
export function showCall(fn: string, call: Call): string {
  if (call.init === undefined) return `${fn}${showArguments(call, short)}`;
  const member = fn.lastIndexOf('.');
  return `${fn.slice(0, member)}${showArguments(call.init, short)}${fn.slice(member)}${showArguments(call, short)}`;
}

function short(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 80)}…`;
}
