/** What a call did, and how it differs from what the original did on the same call. */
import * as z from 'zod';
import type { Call, Counterexample, EffectKind, FunctionOptions, Outcome } from '../../../shared/judging.ts';
import {
  type EffectDifference,
  EffectNote,
  type EffectRules,
  Effects,
  effectDifference,
  type FinalState,
} from '../effects/effects.ts';
import { difference, show, Value } from './values.ts';

/**
 * What one call did: returned or raised, and what it left in its arguments when it changed them. A generator that raised has both:
 * what it yielded before.
 */
export const CallResult = z.object({
  value: Value.optional(),
  /** Name of the exception's type. */
  raised: z.string().optional(),
  /** Its text, for a user; never compared. */
  error: z.string().optional(),
  args: Value.optional(),
  /** What the calls before it came to; absent in timed passes. */
  earlier: z.array(z.object({ value: Value.optional(), raised: z.string().optional() })).optional(),
  /**
   * How deep in the result, and in an argument, the first container lies that an argument, the state or a variable holds too. Absent
   * where there is no container, and in timed passes.
   */
  shared: z.object({ result: z.int().optional(), args: z.int().optional() }).optional(),
  /** The result was a promise or a coroutine, and was awaited. */
  awaited: z.literal(true).optional(),
  /** What else it changed; absent when it changed nothing, and in timed passes, which do not observe it. */
  effects: Effects.optional(),
  /** Describes what it did that cannot be compared. */
  notes: z.array(EffectNote).optional(),
});
export type CallResult = z.infer<typeof CallResult>;

/** The results of the original, call by call, with which a program is compared. */
export interface ExpectedResults {
  readonly results: readonly CallResult[];
  readonly state: FinalState;
  /** Kinds of effects that are not compared, as well those that the options exempt. */
  readonly unstable: readonly EffectKind[];
}

/** How effects are compared with those of the original. */
export function rulesOf(
  options: FunctionOptions,
  expected: Pick<ExpectedResults, 'state' | 'unstable'> | undefined,
): EffectRules {
  const ignored = [...options.ignore_effects, ...(expected?.unstable ?? [])];
  return { original: expected?.state, ignored, tolerance: options.tolerance };
}

/** A call that did not do what the original does: in a message, and each side in words. */
export interface Fault extends Pick<Counterexample, 'expected' | 'actual'> {
  readonly kind: 'wrong' | 'crashed';
  readonly detail: string;
}

/** `heldOut`: right on the calls that were shown before. */
export function withCall({ kind, detail, expected, actual }: Fault, call: Call, heldOut: boolean): Outcome {
  const counterexample = { call, expected: expected.slice(0, 2000), actual: actual.slice(0, 2000) };
  const found = heldOut
    ? outcome('overfit', `Right on the calls that were shown, wrong on others: ${detail}`)
    : outcome(kind, detail);
  return { ...found, counterexample };
}

/** A difference in effects, as a sentence. */
export function effectWords(what: string, { actual, expected }: Pick<EffectDifference, 'actual' | 'expected'>): Fault {
  return { kind: 'wrong', detail: `${what} ${actual}; the original ${expected}.`, actual, expected };
}

/** The first effect of a call that is not the original's. */
export function effectFault(want: CallResult, got: CallResult, what: string, rules: EffectRules): Fault | undefined {
  const found = effectDifference(want.effects ?? {}, got.effects ?? {}, rules);
  return found === undefined ? undefined : effectWords(what, found);
}

/** The outcome of a call that did not return, raise or leave in its arguments what the original did. */
export function mismatch(want: CallResult, got: CallResult, what: string, options: FunctionOptions): Outcome | undefined {
  const fault = faultOf(want, got, what, options);
  return fault === undefined ? undefined : outcome(fault.kind, fault.detail);
}

/** Does the same with both sides in words, and does not compare effects. */
export function faultOf(want: CallResult, got: CallResult, what: string, options: FunctionOptions): Fault | undefined {
  // In words only where they differ: values may be large.
  const sides = () => ({ expected: told(want), actual: told(got) });
  const wrong = (detail: string): Fault => ({ kind: 'wrong', detail, ...sides() });
  const earlier = earlierFault(want, got, what, options);
  if (earlier !== undefined) return earlier;
  if (got.awaited !== want.awaited) {
    const [own, others] = got.awaited === true ? ['has to be awaited', 'does not'] : ['is there at once', 'has to be awaited'];
    const { expected, actual } = sides();
    return {
      kind: 'wrong',
      detail: `What ${what} returns ${own}; what the original returns ${others}.`,
      expected: `${expected}, which ${others}`,
      actual: `${actual}, which ${own}`,
    };
  }
  if (got.raised !== undefined && want.raised === undefined) {
    const detail = `${what} raised ${got.raised}, expected ${show(want.value ?? null)}\n${got.error ?? ''}`;
    return { kind: 'crashed', detail, ...sides() };
  }
  const copied = sharingFault(want, got, what);
  if (want.raised !== undefined) {
    if (got.raised === want.raised) {
      const before = difference(want.value ?? null, got.value ?? null, options.tolerance);
      return before === undefined
        ? argumentsDiffer(want, got, what, options)
        : wrong(`${what} ${told(got)}; the original ${told(want)}.`);
    }
    const instead = got.raised === undefined ? `returned ${show(got.value ?? null)}` : `raised ${got.raised}`;
    return wrong(`${what} ${instead}, expected ${want.raised} to be raised.\n${got.error ?? ''}`);
  }
  const found = difference(want.value ?? null, got.value ?? null, options.tolerance);
  if (found === undefined) return argumentsDiffer(want, got, what, options) ?? copied;
  const where = found.path === '' ? '' : `\nFirst difference at ${found.path}: got ${found.actual}, expected ${found.expected}.`;
  return wrong(`${what} returned ${show(got.value ?? null)}, expected ${show(want.value ?? null)}.${where}`);
}

