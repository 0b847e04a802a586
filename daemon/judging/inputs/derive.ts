/**
 * Derives calls for a function: from the given ones, its doctests and its source, run on the original in two processes,
 * chosen by the steps that they reach and the mutants that they tell apart, and split into visible and held-out ones.
 */
import * as z from 'zod';
import type { Confidence } from '../../../shared/confidence.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { Call, type EvaluatorSpec, FunctionOptions } from '../../../shared/judging.ts';
import type { Derivation, DeriveOptions } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import { createRandom, type Random } from '../../random.ts';
import type { EvaluatorContext } from '../evaluator.ts';
import { showCall } from '../function/correctness.ts';
import { hintOf } from '../function/result.ts';
import { tuned } from '../tuned.ts';
import { doctestsOf } from './examples.ts';
import { exchangedFrom } from './exchange.ts';
import { explore, LEAST_STEPS, mutantSteps, type Sighted } from './explore.ts';
import { limitsOf, outsideOf } from './limits.ts';
import { longerCalls } from './longer.ts';
import { sequencesOf } from './methods.ts';
import { type Original, openOriginal } from './original.ts';
import { linesOf } from './probes.ts';
import { seedCalls } from './seeds.ts';
import { choose, isDeliberate, isMisused, isRejection, type Room, rejecting, type TriedCall, withRepeats } from './select.ts';
import { mutantsIn, type Patience, type Sighting, Survey, type Surveys } from './survey.ts';
import { type Draft, keyOf, readCall, sizeOf, smallestFirst, writeCall } from './values/data.ts';

/** The FunctionOptions, where the calls may be missing. */
const Options = FunctionOptions.extend({ calls: z.array(Call).default([]) });

/** Steps that the calls on which mutants are tried may take together, and how many that tell a mutant are looked for. */
const MOST_MUTANT_STEPS = 60_000;
const MOST_TELLING = 6;
/** How often values are exchanged while lines have not run. */
const MOST_EXCHANGES = 2;
/** Timed calls when none is given. */
const MOST_TIMED = 8;
/** What one call may cost at least, in milliseconds, however small the given ones are. */
const LEAST_MS = 100;
const LEAST_TOTAL_STEPS = 60_000;
const LEAST_TOTAL_MS = 20;
const LEAST_CPU_MS = 100;

export async function deriveCalls(
  program: Program,
  spec: EvaluatorSpec,
  how: DeriveOptions,
  context: EvaluatorContext,
): Promise<Derivation> {
  const options = parse(spec);
  const started = performance.now();
  const original = await openOriginal(program, options.entry, options.support, context);
  const traced = new Survey(context.sandboxes, original.runtime, original.surveyed, context.signal);
  const plain = new Survey(context.sandboxes, original.runtime, original.surveyed, context.signal);
  try {
    traced.start();
    plain.start();
    const random = createRandom('derive', how.seed);
    const known = await knownCalls(original, options.calls, how.examples, random, traced);
    const patience = patienceFor(known.given);
    // A busy machine is given more time than was asked for: what is found must not depend on it.
    const late = (): boolean => !context.deterministic && performance.now() - started > how.within_ms * 20;
    const sequences = await sequencesFor(original, known.base, random, traced, patience);
    const mutants = original.mutants(tuned.mutants, random);
    const base = [...known.base, ...sequences];
    const surveys = { traced, plain };
    const tried = await explore(original, base, mutants, random, surveys, patience, late);
    for (let turn = 0; options.calls.length === 0 && turn < MOST_EXCHANGES; turn++) {
      const further = await exchangedFrom(original, [...base, ...tried], random, traced, patience, late);
      if (further.length === 0) break;
      tried.push(...further, ...(await explore(original, further, mutants, random, surveys, patience, late)));
    }
    return await conclude(
      original,
      options,
      { ...known, tried: [...sequences, ...tried], mutants },
      random,
      { traced, plain },
      patience,
      context,
    );
  } finally {
    await Promise.all([traced.close(), plain.close()]);
  }
}

