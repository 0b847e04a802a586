/** The calls of the Python fixtures: those that a user types, and a generator of realistic ones. */

import type * as z from 'zod';
import type { Json } from '../../shared/judging.ts';
import type { Draw } from './draw.ts';
import { type Description, loadFixture } from './fixture.ts';

type Value = z.infer<typeof Json>;

const descriptions: readonly Description[] = [
  {
    path: 'word_report.py',
    entry: 'word_report',
    typed: [['to be or to see'], ['red green red', 1], ['']],
    draw: (d) => {
      const words = d.words(d.int(0, 30)).map((word) => {
        const cased = d.chance(0.2) ? word.toUpperCase() : d.chance(0.2) ? word[0]?.toUpperCase() + word.slice(1) : word;
        return d.chance(0.2) ? cased + d.pick([',', '.', '!', '?"', ' -', ' ...', "'s"]) : cased;
      });
      return { args: [words.join(d.pick([' ', '  ', '\n'])), ...d.optional(d.int(0, 12))] };
    },
  },
  {
    path: 'pairs.py',
    entry: 'pairs',
    typed: [
      [[1, 2, 3, 4], 5],
      [[7, 9], 16],
      [[], 3],
    ],
    draw: (d) => {
      const most = d.pick([3, 10, 100]);
      return { args: [d.list(20, () => d.int(-most, most)), d.int(-most, most)] };
    },
  },
  {
    path: 'group_orders.py',
    entry: 'group_orders',
    typed: [
      [
        [
          { customer: 'Ann', price: 10, items: ['pen'] },
          { customer: 'Bob', price: 5, quantity: 2 },
        ],
      ],
      [[{ customer: 'Ann', price: 3 }], 5],
      [[{ price: 1 }]],
    ],
    draw: (d) => ({
      args: [
        d.list(12, () => ({
          ...(d.chance(0.9) ? { customer: d.chance(0.15) ? d.pick(['', null]) : d.name() } : {}),
          price: d.chance(0.3) ? d.cents(0, 50) : d.int(0, 20),
          ...(d.chance(0.5) ? { quantity: d.int(0, 4) } : {}),
          ...(d.chance(0.6) ? { items: d.words(d.int(0, 4)) } : {}),
        })),
        ...d.optional(d.int(0, 40)),
      ],
    }),
  },
  {
    path: 'merge_intervals.py',
    entry: 'merge_intervals',
    typed: [
      [
        [
          [1, 4],
          [3, 6],
          [8, 9],
        ],
      ],
      [
        [
          [5, 7],
          [1, 2],
        ],
      ],
      [[]],
    ],
    draw: (d) => ({
      args: [
        d.list(12, () => {
          const start = d.int(-10, 40);
          return [start, start + d.int(d.chance(0.02) ? -3 : 0, 12)];
        }),
      ],
    }),
  },
  {
    path: 'parse_config.py',
    entry: 'parse_config',
    typed: [['name = demo\nport = 8080'], ['# nothing\n[server]\ndebug = yes'], ['a = 1', { b: 2 }]],
    draw: (d) => ({
      args: [
        d.list(10, () => configLine(d)).join('\n'),
        ...d.optional<Value>(d.pick<Value>([null, {}, { port: 80, mode: 'fast' }, { server: { host: 'localhost' }, a: 1 }])),
      ],
    }),
  },
  {
    path: 'multiply.py',
    entry: 'multiply',
    typed: [
      [
        [
          [1, 2],
          [3, 4],
        ],
        [
          [5, 6],
          [7, 8],
        ],
      ],
      [[[2]], [[3]]],
    ],
    draw: (d) => {
      const [rows, inner, columns] = [d.int(0, 5), d.int(0, 5), d.int(0, 5)];
      const matrix = (height: number, width: number): number[][] => {
        const kind = d.int(0, 2);
        const number = (): number => (kind === 0 ? d.int(-9, 9) : kind === 1 ? d.cents(-5, 5) : d.int(0, 1));
        return Array.from({ length: height }, () => Array.from({ length: width }, number));
      };
      return { args: [matrix(rows, inner), matrix(d.chance(0.1) ? d.int(0, 5) : inner, columns)] };
    },
  },
  {
    path: 'shortest_path.py',
    entry: 'shortest_path',
    typed: [
      [{ a: ['b'], b: ['c'], c: [] }, 'a', 'c'],
      [{ a: ['b'], b: [], c: [] }, 'a', 'c'],
      [{ a: ['b', 'c'], b: [], c: [] }, 'a', 'c'],
    ],
    draw: (d) => {
      const stops = [...'abcdefgh'].slice(0, d.int(1, 8));
      const stop = (): string => d.pick(['a', ...stops]);
      const listed = stops.filter(() => d.chance(0.85));
      const graph = Object.fromEntries(listed.map((one) => [one, d.list(3, stop)]));
      return { args: [graph, stop(), d.chance(0.05) ? 'z' : stop()] };
    },
  },
  {
    path: 'describe.py',
    entry: 'describe',
    typed: [[[1, 2, 3]], [[2.5, 7.5, 4]], [[]]],
    draw: (d) => {
      const make = d.pick([() => d.int(-20, 20), () => d.cents(-100, 100), () => d.int(0, 3)]);
      return { args: [d.list(20, () => (d.chance(0.1) ? null : make())), ...d.optional(d.int(0, 4))] };
    },
  },
  {
    path: 'note.py',
    entry: 'note',
    typed: [['started'], ['disk is full', 'warning'], ['ready']],
    draw: (d) => ({
      args: [d.words(d.int(0, 4)).join(' '), ...d.optional(d.pick(['info', 'warning', 'error', 'debug', '', 'Error']))],
    }),
    together: 8,
  },
  {
    path: 'bag.py',
    entry: 'Bag.add',
    typed: [['apple'], ['pear', 2]],
    draw: (d) => ({
      args: [
        d.pick<Value>(['apple', 'pear', 'fig', 1, 2, '']),
        ...d.optional<Value>(d.chance(0.03) ? d.pick<Value>([-1, 1.5, '2']) : d.int(0, 5)),
      ],
      ...(d.chance(0.3) ? { init: { args: d.optional<Value>(d.words(d.int(0, 5))), kwargs: {} } } : {}),
    }),
    together: 8,
  },
  {
    path: 'bank.py',
    entry: 'Bank.transfer',
    typed: [['cash', 'savings', 50], { args: ['ann', 'bob', 5], init: [{ ann: 10, bob: 0 }] }, ['savings', 'cash', 100]],
    draw: (d) => {
      const account = (): string => d.pick(['cash', 'savings', 'cash', 'savings', 'cash', 'club']);
      return {
        args: [account(), account(), d.int(d.chance(0.1) ? -5 : 1, d.pick([20, 300, 1200]))],
        ...(d.chance(0.4)
          ? { init: { args: [{ cash: d.int(0, 500), savings: d.int(0, 500) }, ...d.optional(d.int(0, 10))], kwargs: {} } }
          : {}),
      };
    },
    together: 8,
  },
  {
    path: 'print_table.py',
    entry: 'print_table',
    typed: [
      [
        [
          ['pen', 2],
          ['cup', 9],
        ],
      ],
      [[['a', 1]], ['x', 'y']],
    ],
    draw: (d) => {
      const columns = d.int(1, 4);
      const cell = (): Value => d.pick([() => d.word(), () => d.int(-50, 5000), () => d.cents(0, 100), () => null, () => ''])();
      const rows = d.list(6, () => Array.from({ length: d.chance(0.1) ? d.int(0, 5) : columns }, cell));
      return { args: [rows, ...d.optional<Value>(d.chance(0.2) ? null : Array.from({ length: columns }, () => d.word()))] };
    },
  },
  {
    path: 'chunks.py',
    entry: 'chunks',
    typed: [
      [[1, 2, 3, 4], 2],
      [['a', 'b'], 1],
    ],
    draw: (d) => ({
      args: [
        d.chance(0.2) ? d.words(3).join('') : d.list(20, () => d.int(0, 9)),
        d.chance(0.05) ? d.int(-2, 0) : d.int(1, 6),
        ...d.optional<Value>(d.pick<Value>([0, '-', null])),
      ],
    }),
  },
  {
    path: 'clean_records.py',
    entry: 'clean_records',
    typed: [[[{ name: 'Ann', email: 'ANN@example.org', country: 'AT' }]], [[{ name: ' ' }, { name: 'Bob', country: 'FR' }]]],
    draw: (d) => ({
      args: [
        d.list(8, () => ({
          ...(d.chance(0.9) ? { name: d.pick<Value>([d.name(), `  ${d.name()}  ${d.name()} `, '', '  ', null, d.name()]) } : {}),
          ...(d.chance(0.6) ? { email: d.pick<Value>([`${d.word()}@Example.org`, ' A@B.C ', null, '']) } : {}),
          ...(d.chance(0.5) ? { country: d.pick<Value>(['FR', '', null, 'PL']) } : {}),
        })),
        ...d.optional('CH'),
      ],
    }),
  },
  {
    path: 'flatten.py',
    entry: 'flatten',
    typed: [[[1, [2, 3], 4]], [[[], [5]]], [['a', ['b']]]],
    draw: (d) => {
      const nested = (levels: number): Value =>
        d.list(4, (): Value => {
          if (levels > 0 && d.chance(0.5)) return d.chance(0.2) ? { tuple: nested(levels - 1) } : nested(levels - 1);
          return d.pick<Value>([d.int(0, 9), d.word(), null, '', d.cents(0, 5)]);
        });
      return { args: [nested(4), ...d.optional<Value>(d.chance(0.3) ? null : d.int(0, 4))], typed: true };
    },
  },
  {
    path: 'format_name.py',
    entry: 'format_name',
    typed: [['Ada', 'Lovelace'], { args: ['grace', 'hopper'], kwargs: { initials: true } }, ['Plato']],
    draw: (d) => ({
      args: [
        d.pick([d.name(), `${d.name()} ${d.name()}`, ` ${d.word()}  ${d.name()} `, '']),
        ...d.optional<Value>(d.pick<Value>([d.name(), null, '', `van ${d.name()}`])),
      ],
      kwargs: {
        ...(d.chance(0.3) ? { title: d.pick<Value>(['Dr.', ' Prof. ', '', '  ', null]) } : {}),
        ...(d.chance(0.3) ? { upper: d.chance(0.7) } : {}),
        ...(d.chance(0.3) ? { initials: d.chance(0.7) } : {}),
      },
    }),
  },
  {
    path: 'common_tags.py',
    entry: 'common_tags',
    typed: [[[{ tags: ['a', 'b'] }, { tags: ['b', 'c'] }]], [[{ tags: ['x', 'y'] }], ['x']]],
    draw: (d) => {
      const tag = (): string => d.pick(['news', 'Sport', 'sport', 'art', 'NEWS', 'music']);
      return {
        args: [
          d.list(6, () =>
            d.pick<() => Value>([
              () => ({ tags: d.list(5, tag) }),
              () => ({ tags: d.list(5, tag) }),
              () => (d.chance(0.5) ? {} : { tags: null }),
            ])(),
          ),
        ],
        kwargs: {
          ...(d.chance(0.4) ? { ignore: d.list(2, tag) } : {}),
          ...(d.chance(0.4) ? { at_least: d.chance(0.2) ? null : d.int(0, 4) } : {}),
        },
      };
    },
  },
  {
    path: 'roll.py',
    entry: 'roll',
    typed: [[3], [1, 20], [0], [4, 1]],
    draw: (d) => ({
      args: [
        d.int(d.chance(0.05) ? -2 : 0, 10),
        ...d.optional<Value>(d.pick([6, 20, 1, 2, 100, d.chance(0.1) ? 0 : 4]), d.chance(0.2) ? null : d.int(-1, 6)),
      ],
    }),
    together: 3,
  },
  {
    path: 'edit_distance.py',
    entry: 'edit_distance',
    typed: [
      ['cat', 'cut'],
      ['', 'abc'],
      ['same', 'same', 2],
    ],
    draw: (d) => {
      const a = Array.from({ length: d.int(0, 8) }, () => d.pick(['a', 'b', 'c', 'é']));
      const b = [...a];
      for (let edits = d.int(0, 4); edits > 0; edits--) b.splice(d.int(0, b.length), d.int(0, 2), ...d.list(2, () => d.letter()));
      return { args: [a.join(''), b.join(''), ...d.optional<Value>(d.chance(0.2) ? null : d.int(0, 4))] };
    },
  },
  {
    path: 'cart.py',
    entry: 'Cart.total',
    typed: [[], { args: [], init: [0.1] }],
    draw: (d) => ({
      args: [],
      init: d.chance(0.5) ? [d.pick([0.1, 0.07, 0])] : [],
      before: d.list(7, () =>
        d.pick<() => { method: string; args: Value[] }>([
          () => ({ method: 'add', args: [d.pick(['a', 'b', 'c']), d.pick([100, 250, 99]), ...d.optional(d.int(0, 3))] }),
          () => ({ method: 'remove', args: [d.pick(['a', 'b']), ...d.optional(d.int(1, 2))] }),
          () => ({ method: 'discount', args: [d.pick([5, 10, 33]), ...d.optional(d.pick([0, 100, 200, 250, 500]))] }),
        ])(),
      ),
    }),
  },
];

function configLine(d: Draw): string {
  const key = d.pick(['port', 'mode', 'host', 'a', 'long key', 'server']);
  return d.pick<() => string>([
    () => `${key} = ${d.word()}`,
    () => `${key}=${d.int(-20, 9000)}`,
    () => `${key} = ${d.pick(['yes', 'no', 'on', 'off', 'true', 'False', '--1', '1-', '', '-'])}`,
    () => `${key} = a=${d.int(0, 9)}`,
    () => `  [${d.pick(['server', 'client', ' db ', 'port'])}]  # section`,
    () => `# ${d.word()}`,
    () => '',
    () => `${key} = ${d.word()} # ${d.word()}`,
    () => (d.chance(0.1) ? d.word() : `${key} = 1`),
  ])();
}

export const pythonFixtures = descriptions.map((description) => loadFixture(description));
