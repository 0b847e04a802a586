/**
 * Random calls of the functions in test/fixtures/everyday and in test/bench/offline/blind and second to seventh, which share nothing
 * with the calls that Peagen makes for them.
 */
import type * as z from 'zod';
import type { Json } from '../../shared/judging.ts';
import type { Draw } from './draw.ts';
import { fifth } from './draws/fifth.ts';
import { fourth } from './draws/fourth.ts';
import { seventh } from './draws/seventh.ts';
import { sixth } from './draws/sixth.ts';
import { third } from './draws/third.ts';

export type Value = z.infer<typeof Json>;

const names = (d: Draw, longest = 12) => d.list(longest, () => d.name());
const numbers = (d: Draw, low: number, high: number) => d.list(14, () => d.int(low, high));
const text = (d: Draw, parts: readonly [string, ...string[]]) => d.list(14, () => d.pick(parts)).join('');

function nested(d: Draw, depth: number): Value {
  return depth === 0 || d.chance(0.4) ? d.int(0, 9) : d.list(4, () => nested(d, depth - 1));
}

/** A day in one of few months, so that days repeat. */
const date = (d: Draw) => `2024-${d.pick(['02', '03', '12'])}-${String(d.int(1, 29)).padStart(2, '0')}`;

/** A time of the day, often one of few. */
const time = (d: Draw) => `${String(d.chance(0.5) ? 9 : d.int(0, 23)).padStart(2, '0')}:${d.pick(['00', '15', '30', '59'])}`;

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
  'folder_sizes.py': (d) => [
    d.list(14, () => ({
      path: [...d.list(4, () => d.pick(['', 'src', 'src', 'src2', 'lib', 'a b'])), d.pick(['x.py', 'src', d.word()])].join('/'),
      bytes: d.int(0, 40),
      changed: d.int(0, 9),
    })),
    d.int(0, 80),
  ],
  'delivery_dates.py': (d) => [
    d.list(9, () => ({
      id: d.int(1, 30),
      placed: date(d),
      days: d.int(0, 9),
      ...(d.chance(0.4) ? { express: d.chance(0.7) } : {}),
    })),
    d.list(12, () => date(d)),
  ],
  'project_plan.py': (d) => {
    const known = ['dig', 'walls', 'roof', 'paint', 'garden', 'party', 'clean', 'sell'];
    const size = d.int(0, known.length);
    return [
      known.slice(0, size).map((name, index) => ({
        name: d.chance(0.03) ? 'dig' : name,
        days: d.int(0, 5),
        after: d.list(3, () =>
          d.chance(0.04) ? d.pick(['permit', 'permit', 'walls']) : (known[d.int(0, index) - 1] ?? 'permit'),
        ),
        ...(d.chance(0.3) ? { earliest: d.int(0, 12) } : {}),
      })),
    ];
  },
  'price_list.py': (d) => [
    d.list(9, () => ({
      sku: d.word(),
      category: d.pick(['hats', 'shoes', 'bags']),
      cents: d.int(0, 3000),
      tags: d.list(3, () => d.pick(['new', 'summer', 'red'])),
      ...(d.chance(0.2) ? { applied: d.list(2, () => d.word()) } : {}),
    })),
    d.list(6, () => ({
      name: d.word(),
      category: d.pick(['*', 'hats', 'shoes', 'toys']),
      ...(d.chance(0.4) ? { tag: d.pick(['new', 'summer', null]) } : {}),
      ...(d.chance(0.3) ? { from: d.int(0, 2000) } : {}),
      ...(d.chance(0.6) ? { percent: d.int(0, 100) } : { off: d.int(0, 1500) }),
    })),
  ],
  'peak_sessions.py': (d) => [
    d
      .list(16, () =>
        d.chance(0.1)
          ? d.pick(['', 'restart', 'disk full today', '09:00 login'])
          : `${time(d)} ${d.pick(['login', 'login', 'logout', 'ping'])} ${d.name()}`,
      )
      .sort(),
  ],
  'strongest_pairs.py': (d) => {
    const rows = d.chance(0.2) ? d.int(0, 2) : d.int(3, 9);
    return [
      Object.fromEntries(
        Array.from({ length: d.int(0, 7) }, () => [
          d.pick(['rain', 'ice', 'staff', 'visitors', d.word()]),
          Array.from({ length: d.chance(0.1) ? d.int(0, 9) : rows }, () => (d.chance(0.3) ? d.cents(-5, 30) : d.int(0, 4))),
        ]),
      ),
      d.pick([0, 0, 0.3, 0.5, 0.9, 1]),
    ];
  },
  'spread_artists.py': (d) => [
    d.list(14, () => ({ artist: d.name(), title: d.pick(['Rise', 'Fall', d.word()]), seconds: d.int(30, 400) })),
  ],
  'word_index.mjs': (d) => [
    d.list(9, (at) => ({
      number: d.chance(0.2) ? d.int(1, 9) : at + 1,
      text: d
        .list(10, () => d.pick(['ship', 'Ship', 'storm', 'the', 'at', 'far-off', 'Zoë', d.word()]))
        .join(d.pick([' ', ', '])),
    })),
    d.list(3, () => d.pick(['the', 'storm', 'The', 'at'])),
  ],
  'agenda.mjs': (d) => [
    d.list(12, () => ({ date: date(d), time: time(d), title: d.name(), minutes: d.int(0, 120) })),
    d.pick(['2024-01-01', '2024-02-10', date(d)]),
    d.pick(['2024-12-31', '2024-12-31', date(d)]),
  ],
  'mailing_labels.mjs': (d) => [
    d.list(14, () => ({
      name: d.name(),
      address: {
        street: d.pick(['5 High St.', '5  high street', '5 High Street ', '1 Mill Lane', '', d.word()]),
        ...(d.chance(0.7) ? { code: d.pick(['10115', '10 115', 'none', '']) } : {}),
        town: d.pick(['Ely', 'ELY ', 'Bath', 'Bath', '']),
      },
    })),
  ],
  'word_ladder.mjs': (d) => {
    const word = () => (d.chance(0.05) ? d.word() : Array.from({ length: 3 }, () => d.pick(['a', 'b', 'o', 's'])).join(''));
    const words = d.list(40, word);
    const known = () => (d.chance(0.8) ? d.pick(['bab', ...words]) : word());
    return [known(), known(), words];
  },
  'league-table.ts': (d) => [
    d.list(14, () => ({
      home: d.name(),
      away: d.name(),
      score: d.chance(0.15) ? null : [d.int(0, 3), d.int(0, 3)],
    })),
  ],
  'stock-cost.ts': (d) => {
    const product = () => d.pick(['tea', 'tea', 'rice', 'salt']);
    return [
      d.list(12, () => ({
        product: product(),
        day: d.int(0, 8),
        quantity: d.int(0, 9),
        price: d.chance(0.3) ? d.cents(0, 9) : d.int(1, 9),
      })),
      d.list(10, () => ({ product: d.chance(0.1) ? 'nuts' : product(), day: d.int(0, 9), quantity: d.int(0, 12) })),
    ];
  },
  'paint-picture.ts': (d) => {
    const width = d.int(0, 7);
    return [
      d.list(7, () =>
        Array.from({ length: d.chance(0.1) ? d.int(0, 7) : width }, () => d.pick(['.', '.', '.', '#', 'o'])).join(''),
      ),
      d.list(5, () => ({ row: d.int(-1, 6), column: d.int(-1, 6), colour: d.pick(['.', '#', 'o', 'x']) })),
    ];
  },
};

const later: Readonly<Record<string, Readonly<Record<string, (d: Draw) => Value[]>>>> = { third, fourth, fifth, sixth, seventh };

/** `set` is the folder of the file: a name may be in several. */
export function drawsOf(file: string, set?: string): (d: Draw) => Value[] {
  const draw = ((set === undefined ? undefined : later[set]) ?? draws)[file];
  if (draw === undefined) throw new Error(`No calls are drawn for ${file}.`);
  return draw;
}