function parse(spec: EvaluatorSpec): z.infer<typeof Options> {
  const parsed = Options.safeParse(spec.options);
  if (parsed.success) return parsed.data;
  throw new PeagenError('invalid_input', `The function evaluator's options are wrong: ${z.prettifyError(parsed.error)}`, {
    hint: 'It needs an entry function, and calls if there are any: a list, each a list of arguments.',
  });
}

interface Known {
  readonly given: readonly Sighted[];
  /** Accepted calls that others are made from: given ones, examples, or guesses. */
  readonly base: readonly Sighted[];
  /** All calls that were tried so far, without the given ones. */
  readonly extra: readonly Sighted[];
}

const whole: Patience = { steps: 2_000_000, cpuMs: 5000 };

async function knownCalls(
  original: Original,
  calls: readonly Call[],
  more: readonly Call[],
  random: Random,
  survey: Survey,
): Promise<Known> {
  const { source } = original;
  const examples = [...more, ...(source === undefined ? [] : await doctestsOf(source, original.entry.fn))];
  const run = async (drafts: readonly Draft[], patience: Patience): Promise<Sighted[]> => {
    const written = drafts.map(writeCall);
    const seen = await survey.run(written, patience, true);
    return drafts.flatMap((draft, at) =>
      seen[at] === undefined ? [] : [{ draft, call: written[at] ?? writeCall(draft), seen: seen[at] }],
    );
  };
  const given = await run(calls.map(readCall), whole);
  const [first] = given;
  if (first !== undefined && given.every(({ seen }) => seen.raised !== undefined)) throw allRaise(first.seen);
  const known = new Set(given.map(({ draft }) => keyOf(draft)));
  const fresh = [...new Map(examples.map((call) => readCall(call)).map((draft) => [keyOf(draft), draft])).values()];
  const found = await run(
    fresh.filter((draft) => !known.has(keyOf(draft))),
    whole,
  );
  const accepted = [...given, ...found].filter(({ seen }) => seen.hash !== undefined && seen.raised === undefined);
  if (accepted.length > 0 || source === undefined) {
    return { given, base: accepted.length > 0 ? accepted : given, extra: found };
  }
  const tried: Sighting[] = [];
  const guessed = await seedCalls(source, random, async (guesses) => {
    const seen = await survey.run(guesses, { steps: 200_000, cpuMs: 500 }, true);
    tried.push(...seen);
    return seen;
  });
  const guesses = guessed.drafts.map((draft, at) => ({ draft, call: writeCall(draft), seen: guessed.seen[at] ?? { ...none } }));
  const base =
    guessed.accepted || first !== undefined
      ? guesses
      : await exchangedFrom(original, [], random, survey, { steps: LEAST_STEPS * 5, cpuMs: LEAST_CPU_MS }, () => false);
  if (base.length === 0 && first === undefined) throw notEntered(original, tried);
  return { given, base: base.length > 0 ? base : given, extra: [...found, ...base] };
}

/** Calls of a method that come after others. */
async function sequencesFor(
  { source }: Original,
  base: readonly Sighted[],
  random: Random,
  survey: Survey,
  patience: Patience,
): Promise<Sighted[]> {
  if (source === undefined) return [];
  const drafts = base.map(({ draft }) => draft);
  const found = await sequencesOf(source, drafts, random, async (calls) => await survey.run(calls, patience, true));
  return found.map(({ draft, seen }) => ({ draft, seen, call: writeCall(draft) }));
}

const none: Sighting = { line: 0, text: '', ms: 0, wall: 0, steps: 0, earlier: [], features: [], lines: [], gave: [] };

