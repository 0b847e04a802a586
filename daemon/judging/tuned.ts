/**
 * Every number that was chosen by trying, of judging speed, of the rules against forged measurements, and of the calls that are
 * made up: with its unit, why it is what it is, and the benchmark (`npm run bench -- NAME`) that shows what another value would
 * do. Constants of mathematics, and limits that only bound a cost (their names begin with MOST or LEAST), stand where they are
 * used. So do the odds by which made-up values are drawn: they decide which calls are proposed, and every call is compared exactly.
 */

interface Tuned {
  readonly value: number;
  readonly unit: string;
  readonly why: string;
  readonly bench: 'race' | 'forgery' | 'measure' | 'candidate' | 'verdict';
}

/** One row for each number, as it is printed by the benchmark of the race. */
export const table = {
  // How a search measures.
  repeats: row(
    2,
    'times',
    'a disturbance seldom meets a reading, a process or an attempt and the next one too; a third pair of an even match would not change which champion is found',
    'race',
  ),
  readings: row(
    3,
    'readings',
    'their median leaves out one that was disturbed: with 2 in a match a champion is overstated by 5 %, with 3 by 3 %',
    'race',
  ),
  priorSd: row(0.08, 'of a logarithm', 'noise of a pair before a run has measured its own', 'race'),
  life: row(8, 'pairs', 'that one process of the original serves: one in eight is slow for its whole life', 'race'),
  // How what is announced is measured.
  finalMs: row(
    8000,
    'ms',
    'then a measurement ends however wide its interval is; with a half of it a narrow one is believed',
    'measure',
  ),
  narrow: row(0.005, 'of the ratio', 'what an interval may reach to either side before measuring ends', 'measure'),
  // What a process is made to do.
  reading: row(4, 'ms', 'in each reading some ten microseconds are lost until the caches are warm', 'measure'),
  process: row(
    40,
    'ms',
    'of passes in a process: what compiles is warm by then, and more processes tell more than longer ones',
    'measure',
  ),
  patience: row(
    4,
    '× what it claims or took',
    'is what something may take: a busy machine is slower, and a forged clock must not cost much more than an honest one',
    'forgery',
  ),
  // When a measurement is doubted.
  worth: row(
    1.2,
    '× as fast',
    'smaller gains are not worth cheating for, and noise could look like them: copies and outputs of one honest program cost as much more than those of another',
    'forgery',
  ),
  noiseMs: row(0.1, 'ms', "the error of the kernel's count in one pass", 'forgery'),
  slightShare: row(
    0.05,
    'share',
    "of the original's work that an interpreter or a table takes to get ready, and of a number that a fresh input may differ by",
    'forgery',
  ),
  half: row(
    0.5,
    'share',
    'who hides more than this of what is looked at has moved its work away; who is so slow is reported as slow',
    'forgery',
  ),
  operationNs: row(5, 'ns', 'an operation takes no longer, whatever else the original does in its time', 'forgery'),
  stepsPython: row(
    40_000,
    'steps per ms',
    'of an empty loop, so that a slowed run of a command gets about twice as long',
    'forgery',
  ),
  stepsNode: row(800_000, 'steps per ms', 'the same in JavaScript', 'forgery'),
  // How calls are made up.
  calls: row(
    160,
    'calls',
    'that are tried at a time: they reach the branches of ordinary functions within two seconds',
    'verdict',
  ),
  round: row(90, 'calls', 'near those that reached something new: fewer than at first, since they are alike', 'verdict'),
  rounds: row(3, 'rounds', 'of these: within the two seconds, with what is tried at first', 'verdict'),
  kept: row(40, 'calls', 'that the search sees, and as many that are held out', 'verdict'),
  sifted: row(400, 'calls', 'that are looked at in the original, for the most telling of them to be compared', 'verdict'),
  mutants: row(50, 'mutants', 'of the original, that calls are to notice: what there is time to run', 'verdict'),
  intruders: row(0.12, 'share of calls', 'that the original may only reject, where it rejects something on purpose', 'verdict'),
  minorShare: row(
    0.25,
    'share',
    'of a pass for the given calls, of calls for those that come twice, and how much longer they may take or how much less they may run: they count, and leave most to the others',
    'verdict',
  ),
  longMs: row(
    1,
    'ms',
    'that the original takes for a longer call: work that grows with the square of a length shows, and a pass stays short',
    'candidate',
  ),
  probeNs: row(
    80,
    'ns',
    'that counting a step takes in JavaScript, most of what a call of an original with probes takes',
    'verdict',
  ),
} as const satisfies Readonly<Record<string, Tuned>>;

function row<V extends number>(value: V, unit: string, why: string, bench: Tuned['bench']): Tuned & { readonly value: V } {
  return { value, unit, why, bench };
}

type Name = keyof typeof table;

/** The values alone. */
export const tuned = Object.fromEntries(Object.entries(table).map(([name, { value }]) => [name, value])) as Readonly<
  Record<Name, number>
>;

/** What follows from the numbers of the table. */
export const derived = {
  /** Half-way between half and all: the share to doubt where an honest program can show half by chance. */
  most: (1 + tuned.half) / 2,
  /** Milliseconds in which the error of the kernel's count is as large as what one honest program may cost more than another. */
  accountedMs: tuned.noiseMs / (tuned.worth - 1),
} as const;
