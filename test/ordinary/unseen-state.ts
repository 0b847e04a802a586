/**
 * A fourth set of ordinary functions: state after several calls, settings, orders by several keys, trees, roads, addresses, promises,
 * dates, tokens, pages, Unicode, bookings and paths in documents. Most of what the derivation was changed for was found with them.
 */
import type * as z from 'zod';
import type { Json } from '../../shared/judging.ts';
import type { Draw } from './draw.ts';
import type { Description } from './fixture.ts';

type Value = z.infer<typeof Json>;
type Step = { method: string; args: Value[] };

const tree = (d: Draw, depth: number): Value => ({
  ...(d.chance(0.97) ? { name: d.pick(['src', 'Lib', 'main', 'a', 'README', 'libs', 'Été']) } : {}),
  ...(depth > 0 && d.chance(0.7)
    ? { children: d.chance(0.1) ? null : d.list(3, () => (d.chance(0.1) ? null : tree(d, depth - 1))) }
    : {}),
});
const day = (d: Draw): string =>
  `${d.int(2023, 2025)}-${String(d.int(1, 12)).padStart(2, '0')}-${String(d.int(1, 31)).padStart(2, '0')}`;

export const descriptions: readonly Description[] = [
  {
    path: 'rate_limiter.py',
    entry: 'RateLimiter.allow',
    typed: [
      { args: ['ann', 10], init: [2, 60] },
      { args: ['bob', 0.5], init: [1, 10] },
    ],
    draw: (d) => ({
      args: [d.pick(['a', 'b']), d.int(0, 9)],
      init: [d.int(0, 2), d.int(1, 5)],
      before: d
        .list(8, () => ({ method: d.pick(['allow', 'allow', 'allow', 'waiting', 'reset']), args: [] }))
        .map((one, at: number) => ({ ...one, args: one.method === 'reset' ? [d.pick(['a', 'b'])] : [d.pick(['a', 'b']), at] })),
    }),
  },
  {
    path: 'parse_ini.py',
    entry: 'parse_ini',
    typed: [['[server]\nhost = example.org\nport = 80\n\n[client]\ndebug = yes'], ['name = test', { level: '1' }]],
    draw: (d) => ({
      args: [
        d
          .list(8, () =>
            d.pick([
              '[a]',
              '[b] ',
              '[ a ]',
              'Name = x',
              'name=y=z',
              'on = ON',
              'off = No',
              '; note',
              '',
              '  more',
              '\tmore',
              'bad line',
              '# x',
              'k =',
              '= v',
            ]),
          )
          .join('\n'),
        ...d.optional(d.pick<Value>([{}, { name: 'd' }, { on: 'x' }, null])),
      ],
    }),
  },
  {
    path: 'rank_people.py',
    entry: 'rank_people',
    typed: [
      [
        [
          { name: 'Ann', score: 9, age: 30 },
          { name: 'Bob', score: 7, age: 25 },
          { name: 'Cy', score: 9 },
        ],
      ],
      [
        [
          { name: 'Ann', points: 3 },
          { name: 'Bob', points: null },
        ],
        'points',
        2,
        'dense',
      ],
    ],
    draw: (d) => ({
      args: [
        d.list(8, () => ({
          name: d.name(),
          ...(d.chance(0.9) ? { score: d.pick<Value>([null, 0, 1, 2, 3, 2.5, -1]) } : {}),
          ...(d.chance(0.7) ? { age: d.int(0, 3) } : {}),
        })),
        ...d.optional<Value>(
          d.pick(['score', 'score', 'age']),
          d.pick([null, 0, 1, 2, 3]),
          d.pick(['shared', 'dense', 'none', 'other']),
        ),
      ],
    }),
  },
  {
    path: 'find_paths.py',
    entry: 'find_paths',
    typed: [
      [{ name: 'root', children: [{ name: 'Docs', children: [{ name: 'old docs' }] }, { name: 'src' }] }, 'docs'],
      [{ name: 'a', children: null }, 'A', 1],
    ],
    draw: (d) => ({ args: [tree(d, 3), d.pick(['a', 'LIB', 'src', '', 'é']), ...d.optional(d.pick([null, 0, 1, 2]))] }),
  },
  {
    path: 'cheapest_route.py',
    entry: 'cheapest_route',
    typed: [
      [
        [
          ['A', 'B', 4],
          ['B', 'C', 1],
          ['A', 'C', 7],
        ],
        'A',
        'C',
      ],
      [[['A', 'B', 2]], 'B', 'A', ['C']],
    ],
    draw: (d) => ({
      args: [
        d.list(9, () => [d.pick(['A', 'B', 'C', 'D']), d.pick(['A', 'B', 'C', 'D', 'E']), d.chance(0.02) ? -1 : d.int(0, 6)]),
        d.pick(['A', 'B']),
        d.pick(['C', 'D', 'A']),
        ...d.optional(d.list(2, () => d.pick(['A', 'B', 'C', 'D']))),
      ],
    }),
  },
  {
    path: 'parse-search.js',
    entry: 'parseSearch',
    typed: [['?q=hello+world&tag[]=a&tag[]=b'], ['a=1;b=2', { separator: ';' }]],
    draw: (d) => ({
      args: [
        `${d.chance(0.5) ? '?' : ''}${d.list(8, () => d.pick(['a=1', 'a=2', 'b', 'b[]=3', 'a[]=x', 'c[d]=4', 'c=5', 'q=a+b+c', 'x=%20', 'x=%zz', 'e=', '=f', 'h=1=2', 'toString=1', '', 'a[b][c]=1'])).join('&')}`,
        ...d.optional({ ...(d.chance(0.5) ? { most: d.int(0, 4) } : {}), ...(d.chance(0.3) ? { separator: ';' } : {}) }),
      ],
    }),
  },
  {
    path: 'unique-by.js',
    entry: 'uniqueBy',
    typed: [
      [
        [
          { id: 1, n: 'a' },
          { id: 2, n: 'b' },
          { id: 1, n: 'c' },
        ],
      ],
      [[{ user: { name: 'Ann' } }, { user: { name: 'ann' } }], 'user.name', { keep: 'last', ignoreCase: true }],
    ],
    draw: (d) => ({
      args: [
        d.list(8, () =>
          d.chance(0.05)
            ? null
            : {
                ...(d.chance(0.8) ? { id: d.pick<Value>([1, '1', 'a', 'A', null, 0, { k: 1 }]) } : {}),
                n: d.int(0, 2),
                u: d.pick<Value>([null, { k: 1 }, { k: 'x' }, { k: 'X' }, {}]),
              },
        ),
        ...d.optional<Value>(d.pick(['id', 'u.k', 'n', 'toString']), {
          ...(d.chance(0.7) ? { keep: d.pick(['first', 'last', 'none']) } : {}),
          ...(d.chance(0.5) ? { ignoreCase: true } : {}),
        }),
      ],
    }),
  },
  {
    path: 'load-all.js',
    entry: 'loadAll',
    typed: [[[1, 2, 3]], [[4, -1, 5], { batch: 3 }]],
    draw: (d) => ({
      args: [
        d.list(7, () => d.pick<Value>([1, 2, 3, -1, -2, 'x', 0])),
        ...d.optional({ ...(d.chance(0.5) ? { batch: d.int(0, 3) } : {}), ...(d.chance(0.3) ? { strict: d.chance(0.5) } : {}) }),
      ],
    }),
    together: 3,
  },
  {
    path: 'add-business-days.js',
    entry: 'addBusinessDays',
    typed: [
      ['2024-03-28', 2, ['2024-03-29', '2024-04-01']],
      ['2024-12-23', 1],
    ],
    draw: (d) => ({
      args: [
        d.chance(0.02) ? 'x' : day(d),
        d.int(-9, 9),
        ...d.optional(d.list(5, () => d.pick([day(d), day(d).slice(5), day(d).slice(5)]))),
      ],
    }),
  },
  {
    path: 'tokenizer.ts',
    entry: 'Tokenizer.next',
    typed: [
      { args: [], init: ['let x = 10 # ten'] },
      { args: [], init: ['"a b" == c'] },
    ],
    draw: (d) => ({
      args: [],
      before: d.list(5, () =>
        d.pick<Step>([
          { method: 'next', args: [] },
          { method: 'peek', args: [] },
          { method: 'accept', args: ['a1'] },
        ]),
      ),
      init: [
        d.list(5, () => d.pick(['a1', '12.5', '"x"', '"a\\"b"', '->', '\n', '# c\n', 'é', ' ', '==', '"', '"\n"'])).join(''),
      ],
    }),
  },
  {
    path: 'shorten.ts',
    entry: 'shorten',
    typed: [
      ['The quick brown fox', 10],
      ['Zoë 👋 hello', 6, { end: '...' }],
    ],
    draw: (d) => ({
      args: [
        d.list(9, () => d.pick(['a', 'é', 'e\u0301', '👋', ' ', ' ', 'word', '  ', '👋🏽'])).join(''),
        d.int(-1, 9),
        ...d.optional({
          ...(d.chance(0.5) ? { end: d.pick(['', '...', '…', '👋']) } : {}),
          ...(d.chance(0.5) ? { whole: d.chance(0.5) } : {}),
        }),
      ],
    }),
  },
  {
    path: 'free-rooms.ts',
    entry: 'freeRooms',
    typed: [
      [
        [
          { room: 'red', from: 9, to: 11 },
          { room: 'blue', from: 13, to: 14 },
        ],
        8,
        18,
      ],
      [[{ room: 'red', from: 9, to: 10, cancelled: true }], 8, 12, 2],
    ],
    draw: (d) => ({
      args: [
        d.list(7, () => {
          const from = d.int(6, 20);
          return {
            room: d.pick(['b', 'a', 'c']),
            from,
            to: from + d.int(0, 4),
            ...(d.chance(0.3) ? { cancelled: d.chance(0.6) } : {}),
          };
        }),
        d.int(7, 10),
        d.int(9, 19),
        ...d.optional(d.int(0, 3)),
      ],
    }),
  },
];