function allRaise({ raised, text }: Sighting): PeagenError {
  const why = text === '' ? `${raised}` : `${raised}: ${text}`;
  return new PeagenError('original_fails', `The original fails on the inputs: every call raises ${why.replace(/\.?$/, '.')}`, {
    hint: hintOf(why, 'Give inputs that the original accepts.'),
  });
}

function notEntered(original: Original, seen: readonly Sighting[]): PeagenError {
  const said = seen.find(({ raised }) => raised !== undefined);
  const endless = seen.some(({ cut }) => cut === 1);
  const why =
    said === undefined
      ? endless
        ? 'none of them ended'
        : 'none could be made'
      : `the first raises ${said.raised}${said.text === '' ? '' : `: ${said.text}`}`;
  return new PeagenError(
    'original_fails',
    `No call that Peagen made is accepted by ${original.entry.fn}: ${why.replace(/\.?$/, '.')}`,
    {
      hint: hintOf(why, 'Give one call that it accepts, such as [[[3, 1, 2]]], or annotate its parameters.'),
    },
  );
}

function patienceFor(given: readonly Sighted[]): Patience {
  const steps = Math.max(0, ...given.map(({ seen }) => seen.steps));
  const ms = Math.max(0, ...given.map(({ seen }) => (Number.isFinite(seen.ms) ? seen.ms : 0)));
  return {
    steps: Math.max(LEAST_STEPS * (given.length === 0 ? 5 : 1), Math.ceil(steps * (1 + tuned.minorShare))),
    cpuMs: Math.max(LEAST_CPU_MS, ms * tuned.patience),
  };
}

