/** The calls of the JavaScript and TypeScript fixtures: those that a user types, and a generator of realistic ones. */
import type * as z from 'zod';
import type { Json } from '../../shared/judging.ts';
import type { Draw } from './draw.ts';
import { type Description, loadFixture } from './fixture.ts';

type Value = z.infer<typeof Json>;

const descriptions: readonly Description[] = [
  {
    path: 'duplicates.js',
    entry: 'duplicates',
    typed: [[[1, 2, 2]], [[]], [['a', 'b', 'a']]],
    draw: (d) => {
      const make = d.pick<() => Value>([
        () => d.int(0, 9),
        () => d.int(-50, 50),
        () => d.letter(),
        () => d.pick<Value>([1, '1', 0, '', null, false, true, 'a', 2, '2']),
      ]);
      return { args: [d.list(24, make)] };
    },
  },
  {
    path: 'group-by.js',
    entry: 'groupBy',
    typed: [
      [
        [
          { kind: 'a', n: 1 },
          { kind: 'b', n: 2 },
          { kind: 'a', n: 3 },
        ],
        'kind',
      ],
      [[], 'kind'],
    ],
    draw: (d) => ({
      args: [
        d.list(12, () => ({
          ...(d.chance(0.85) ? { kind: d.pick<Value>(['a', 'b', 'c', 0, 1, '', null, false, 'none']) } : {}),
          n: d.int(0, 9),
          tags: d.words(d.int(0, 3)),
        })),
        d.pick(['kind', 'kind', 'n']),
        ...d.optional(d.pick(['n', 'tags', 'kind', 'missing'])),
      ],
    }),
  },
  {
    path: 'top-scores.ts',
    entry: 'topScores',
    typed: [
      [
        [
          { name: 'Ann', score: 9 },
          { name: 'Bob', score: 7 },
        ],
      ],
      [
        [
          { name: 'Ann', score: 5 },
          { name: 'Bob', score: 1 },
        ],
        1,
      ],
    ],
    draw: (d) => ({
      args: [
        d.list(14, () => ({
          name: d.name(),
          score: d.chance(0.8) ? d.int(0, 8) : d.cents(-5, 10),
          ...(d.chance(0.3) ? { retired: d.chance(0.5) } : {}),
        })),
        ...d.optional(d.int(0, 6)),
      ],
    }),
  },
  {
    path: 'parse-query.ts',
    entry: 'parseQuery',
    typed: [['?a=1&b=2'], ['name=ann'], ['']],
    draw: (d) => {
      const key = (): string => d.pick(['a', 'b', 'a', 'b%20c', 'x+y', 'q', '']);
      const value = (): string =>
        d.pick<() => string>([
          () => d.word(),
          () => `${d.word()}+${d.word()}`,
          () => encodeURIComponent(`ä ${d.word()}&`),
          () => `${d.int(0, 9)}=${d.int(0, 9)}`,
          () => (d.chance(0.05) ? '%zz' : '%41'),
          () => '',
        ])();
      const parts = d.list(7, () => (d.chance(0.1) ? d.pick(['', key()]) : `${key()}=${value()}`));
      return { args: [(d.chance(0.4) ? '?' : '') + parts.join('&')] };
    },
  },
  {
    path: 'rotate.js',
    entry: 'rotate',
    typed: [
      [[[1]]],
      [
        [
          [1, 2],
          [3, 4],
        ],
      ],
    ],
    draw: (d) => {
      const size = d.int(0, 6);
      const value = d.pick<() => Value>([() => d.int(0, 99), () => d.letter(), () => d.chance(0.5)]);
      return {
        args: [Array.from({ length: size }, () => Array.from({ length: d.chance(0.02) ? size + d.pick([-1, 1]) : size }, value))],
      };
    },
  },
  {
    path: 'reachable.js',
    entry: 'reachable',
    typed: [
      [{ app: ['db', 'log'], db: ['log'], log: [] }, 'app'],
      [{ a: [], b: [] }, 'a'],
    ],
    draw: (d) => {
      const modules = [...'fbdaecgh'].slice(0, d.int(1, 8));
      const one = (): string => d.pick(['b', ...modules]);
      const listed = modules.filter(() => d.chance(0.85));
      return { args: [Object.fromEntries(listed.map((name) => [name, d.list(3, one)])), one()] };
    },
  },
  {
    path: 'moving-average.js',
    entry: 'movingAverage',
    typed: [[[1, 2, 3, 4]], [[10, 20], 2], [[]]],
    draw: (d) => {
      const make = d.pick([() => d.int(-5, 5), () => d.cents(0, 100), () => d.int(0, 2)]);
      const missing = d.pick([0, 0.1, 0.5]);
      return { args: [d.list(20, () => (d.chance(missing) ? null : make())), ...d.optional(d.int(1, 6))] };
    },
  },
  {
    path: 'format-money.js',
    entry: 'formatMoney',
    typed: [[12.5], [1234, '$'], [0]],
    draw: (d) => ({
      args: [
        d.pick([() => d.cents(-50, 50), () => d.int(-2000000, 2000000), () => d.cents(-20000, 20000), () => d.int(999, 1001)])(),
        ...d.optional<Value>(d.pick(['€', '$', '', 'CHF']), d.int(0, 4)),
      ],
    }),
  },
  {
    path: 'register.js',
    entry: 'register',
    typed: [['linter'], ['formatter', { width: 80 }]],
    draw: (d) => ({
      args: [
        d.chance(0.04) ? d.pick<Value>(['', '  ', null]) : d.pick(['linter', ' Linter', 'tests', 'docs', 'TESTS', 'build']),
        ...d.optional<Value>(d.pick<Value>([{}, { width: d.int(1, 9) }, { fix: d.chance(0.5), level: d.word() }])),
      ],
    }),
    together: 8,
  },
  {
    path: 'inventory.js',
    entry: 'Inventory.remove',
    typed: [['nails', 10], ['screws'], { args: ['tape', 1], init: [{ tape: 5 }] }],
    draw: (d) => ({
      args: [
        d.pick(['nails', 'screws', 'glue', 'nails', d.chance(0.2) ? 'tape' : 'screws']),
        ...d.optional(d.pick([() => d.int(0, 3), () => d.int(-2, 60)])()),
      ],
      ...(d.chance(0.5) ? { init: { args: [{ nails: d.int(0, 5), screws: d.int(1, 30), glue: 1 }], kwargs: {} } } : {}),
    }),
    together: 8,
  },
  {
    path: 'lru-cache.ts',
    entry: 'LruCache.put',
    typed: [
      ['a', 1],
      ['b', 'two'],
    ],
    draw: (d) => ({
      args: [d.pick(['a', 'b', 'c', 'd', 'e', '']), d.pick<Value>([d.int(0, 9), d.word(), null, [1], { x: 1 }])],
      ...(d.chance(0.1) ? { init: { args: [d.int(0, 2)], kwargs: {} } } : {}),
    }),
    together: 10,
  },
  {
    path: 'print-receipt.js',
    entry: 'printReceipt',
    typed: [
      [
        [
          { name: 'Tea', price: 250 },
          { name: 'Cake', price: 390, count: 2 },
        ],
      ],
      [[]],
    ],
    draw: (d) => ({
      args: [
        d.list(6, () => ({
          name: d.words(d.int(1, 3)).join(' '),
          price: d.chance(0.15) ? 0 : d.int(1, 4000),
          ...(d.chance(0.5) ? { count: d.int(0, 5) } : {}),
        })),
        ...d.optional(d.chance(0.5)),
      ],
    }),
  },
  {
    path: 'windows.js',
    entry: 'windows',
    typed: [
      [[1, 2, 3], 2],
      [['a', 'b'], 2],
    ],
    draw: (d) => ({
      args: [
        d.list(12, () => d.int(0, 9)),
        d.chance(0.05) ? d.pick([0, -1, 1.5]) : d.int(1, 5),
        ...d.optional<Value>(d.int(d.chance(0.05) ? 0 : 1, 4), d.chance(0.6)),
      ],
    }),
  },
  {
    path: 'deep-merge.js',
    entry: 'deepMerge',
    typed: [
      [{ a: 1 }, { b: 2 }],
      [{ a: 1 }, { a: 3 }],
    ],
    draw: (d) => ({ args: [settings(d, 3), settings(d, 3)] }),
  },
  {
    path: 'wrap-text.ts',
    entry: 'wrapText',
    typed: [['the quick brown fox jumps over the dog'], ['one two', 10]],
    draw: (d) => ({
      args: [
        d.list(4, () => (d.chance(0.2) ? d.pick(['', '  ']) : d.words(d.int(1, 10)).join(d.pick([' ', ' ', '  '])))).join('\n'),
        ...d.optional<Value>(d.chance(0.03) ? d.int(-1, 0) : d.int(1, 24), d.pick(['', '> ', '  '])),
      ],
    }),
  },
  {
    path: 'count-change.js',
    entry: 'countChange',
    typed: [
      [3, [3]],
      [7, [7, 5]],
      [5, [2]],
    ],
    draw: (d) => ({
      args: [d.int(-1, 30), d.list(4, () => (d.chance(0.02) ? d.pick([0, -1, 2.5]) : d.pick([1, 2, 5, 10, 3, 7])))],
    }),
  },
  {
    path: 'shuffle.js',
    entry: 'shuffle',
    typed: [[['a', 'b', 'c']], [[1, 2, 3, 4]], [[5]]],
    draw: (d) => ({ args: [d.list(10, () => d.int(0, 99)), ...d.optional(d.int(0, 3))] }),
    together: 3,
  },
  {
    path: 'find-user.ts',
    entry: 'findUser',
    typed: [
      [
        [
          { id: 1, name: 'Ann', email: 'ann@example.org' },
          { id: 2, name: 'Bob' },
        ],
        'bob',
      ],
      [[{ id: 1, name: 'Ann' }], 'carl'],
    ],
    draw: (d) => {
      const name = (): string => d.pick(['Ann', 'Anna', 'annabel', 'Bob', 'Bo', 'Zoë', 'Carla']);
      const email = (): Value => d.pick<Value>([`${name()}@Example.org`, null, 'bob@example.org']);
      return {
        args: [
          d.list(8, (id) => ({
            ...{ id, name: name() },
            ...(d.chance(0.6) ? { email: email() } : {}),
            ...(d.chance(0.4) ? { active: d.chance(0.6) } : {}),
          })),
          d.pick([() => name(), () => ` ${name()} `, () => `${name()}@example.ORG`, () => d.pick(['', '  ', 'a', 'AN', 'b'])])(),
        ],
      };
    },
  },
  {
    path: 'parse-duration.ts',
    entry: 'parseDuration',
    typed: [['1h 30m'], ['45s'], ['2d']],
    draw: (d) => {
      const part = (index: number): string =>
        d.chance(0.08)
          ? d.pick(['5', 'h', '1.5h', '3x', '2 h', '1h30m', '7hm', '-3m', '0s'])
          : `${d.int(0, d.pick([5, 300]))}${d.chance(0.9) ? 'hms'.charAt(index) : d.pick(['s', 'm', 'h', 'd'])}`;
      const parts = d.list(3, part);
      return { args: [d.pick(['', '', '', '-', ' ']) + parts.join(d.pick([' ', '  '])) + d.pick(['', ' '])] };
    },
  },
  {
    path: 'history.js',
    entry: 'History.undo',
    typed: [[], [2]],
    draw: (d) => ({
      args: d.optional(d.int(-1, 3)),
      init: d.optional(d.int(1, 4)),
      before: d.list(8, () =>
        d.pick<() => { method: string; args: Value[] }>([
          () => ({ method: 'push', args: [d.pick<Value>([{ a: 1 }, { a: 2 }, 1, null, [1]])] }),
          () => ({ method: 'undo', args: d.optional(d.int(0, 2)) }),
          () => ({ method: 'redo', args: [] }),
          () => ({ method: 'save', args: [] }),
        ])(),
      ),
    }),
  },
];

function settings(d: Draw, levels: number): { [key: string]: Value } {
  const value = (): Value => {
    if (levels > 0 && d.chance(0.35)) return settings(d, levels - 1);
    return d.pick<Value>([d.int(0, 9), d.word(), null, false, d.list(3, () => d.int(0, 9)), [d.word()], true]);
  };
  return Object.fromEntries(d.list(4, () => [d.pick(['a', 'b', 'c', 'theme', 'size']), value()]));
}

export const javascriptFixtures = descriptions.map((description) => loadFixture(description));
