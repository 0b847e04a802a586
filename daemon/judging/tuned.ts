/**
 * Every number that was chosen by trying, of judging speed and of the rules against forged measurements: with its unit, why it
 * is what it is, and the benchmark (`npm run bench -- NAME`) that shows what another value would do. Constants of mathematics and
 * limits that only bound a cost stand where they are used.
 */

interface Tuned {
  readonly value: number;
  readonly unit: string;
  readonly why: string;
  readonly bench: 'race' | 'forgery' | 'measure' | 'candidate';
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
  calibration: row(5, 'pairs', 'of the original against itself, from which a run first learns how noisy pairs are', 'race'),
  match: row(3, 'pairs', 'of each side in a match for a title: with 2 a champion is overstated by 5 %, with 3 by 3 %', 'race'),
  settled: row(12, 'readings', 'a champion with as many is known well enough to need no further match', 'race'),
  priorSd: row(0.08, 'of a logarithm', 'noise of a pair before anything is known', 'race'),
  priorWeight: row(4, 'readings', 'what the prior of the noise weighs', 'race'),
  leastSd: row(0.01, 'of a logarithm', 'no pair is more exact, whatever a few equal readings suggest', 'race'),
  winsorised: row(4, 'standard deviations', 'one process in eight is slow for its whole life', 'race'),
  hopeless: row(0.5, 'share of the best', 'a correct candidate that is clearly below it is reported as slow', 'race'),
  // What a process is made to do.
  shortMs: row(25, 'ms', 'a shorter pass is read more often: each reading may meet a disturbance', 'measure'),
  shortReadings: row(3, 'readings', 'of a short pass in one process; of a long one, less one', 'measure'),
  record: row(
    0.95,
    'of all readings before',
    'who is faster may have left something out, and its outputs are compared',
    'forgery',
  ),
  // When a measurement is doubted.
  worth: row(1.2, '× as fast', 'smaller gains are not worth cheating for, and noise could look like them', 'forgery'),
  accusing: row(
    6,
    'pairs or processes',
    'before an accusation where nearly all of a pass is hidden, and twice as many where less is',
    'forgery',
  ),
  usual: row(1.15, '× the usual', 'what copies and outputs cost more in one honest program than in another', 'forgery'),
  noiseMs: row(0.1, 'ms', "the error of the kernel's count in one pass", 'forgery'),
  accountedMs: row(0.7, 'ms', "in less, the error of the kernel's count may be as large as what is counted", 'forgery'),
  someWork: row(0.05, "of the original's work", 'less than that is an interpreter or a table that gets ready', 'forgery'),
  charged: row(0.15, "of the original's pass", 'a candidate that is charged more than it claims is measured longer', 'forgery'),
  half: row(0.5, 'share', 'a candidate that hides more than this of what is looked at has moved its work away', 'forgery'),
  most: row(0.75, 'share', 'the same where an honest program can show half by chance', 'forgery'),
  cold: row(1.5, '× as fast', 'who is this much faster on first sight does less work', 'forgery'),
  firstSight: row(1.6, '× as long', 'what an honest program shows on an input that is new to it', 'forgery'),
  keptOnTwins: row(0.6, 'of the claim', 'a gain that shows as much on fresh inputs is believed', 'forgery'),
  sparedOnTwins: row(0.25, 'of the gain', 'one that shows as little there is forged', 'forgery'),
} as const satisfies Readonly<Record<string, Tuned>>;

function row<V extends number>(value: V, unit: string, why: string, bench: Tuned['bench']): Tuned & { readonly value: V } {
  return { value, unit, why, bench };
}

type Name = keyof typeof table;

/** The values alone. */
export const tuned = Object.fromEntries(Object.entries(table).map(([name, { value }]) => [name, value])) as Readonly<
  Record<Name, number>
>;