/** Something is returned or stored itself of which the original makes a copy. */
function sharingFault(want: CallResult, got: CallResult, what: string): Fault | undefined {
  if (want.shared === undefined || got.shared === undefined) return undefined;
  const isShared = (kind: 'result' | 'args'): boolean =>
    (got.shared?.[kind] ?? Number.POSITIVE_INFINITY) < (want.shared?.[kind] ?? Number.POSITIVE_INFINITY);
  const [actual, expected] = isShared('result')
    ? ['returned something that its arguments or its state hold', 'returned a copy']
    : ['kept a part of its arguments itself', 'kept a copy'];
  if (!isShared('result') && !isShared('args')) return undefined;
  return { kind: 'wrong', detail: `${what} ${actual}; the original ${expected}.`, expected, actual };
}

/** The first of the calls before it that came to something else. */
function earlierFault(want: CallResult, got: CallResult, what: string, { tolerance }: FunctionOptions): Fault | undefined {
  if (want.earlier === undefined || got.earlier === undefined) return undefined;
  for (const [at, mine] of want.earlier.entries()) {
    const theirs = got.earlier[at] ?? {};
    const isSame = mine.raised === theirs.raised && difference(mine.value ?? null, theirs.value ?? null, tolerance) === undefined;
    if (isSame) continue;
    const [expected, actual] = [mine, theirs].map((one) => `${told(one)} in call ${at + 1} of those before it`);
    return {
      kind: 'wrong',
      detail: `${what}: ${actual}; the original ${expected}.`,
      expected: expected ?? '',
      actual: actual ?? '',
    };
  }
  return undefined;
}

/** What a call came to: `returned 3`, `raised ValueError`. */
function told({ raised, value }: CallResult): string {
  if (raised === undefined) return `returned ${show(value ?? null)}`;
  return value === undefined ? `raised ${raised}` : `raised ${raised} after ${show(value)}`;
}

function argumentsDiffer(want: CallResult, got: CallResult, what: string, options: FunctionOptions): Fault | undefined {
  if (want.args === undefined && got.args === undefined) return undefined;
  const words = ({ args }: CallResult): string =>
    args === undefined ? 'left its arguments as they were' : `changed its arguments to ${showLeft(args)}`;
  const fault = (detail: string): Fault => ({ kind: 'wrong', detail, expected: words(want), actual: words(got) });
  if (want.args === undefined) return fault(`${what} ${words(got)}; the original leaves them as they are.`);
  if (got.args === undefined) return fault(`${what} ${words(got)}; the original changes them to ${showLeft(want.args)}.`);
  const found = difference(want.args, got.args, options.tolerance);
  if (found === undefined) return undefined;
  const where = found.path.replace(/^\[0\]/, 'args').replace(/^\[1\]/, 'kwargs');
  return fault(`${what} left other arguments behind: at ${where} got ${found.actual}, expected ${found.expected}.`);
}

const Pair = z.tuple([z.array(Value), Value]);
/** Arguments after a call: positional and named ones, as either runner reports them. */
const Left = z.union([Pair, z.object({ tuple: Pair }).transform(({ tuple }) => tuple)]);

/** Writes a call as source code. */
function showLeft(args: Value): string {
  const { data: [positional, named] = [] } = Left.safeParse(args);
  if (positional === undefined || named === undefined) return show(args);
  const names = show(named);
  return `${show({ tuple: positional })}${names === '{}' ? '' : ` and ${names}`}`;
}

export function outcome(kind: Outcome['kind'], detail: string): Outcome {
  return { kind, detail: detail.trim().slice(0, 8000) };
}

/** Error messages of programs that lack a package, a database, a file or the network. */
const outside =
  /No module named|Cannot find (?:package|module)|no such table|unable to open database|OperationalError|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|ENOENT|FileNotFoundError|ConnectionRefusedError|Connection refused|gaierror|Network is unreachable/;

/** The hint of an original that fails: `usual`, unless it needs what its sandbox does not have. */
export function hintOf(detail: string, usual: string): string {
  if (!outside.test(detail)) return usual;
  return 'Calls run in a sandbox without network, databases, and files and packages from outside: judge it by a test command instead.';
}
