/**
 * Four more sets of functions, for which nobody types a call: parsers, dates, decimals, further arguments, state, in-place changes,
 * everyday helpers, and twice 16 of the size that people write. Each part was written, and judged once, before anything was changed
 * for it.
 *
 *     node test/bench/verdict.ts --variants --fixtures test/ordinary/unseen-untyped.ts
 */
import { join } from 'node:path';
import { loadFixture } from './fixture.ts';

type Entries = readonly (readonly [path: string, entry: string])[];

const fifth: Entries = [
  ['paginate.py', 'paginate'],
  ['allocate.py', 'allocate'],
  ['parse_duration.py', 'parse_duration'],
  ['wrap.py', 'wrap'],
  ['diff_dicts.py', 'diff_dicts'],
  ['rolling_median.py', 'rolling_median'],
  ['stack.py', 'Stack.undo'],
  ['parse-csv-line.js', 'parseCsvLine'],
  ['deep-merge.js', 'deepMerge'],
  ['format-bytes.ts', 'formatBytes'],
  ['merge-events.ts', 'mergeEvents'],
  ['tally.js', 'tally'],
  ['luhn.ts', 'cardKind'],
  ['rotate.py', 'rotate'],
  ['describe.py', 'describe'],
  ['chunks.py', 'chunks'],
  ['invoice.py', 'invoice'],
  ['crc.py', 'crc'],
  ['depths.py', 'depths'],
  ['digits_sum.py', 'digits_sum'],
  ['run_jobs.py', 'run_jobs'],
  ['maps.ts', 'invert'],
  ['async.js', 'retry'],
  ['deep-equal.js', 'deepEqual'],
  ['bucket.ts', 'TokenBucket.take'],
  ['intervals.ts', 'subtract'],
];

const sixth: Entries = [
  ['due_dates.py', 'due_dates'],
  ['age.py', 'age'],
  ['vat.py', 'vat'],
  ['dates.js', 'nextWeekday'],
  ['age-more.ts', 'ageAt'],
  ['text.js', 'initials'],
  ['sumby.js', 'sumBy'],
  ['unique_slug.py', 'unique_slug'],
  ['running_balance.py', 'running_balance'],
  ['determinant.py', 'determinant'],
  ['decode.py', 'decode'],
  ['islands.py', 'islands'],
  ['query.ts', 'parseQuery'],
  ['paginate-more.ts', 'pageNumbers'],
  ['cart.ts', 'Cart.total'],
  ['lru.py', 'LRU.get'],
  ['account.py', 'Account.withdraw'],
  ['partition.py', 'partition'],
  ['transform.py', 'transform'],
  ['emitter.ts', 'Emitter.emit'],
  ['undo.js', 'History.apply'],
  ['pool.ts', 'allocate'],
  ['memo.js', 'collatz'],
  ['reorder.py', 'reorder'],
  ['evaluate.py', 'evaluate'],
  ['assign.py', 'assign'],
  ['shift_text.py', 'shift_text'],
  ['score.ts', 'leaderboard'],
  ['template.js', 'render'],
  ['dedupe.js', 'mergeContacts'],
];

const seventh: Entries = [
  ['collapseLogLines.py', 'collapseLogLines'],
  ['gradeReport.py', 'gradeReport'],
  ['mergeBookings.py', 'mergeBookings'],
  ['parseDurationText.py', 'parseDurationText'],
  ['resolveBuildOrder.py', 'resolveBuildOrder'],
  ['splitBillCents.py', 'splitBillCents'],
  ['summarizeGrid.py', 'summarizeGrid'],
  ['topSellersByRegion.py', 'topSellersByRegion'],
  ['bucketByWeek.ts', 'bucketByWeek'],
  ['csvColumnStats.ts', 'csvColumnStats'],
  ['effectivePermissions.ts', 'effectivePermissions'],
  ['flattenMenu.js', 'flattenMenu'],
  ['listUpgrades.js', 'listUpgrades'],
  ['mergeSettings.js', 'mergeSettings'],
  ['parseRecipients.js', 'parseRecipients'],
  ['priceCart.js', 'priceCart'],
];

const eighth: Entries = [
  ['allocate_lots.py', 'allocate_lots'],
  ['capture_moves.py', 'capture_moves'],
  ['effective_permissions.py', 'effective_permissions'],
  ['parse_ini.py', 'parse_ini'],
  ['shopping_list.py', 'shopping_list'],
  ['statement_summary.py', 'statement_summary'],
  ['survey_tally.py', 'survey_tally'],
  ['timetable_clashes.py', 'timetable_clashes'],
  ['changelogReleases.js', 'changelogReleases'],
  ['hourlyMeans.ts', 'hourlyMeans'],
  ['orderPlaylist.js', 'orderPlaylist'],
  ['parseQuery.js', 'parseQuery'],
  ['renderTemplate.js', 'renderTemplate'],
  ['seatGuests.ts', 'seatGuests'],
  ['tallyPoll.ts', 'tallyPoll'],
  ['taxBill.ts', 'taxBill'],
];

const homeOf = (set: string): string => join(import.meta.dirname, '..', 'fixtures', 'unseen', set);
const load = (entries: Entries, set: string) => entries.map(([path, entry]) => loadFixture({ path, entry }, homeOf(set)));

export const fixtures = [
  ...load(fifth, 'fifth'),
  ...load(sixth, 'sixth'),
  ...load(seventh, 'seventh'),
  ...load(eighth, 'eighth'),
];
