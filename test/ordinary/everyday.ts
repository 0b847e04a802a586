/** Random calls of the functions in test/fixtures/everyday and test/bench/offline/blind, which share nothing with the calls that Peagen makes for them. */
import type * as z from 'zod';
import type { Json } from '../../shared/judging.ts';
import type { Draw } from './draw.ts';

export type Value = z.infer<typeof Json>;

const names = (d: Draw, longest = 12) => d.list(longest, () => d.name());
const numbers = (d: Draw, low: number, high: number) => d.list(14, () => d.int(low, high));
const text = (d: Draw, parts: readonly [string, ...string[]]) => d.list(14, () => d.pick(parts)).join('');

function nested(d: Draw, depth: number): Value {
  return depth === 0 || d.chance(0.4) ? d.int(0, 9) : d.list(4, () => nested(d, depth - 1));
}

/** The arguments of one call, by the name of the function's file. */
const draws: Readonly<Record<string, (d: Draw) => Value[]>> = {
  'caesar.py': (d) => [text(d, ['a', 'z', 'm', 'Q', ' ', '.', 'é']), d.int(-30, 60)],
  'collatz_longest.py': (d) => [d.int(-2, 60)],
  'grade_report.py': (d) => [numbers(d, 0, 100)],
  'is_balanced.py': (d) => [text(d, ['(', ')', '[', ']', '{', '}', 'x', '()', '[]'])],
  'longest_streak.py': (d) => [numbers(d, -5, 15)],
  'perfect_numbers.py': (d) => [d.int(-2, 120)],
  'shared_friends.py': (d) => [names(d), names(d)],
  'countClosePairs.mjs': (d) => [numbers(d, -9, 9), d.int(-1, 6)],
  'fibonacciSum.mjs': (d) => [d.int(-2, 14)],
  'flattenDeep.mjs': (d) => [d.list(5, () => nested(d, 3))],
  'removeRepeats.mjs': (d) => [d.list(12, () => d.pick(['a', ' A', 'b ', 'B', 'long line', 'Long Line ', '', ' ']))],
  'runLength.mjs': (d) => [text(d, ['a', 'a', 'aaa', 'b', ' ', '7', 'é'])],
  'stockAlerts.mjs': (d) => [
    d.list(6, () => ({ name: d.name(), stock: d.int(0, 9), minimum: d.int(0, 12) })),
    d.list(9, () => ({ product: d.name(), quantity: d.int(0, 4) })),
  ],
  'titleCase.mjs': (d) => [d.list(8, () => d.pick(['the', 'Of', 'AND', 'house', 'a', '', 'x-ray', d.word()])).join(' ')],
  'lastSeen.ts': (d) => [d.list(12, () => ({ user: d.name(), time: d.int(0, 50) }))],
  'lookAndSay.ts': (d) => [d.int(-1, 12)],
  'maxDrop.ts': (d) => [numbers(d, -9, 40)],
  'percentile.ts': (d) => [numbers(d, -9, 40), d.int(-5, 110)],
  'slugify.ts': (d) => [text(d, ['A', 'b', '7', ' ', '-', '!', 'é', 'Hello, ', 'wOrld'])],
  'triangleCount.ts': (d) => [numbers(d, 0, 9)],
  'vowelWords.ts': (d) => [d.list(10, () => d.pick(['', 'AEIOU', 'queue', d.word(), d.word()])), d.int(0, 5)],
  'anagram_groups.py': (d) => [d.list(9, () => d.pick(['tea', 'eat', 'ate', 'a', '', 'on', 'no', d.word()]))],
  'moving_max.py': (d) => [numbers(d, -9, 40), d.int(1, 6)],
  'z_scores.py': (d) => [numbers(d, -9, 40)],
  'aboveAverage.mjs': (d) => [d.list(9, () => ({ name: d.name(), score: d.int(0, 9) }))],
  'normalise.mjs': (d) => [numbers(d, -9, 40)],
  'pickWinners.mjs': (d) => [d.list(8, () => d.list(5, () => d.int(0, 9))), d.list(5, () => d.int(0, 9))],
  'transpose.mjs': (d) => [d.list(6, () => d.list(5, () => d.int(0, 9)))],
  'wordStats.mjs': (d) => [
    d.list(14, () => d.pick(['this', 'that', 'This', 'a', 'of', 'word', 'other-words', d.word()])).join(' '),
  ],
  'leaderboard.ts': (d) => [d.list(9, () => ({ name: d.name(), points: d.int(0, 5) }))],
  'mostFrequent.ts': (d) => [names(d)],
  'openSeats.ts': (d) => [d.int(-1, 14), numbers(d, 0, 15)],
  'shares.ts': (d) => [numbers(d, 0, 40)],
  'standardDeviation.ts': (d) => [numbers(d, -9, 40), d.int(0, 30)],
  'repeated_charges.py': (d) => [
    d.list(9, (id) => ({ id, card: d.pick(['a', 'b']), cents: d.int(1, 2), minute: d.int(0, 30) })),
    d.int(0, 12),
  ],
  'attendance.py': (d) => [
    d.list(6, (id) => ({ id, name: d.name() })),
    d.list(14, () => ({ student: d.int(0, 7), status: d.pick(['present', 'late', 'absent']) })),
    d.int(0, 100),
  ],
  'merge_contacts.py': (d) => [
    d.list(3, () =>
      d.list(5, () => ({
        email: d.pick(['a@x', ' A@x', 'b@x', 'c@x ', 'C@X']),
        name: d.name(),
        phones: d.list(4, () => d.pick(['+1 2', '12', '1-2', '', 'x', '٣'])),
      })),
    ),
  ],
  'menu_tree.py': (d) => [
    d.list(9, (id) => ({ id, parent: d.chance(0.4) ? null : d.int(-1, id - 1), title: d.name(), position: d.int(0, 3) })),
    d.int(0, 4),
  ],
  'best_window.py': (d) => [numbers(d, -9, 30), d.int(1, 6)],
  'suggest.py': (d) => [
    d.list(5, () => d.pick(['Ab', 'abc', d.word()])),
    d.list(7, () => d.pick(['ab', 'bc', d.word()])),
    d.int(0, 3),
  ],
  'invoice_text.py': (d) => [
    d.list(9, () => ({ customer: d.name(), item: d.word(), quantity: d.int(0, 9), price: d.cents(0, 20) })),
    d.int(0, 25),
  ],
  'search_notes.mjs': (d) => [
    d.list(7, (id) => ({
      id,
      title: d.name(),
      body: d.list(6, () => d.pick(['ann', 'Bob,', 'x-ann', d.word()])).join(' '),
      tags: d.list(3, () => d.name()),
      changed: d.int(0, 5),
    })),
    d.list(2, () => d.pick(['Ann', 'bob', 'a', 'li'])).join('  '),
    d.int(0, 5),
  ],
  'rank_changes.mjs': (d) => [0, 1].map(() => d.list(8, () => ({ team: d.name(), points: d.int(0, 5) }))),
  'occupancy.mjs': (d) => [
    d.list(8, () => ({ arrival: d.int(-1, 9), departure: d.int(0, 12), guests: d.int(0, 4), cancelled: d.chance(0.2) })),
    d.int(0, 12),
    d.int(0, 8),
  ],
  'price_history.mjs': (d) => [
    d.list(5, () => ({ id: d.int(0, 4), name: d.name() })),
    d.list(12, () => ({ product: d.int(0, 4), day: d.int(0, 20), cents: d.int(1, 5) })),
    d.int(0, 20),
    d.int(0, 20),
  ],
  'cart-summary.ts': (d) => [
    d.list(7, () => ({ sku: d.pick(['a', 'b', 'c', 'd']), quantity: d.int(0, 5) })),
    d.list(5, () => ({ sku: d.pick(['a', 'b', 'c']), name: d.name(), price: d.int(0, 50), group: d.pick(['x', 'y']) })),
    d.list(5, () => ({ group: d.pick(['x', 'y']), minimum: d.int(0, 6), percent: d.int(0, 50) })),
  ],
  'missing-translations.ts': (d) => [
    Object.fromEntries(
      d.list(4, (at) => [
        d.pick(['en', `l${at}`]),
        Object.fromEntries(d.list(6, () => [d.pick(['a', 'b', 'c', 'd']), d.pick(['', '{n}', '{n} x', '{m}', '{n}{m}'])])),
      ]),
    ),
    d.pick(['en', 'en', 'l1']),
  ],
  'effective-rights.ts': (d) => [
    d.list(5, () => ({
      login: d.name(),
      roles: d.list(3, () => d.pick(['p', 'q', 'r', 's'])),
      denied: d.list(2, () => d.pick(['u', 'v', 'w'])),
    })),
    d.list(5, () => ({
      name: d.pick(['p', 'q', 'r']),
      inherits: d.list(3, () => d.pick(['p', 'q', 'r', 's'])),
      rights: d.list(4, () => d.pick(['u', 'v', 'w'])),
    })),
  ],
};

export function drawsOf(file: string): (d: Draw) => Value[] {
  const draw = draws[file];
  if (draw === undefined) throw new Error(`No calls are drawn for ${file}.`);
  return draw;
}