async function conclude(
  original: Original,
  options: z.infer<typeof Options>,
  { given, extra, tried, mutants }: Known & { readonly tried: readonly Sighted[]; readonly mutants: readonly string[] },
  random: Random,
  surveys: Surveys,
  patience: Patience,
  context: EvaluatorContext,
): Promise<Derivation> {
  const { entry, source } = original;
  const text = source?.text.split('\n') ?? [];
  const raisedByGiven = new Set(given.flatMap(({ seen }) => seen.raised ?? []));
  const line = (number: number): string => text[number - 1] ?? '';
  const all = [...extra, ...tried];
  const ended = all.filter(
    ({ seen, intrudes }) =>
      seen.hash !== undefined &&
      !isMisused(seen, source?.text ?? '') &&
      (intrudes === true
        ? isDeliberate(seen, line, raisedByGiven)
        : seen.raised === undefined || isRejection(seen, line, raisedByGiven)),
  );
  const written = [...given, ...ended].map(({ call }) => call);
  const again = await surveys.plain.run(written, patience, false);
  const moved = [...given, ...ended].some((one, at) => again[at]?.hash !== one.seen.hash);
  // What a call does may depend on those before it: then it has to do the same after the same ones.
  const repeated = moved ? await runAfresh(original, written, patience, context) : undefined;
  const differs = (one: Sighted, at: number): boolean => again[at]?.hash !== (repeated?.[at] ?? one.seen).hash;
  const unstableGiven = given.filter((one, at) => one.seen.hash !== undefined && differs(one, at));
  const unstable = ended.filter((one, at) => differs(one, given.length + at));
  const mostMs = Math.max(LEAST_MS, 2 * Math.max(0, ...again.slice(0, given.length).map(({ ms }) => ms)));
  const isSlow = (at: number): boolean => !context.deterministic && (again[given.length + at]?.ms ?? 0) > mostMs;
  const slow = ended.filter((_, at) => isSlow(at));
  const pool: TriedCall[] = ended.flatMap((one, at) =>
    differs(one, given.length + at) || isSlow(at)
      ? []
      : [
          {
            ...{ call: one.call, size: sizeOf(one.draft), notices: one.notices === true },
            seen: { ...one.seen, ms: again[given.length + at]?.ms ?? 0 },
          },
        ],
  );
  const givenSteps = given.reduce((total, { seen }) => total + seen.steps, 0);
  const givenMs = again.slice(0, given.length).reduce((total, { ms }) => total + ms, 0);
  const steps = Math.max(LEAST_TOTAL_STEPS, 2 * givenSteps);
  // By the clock a bound must be wide, or the machine's load would decide which calls are chosen.
  const ms = context.deterministic ? Number.POSITIVE_INFINITY : Math.max(LEAST_TOTAL_MS * 25, 2 * givenMs);
  const timed = given.length > 0 ? given.map(({ call }) => call) : demanding(pool, { each: MOST_TIMED, steps, ms });
  if (timed.length === 0)
    throw notEntered(
      original,
      all.map(({ seen }) => seen),
    );
  const timedSet = new Set(timed);
  const rest = pool.filter(({ call }) => !timedSet.has(call));
  const covered = new Set(given.flatMap(({ seen }) => seen.features));
  const shown: TriedCall[] = [
    ...given.map(({ call, seen, draft }) => ({ call, seen, size: sizeOf(draft) })),
    ...pool.filter(({ call }) => timedSet.has(call)),
  ];
  const told = await mutantsTold(mutants, original.reversals, shown, rest, covered, random, surveys);
  const halves = choose(rest, told.by, covered, { each: tuned.kept, steps, ms });
  const remembers = await isRemembering([...shown, ...rest], surveys.plain, patience);
  const inOrder = (half: readonly TriedCall[]): Call[] => {
    const calls = half.map(({ call }) => call);
    return remembers ? withRepeats(calls, random) : calls;
  };
  const [derived, heldout] = [inOrder(halves.visible), inOrder(halves.heldout)];
  const kept = [...shown, ...halves.visible, ...halves.heldout];
  const { lines, missed, ran } = linesOf(
    original.probes,
    surveys.traced.lines,
    kept.map(({ seen }) => seen),
  );
  const rejectedIn = (numbers: readonly number[]): number => numbers.filter((number) => rejecting.test(line(number))).length;
  const rejections = { hit: rejectedIn(ran), of: rejectedIn(ran) + rejectedIn(missed) };
  const noticed = new Set(kept.flatMap((one) => [...(told.by.get(one) ?? [])].filter((mutant) => mutant < told.of)));
  const returning = shown.filter(({ call, seen }) => timedSet.has(call) && seen.raised === undefined && seen.hash !== undefined);
  const longer = await longerCalls(
    returning.map(({ call }) => readCall(call)),
    { original, surveys, deterministic: context.deterministic, random },
  );
  const endless = await endlessCall(tried, surveys.plain, context);
  const cut = all.filter(({ seen }) => seen.cut === 1).length;
  const confidence: Confidence = {
    given: given.length,
    derived: derived.length + longer.length + (given.length === 0 ? timed.length : 0),
    heldout: heldout.length,
    attacked: 0,
    lines,
    missed: missed.filter((number) => !rejecting.test(line(number))),
    rejections,
    mutants: { hit: noticed.size, of: told.of },
    dropped: { slow: slow.length + cut, unstable: unstable.length },
    ignored: options.ignore_effects,
    limits: limitsOf({
      fn: entry.fn,
      made: kept.length - given.length,
      accepted: pool.filter(({ seen }) => seen.raised === undefined).length,
      endless,
      slow: slow.length,
      unstable: unstable.map(({ call }) => call),
      unstableGiven: unstableGiven.map(({ call }) => call),
      notes: [
        ...new Set([
          ...surveys.traced.notes,
          ...surveys.plain.notes,
          ...(original.runtime === 'node' ? outsideOf(original) : []),
        ]),
      ],
      missed,
      own: original.source?.lines[0] ?? [0, Number.POSITIVE_INFINITY],
    }),
  };
  context.log.debug(
    { fn: entry.fn, confidence, first: showCall(entry.fn, timed[0] ?? { args: [], kwargs: {} }) },
    'Calls were derived.',
  );
  return {
    calls: timed,
    derived,
    heldout,
    longer,
    confidence,
  };
}

