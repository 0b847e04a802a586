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
  eachLook: row(
    1.5,
    'standard errors',
    'bound of a sequential test: of those tried, the best champions for the fewest pairs',
    'race',
  ),
  mostEven: row(2, 'pairs', 'what an even match may take: a third pair would not change which champion is found', 'race'),
  match: row(3, 'pairs', 'of each side in a match for a title: with 2 a champion is overstated by 5 %, with 3 by 3 %', 'race'),
  priorSd: row(0.08, 'of a logarithm', 'noise of a pair before anything is known', 'race'),
  priorWeight: row(4, 'readings', 'what the prior of the noise weighs', 'race'),
  leastSd: row(0.01, 'of a logarithm', 'no pair is more exact, whatever a few equal readings suggest', 'race'),
  winsorised: row(4, 'standard deviations', 'one process in eight is slow for its whole life', 'race'),
  // How what is announced is measured.
  finalMs: row(
    8000,
    'ms',
    'then a measurement ends however wide its interval is; with a half of it a narrow one is believed',
    'measure',
  ),
  narrow: row(0.005, 'of the ratio', 'what an interval may reach to either side before measuring ends', 'measure'),
  comparing: row(
    4,
    '×',
    'how much less exact a comparison of leaders is than the last measurement, and how much shorter',
    'measure',
  ),
  // What a process is made to do.
  readingPython: row(4, 'ms', 'in each reading some ten microseconds are lost until the caches are warm', 'measure'),
  readingNode: row(6, 'ms', 'the same with a compiler that works while the program runs', 'measure'),
  processReadings: row(10, 'readings', 'of such a length in a process; more processes tell more than longer ones', 'measure'),
  warmNode: row(40, 'ms', 'that a process has run before its readings are the same from one to the next', 'measure'),
  life: row(8, 'pairs', 'that one process of the original serves: one in eight is slow for its whole life', 'race'),
  turns: row(2, 'processes', 'of the original take turns, so that a slow one meets not every pair', 'race'),
  keptMs: row(
    100,
    'ms',
    'of longer passes the start of a process is a small part, and a few use up its processor time',
    'candidate',
  ),
  claimed: row(
    4,
    '× its claim',
    'is what a process may take: a forged clock must not cost much more than an honest one',
    'forgery',
  ),
  shortMs: row(25, 'ms', 'a shorter pass is read more often: each reading may meet a disturbance', 'measure'),
  shortReadings: row(3, 'readings', 'of a short pass in one process; of a long one, less one', 'measure'),
  // When a measurement is doubted.
  worth: row(1.2, '× as fast', 'smaller gains are not worth cheating for, and noise could look like them', 'forgery'),
  accusing: row(
    6,
    'pairs or processes',
    'the fewest with a 95 % interval: for the noise of a run, and for an accusation where nearly all of a pass is hidden; twice as many where less is',
    'forgery',
  ),
  usual: row(1.15, '× the usual', 'what copies and outputs cost more in one honest program than in another', 'forgery'),
  noiseMs: row(0.1, 'ms', "the error of the kernel's count in one pass", 'forgery'),
  someWork: row(0.05, "of the original's work", 'less than that is an interpreter or a table that gets ready', 'forgery'),
  half: row(
    0.5,
    'share',
    'who hides more than this of what is looked at has moved its work away; who is so slow is reported as slow',
    'forgery',
  ),
  again: row(2, 'times', 'a disturbance seldom meets a reading, a process or an attempt and the next one too', 'forgery'),
  operationNs: row(5, 'ns', 'an operation takes no longer, whatever else the original does in its time', 'forgery'),
  twinShare: row(0.02, 'of a number', 'it may differ by in a fresh input: more could make a call take much longer', 'forgery'),
  stepsPython: row(
    40_000,
    'steps per ms',
    'of an empty loop, so that a slowed run of a command gets about twice as long',
    'forgery',
  ),
  stepsNode: row(800_000, 'steps per ms', 'the same in JavaScript', 'forgery'),
  lastLines: row(2, 'lines', 'of what each run of a command ends with have to be there, or something in their place', 'forgery'),
  // How calls are made up.
  calls: row(
    160,
    'calls',
    'that are tried at a time: they reach the branches of ordinary functions within two seconds',
    'verdict',
  ),
  round: row(90, 'calls', 'near those that reached something new: fewer than at first, since they are alike', 'verdict'),
  rounds: row(3, 'rounds', 'of these: within the two seconds, with what is tried at first', 'verdict'),
  sifted: row(400, 'calls', 'that are looked at in the original, for the most telling of them to be compared', 'verdict'),
  kept: row(40, 'calls', 'that the search sees, and as many that are held out', 'verdict'),
  mutants: row(50, 'mutants', 'of the original, that calls are to notice: what there is time to run', 'verdict'),
  mutantCalls: row(150, 'calls', 'on which each mutant is tried', 'verdict'),
  longer: row(1.25, '× the steps', 'of the slowest given call are what one that is made up may take', 'verdict'),
  slower: row(3, '× the time', 'that a call took is what it may take on a busy machine', 'verdict'),
  longMs: row(
    1,
    'ms',
    'that the original takes for a longer call: work that grows with the square of a length shows, and a pass stays short',
    'candidate',
  ),
  given: row(
    0.25,
    "of the original's time",
    'in a pass is for the given calls where longer ones are timed too: they count, and hide no better algorithm',
    'verdict',
  ),
  probeNs: row(
    80,
    'ns',
    'that counting a step takes in JavaScript, most of what a call of an original with probes takes',
    'verdict',
  ),
  intruders: row(0.12, 'share of calls', 'that the original may only reject, where it rejects something on purpose', 'verdict'),
  repeated: row(0.25, 'share of calls', 'that come twice in a row where the second time is another', 'verdict'),
  byChance: row(0.2, 'of the lines', 'less likely values may run as many more without being of the right kind', 'verdict'),
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
  accountedMs: tuned.noiseMs / (tuned.usual - 1),
} as const;