/** Runs in a process that has made no call before. */
async function runAfresh(original: Original, calls: readonly Call[], patience: Patience, context: EvaluatorContext) {
  const survey = new Survey(context.sandboxes, original.runtime, original.surveyed, context.signal);
  try {
    return await survey.run(calls, patience, false);
  } finally {
    await survey.close();
  }
}

/** Returns whether a call does something else when it is made a second time. */
async function isRemembering(tried: readonly TriedCall[], survey: Survey, patience: Patience): Promise<boolean> {
  const twice = tried.slice(0, 2 * tuned.kept).flatMap(({ call }) => [call, call]);
  const seen = await survey.run(twice, patience, false);
  return seen.some(({ hash }, at) => at % 2 === 1 && hash !== seen[at - 1]?.hash);
}

/** The calls with the most steps that return something, a different way each. */
function demanding(pool: readonly TriedCall[], { each, steps }: Room): Call[] {
  const ordered = pool
    .filter(({ seen }) => seen.raised === undefined && seen.steps < steps)
    .toSorted(
      (a, b) => b.seen.steps - a.seen.steps || b.size - a.size || (JSON.stringify(a.call) < JSON.stringify(b.call) ? -1 : 1),
    );
  const results = new Set<number | undefined>();
  const distinct = ordered.filter(({ seen }) => !results.has(seen.hash) && results.add(seen.hash));
  return [...distinct, ...ordered.filter((one) => !distinct.includes(one))].slice(0, each).map(({ call }) => call);
}

/** `of`: how many mutants load, which have the numbers up to that; those behind are reversals. */
async function mutantsTold(
  mutants: readonly string[],
  reversals: readonly string[],
  shown: readonly TriedCall[],
  rest: readonly TriedCall[],
  covered: ReadonlySet<number>,
  random: Random,
  surveys: Surveys,
): Promise<{ by: Map<TriedCall, Set<number>>; of: number }> {
  const early = choose(rest, new Map(), covered, { each: tuned.calls / 2, steps: MOST_MUTANT_STEPS, ms: 1000, alike: 8 });
  const few = shown.filter(({ seen }) => seen.steps < MOST_MUTANT_STEPS / 4);
  const chosen = new Set([...early.visible, ...early.heldout, ...rest.filter(({ notices }) => notices === true)]);
  const calls = [...random.shuffle([...chosen]), ...few];
  const texts = [...mutants, ...reversals];
  const bounds: Patience = { steps: mutantSteps(calls), cpuMs: 20 + Math.max(0, ...calls.map(({ seen }) => seen.ms)) * 10 };
  const written = calls.map(({ call }) => call);
  const all = await mutantsIn(surveys, texts, written, bounds, MOST_TELLING);
  const by = new Map<TriedCall, Set<number>>();
  // A mutant that does not load does not test the calls.
  const loaded = all.flatMap((told) => (told === undefined ? [] : [told]));
  for (const [mutant, told] of loaded.entries()) {
    for (const at of told) {
      const call = calls[at];
      if (call === undefined) continue;
      const known = by.get(call) ?? new Set();
      by.set(call, known.add(mutant));
    }
  }
  return { by, of: all.slice(0, mutants.length).filter((told) => told !== undefined).length };
}

/** The smallest call that does not end when it is given far more time than the others. */
async function endlessCall(tried: readonly Sighted[], survey: Survey, context: EvaluatorContext): Promise<Call | undefined> {
  const endless = tried.filter(({ seen }) => seen.cut === 1);
  const [smallest] = smallestFirst(endless, ({ draft }) => draft);
  if (smallest === undefined) return undefined;
  const patience: Patience = { steps: 5_000_000, cpuMs: context.deterministic ? 5000 : 400 };
  const [seen] = await survey.run([smallest.call], patience, false);
  return seen?.cut === 1 ? smallest.call : undefined;
}
