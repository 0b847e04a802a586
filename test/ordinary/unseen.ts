/** The ordinary functions, with those of unseen-more.ts, which the derivation was measured on and not tuned for: only test/bench/verdict.ts reads it. */
import { join } from 'node:path';
import type * as z from 'zod';
import type { Json } from '../../shared/judging.ts';
import type { Draw } from './draw.ts';
import { type Description, type Fixture, loadFixture } from './fixture.ts';
import { descriptions as more } from './unseen-more.ts';
import { descriptions as state } from './unseen-state.ts';

type Value = z.infer<typeof Json>;

const page = (d: Draw): string =>
  d.pick([
    `${d.int(1, 12)}`,
    `${d.int(1, 6)}-${d.int(1, 12)}`,
    `${d.int(1, 9)}-`,
    `-${d.int(1, 9)}`,
    '',
    ' 3 ',
    `${d.int(0, 3)}`,
  ]);

function config(d: Draw, depth: number): Record<string, Value> {
  const value = (): Value =>
    d.pick<() => Value>([
      () => d.int(0, 9),
      () => d.word(),
      () => null,
      () => d.list(3, () => d.int(0, 3)),
      () => (depth > 0 ? config(d, depth - 1) : 1),
    ])();
  const keys = ['a', 'b', 'c', 'level'];
  return Object.fromEntries(d.list(4, () => [d.pick(['a', ...keys]), value()]));
}

const extended = (d: Draw): Record<string, Value> => ({
  ...config(d, 2),
  ...(d.chance(0.4) ? { [`+${d.pick(['a', 'b', 'list'])}`]: d.list(3, () => d.int(0, 3)) } : {}),
});

const version = (d: Draw): string =>
  `${d.chance(0.2) ? 'v' : ''}${[d.int(0, 2), ...d.list(3, () => d.int(0, 12))].join('.')}${d.chance(0.3) ? `-${d.pick(['alpha', 'beta', 'rc', 'rc.1'])}` : ''}`;

const hole = (d: Draw): string => {
  const name = d.pick(['name', 'count', 'price', 'missing']);
  return d.pick([`{${name}}`, `{${name}:${d.int(-9, 9)}}`, `{${name}|none}`, `{${name}:6|-}`, '{{', '}', ' and ', '{', 'Dear ']);
};

const descriptions: readonly Description[] = [
  {
    path: 'parse_pages.py',
    entry: 'parse_pages',
    typed: [
      ['1-3, 5', 10],
      ['2', 4],
    ],
    draw: (d) => ({ args: [d.list(5, () => page(d)).join(d.pick([',', ', '])), d.int(1, 12)] }),
  },
  {
    path: 'add_months.py',
    entry: 'add_months',
    typed: [
      [[2023, 1, 15], 1],
      [[2024, 11, 30], 3],
    ],
    draw: (d) => ({
      args: [
        [d.pick([d.int(1890, 2110), 1900, 2000, 2100, 2024]), d.int(1, 12), d.pick([d.int(1, 28), 29, 30, 31])],
        d.int(-30, 30),
      ],
    }),
  },
  {
    path: 'free_slots.py',
    entry: 'free_slots',
    typed: [
      [
        [
          [9, 10],
          [12, 13],
        ],
        8,
        18,
      ],
      [[], 8, 12],
    ],
    draw: (d) => ({
      args: [
        d.list(7, () => {
          const start = d.int(0, 22);
          return [start, start + d.int(0, 5)];
        }),
        d.int(6, 10),
        d.int(12, 20),
        ...d.optional(d.int(0, 4)),
      ],
    }),
  },
  {
    path: 'spiral.py',
    entry: 'spiral',
    typed: [
      [
        [
          [1, 2, 3],
          [4, 5, 6],
          [7, 8, 9],
        ],
      ],
      [[[1]]],
    ],
    draw: (d) => {
      const width = d.int(1, 6);
      return { args: [Array.from({ length: d.int(0, 6) }, () => Array.from({ length: width }, () => d.int(0, 99)))] };
    },
  },
  {
    path: 'stats.py',
    entry: 'Stats.add',
    typed: [[2.5], [3], [2]],
    draw: (d) => ({ args: [d.chance(0.5) ? d.int(-5, 9) : d.int(-80, 80) / 8] }),
    together: 9,
  },
  {
    path: 'merge_config.py',
    entry: 'merge_config',
    typed: [
      [
        { name: 'app', log: { level: 'info' } },
        { log: { level: 'debug', file: 'a.log' }, port: 80 },
      ],
      [{ tags: ['a'] }, { '+tags': ['b'] }],
    ],
    draw: (d) => ({ args: [config(d, 2), extended(d)] }),
  },
  {
    path: 'arrangements.py',
    entry: 'arrangements',
    typed: [['abc'], ['xy']],
    draw: (d) => ({ args: [d.list(5, () => d.pick(['a', 'b', 'c', 'z', 'é'])).join(''), ...d.optional(d.int(0, 4))] }),
  },
  {
    path: 'insertion-index.ts',
    entry: 'insertionIndex',
    typed: [
      [[1, 3, 5], 4],
      [[2, 4], 1],
    ],
    draw: (d) => {
      const sorted = d.list(12, () => d.int(-4, 9)).sort((a, b) => a - b);
      const from = d.int(0, sorted.length);
      return { args: [sorted, d.int(-5, 10), ...d.optional<Value>(d.chance(0.5), from, d.int(from, sorted.length + 1))] };
    },
  },
  {
    path: 'bit-runs.js',
    entry: 'bitRuns',
    typed: [[12], [255], [7]],
    draw: (d) => ({
      args: [
        d.pick([d.int(0, 64), d.int(-99, 9999), d.int(-9, 99) / 2, d.int(-(2 ** 31), 2 ** 32)]),
        ...d.optional(d.int(0, 33)),
      ],
    }),
  },
  {
    path: 'split-bill.ts',
    entry: 'splitBill',
    typed: [
      [1000, [{ name: 'Ann' }, { name: 'Bob' }]],
      [100, [{ name: 'Ann', weight: 2 }, { name: 'Bob' }]],
    ],
    draw: (d) => ({
      args: [d.int(-1, 5000), d.list(6, () => ({ name: d.name(), ...(d.chance(0.5) ? { weight: d.int(0, 5) } : {}) }))],
    }),
  },
  {
    path: 'slugs.js',
    entry: 'slugFor',
    typed: [['Hello World'], ['A new page'], ['Big sale']],
    draw: (d) => ({
      args: [
        d.list(4, () => d.pick([d.word(), 'Hello', 'Été', '- -', '42', '!'])).join(d.pick([' ', '_', '  '])),
        ...d.optional(d.int(1, 12)),
      ],
    }),
    together: 5,
  },
  {
    path: 'fill-template.js',
    entry: 'fillTemplate',
    typed: [
      ['Dear {name}, {count:4} items', { name: 'Ann', count: 3 }],
      ['{price|free}', {}],
    ],
    draw: (d) => ({
      args: [
        d.list(6, () => hole(d)).join(''),
        { name: d.name(), ...(d.chance(0.8) ? { count: d.pick<Value>([0, 7, null, '']) } : {}), price: d.cents(0, 99) },
      ],
    }),
  },
  {
    path: 'zip-longest.js',
    entry: 'zipLongest',
    typed: [
      [
        [
          [1, 2, 3],
          ['a', 'b'],
        ],
      ],
      [[[1], [2]], 0],
    ],
    draw: (d) => ({
      args: [
        d.list(4, () => d.list(5, () => d.pick<Value>([d.int(0, 9), d.letter(), null, 0]))),
        ...d.optional<Value>(d.pick<Value>([0, '', 'x', null]), d.chance(0.5)),
      ],
    }),
  },
  {
    path: 'compare-versions.ts',
    entry: 'compareVersions',
    typed: [
      ['1.2.3', '1.2.4'],
      ['2.0', '2.0.0'],
      ['1.0-beta', '1.0-beta'],
    ],
    draw: (d) => ({ args: [version(d), version(d)] }),
  },
  {
    path: 'unpack_runs.py',
    entry: 'unpack_runs',
    typed: [['3a2b'], ['xyz'], ['a4-']],
    draw: (d) => ({
      args: [
        d.list(8, () => d.pick([`${d.int(0, 12)}${d.letter()}`, d.letter(), '\\\\4', '\\\\', '2 ', `${d.int(0, 3)}`])).join(''),
        ...d.optional(d.int(0, 30)),
      ],
    }),
  },
  {
    path: 'round_cash.py',
    entry: 'round_cash',
    typed: [[[12, 13, 20]], [[7], 10]],
    draw: (d) => ({
      args: [
        d.list(9, () => d.int(-40, 200)),
        ...d.optional<Value>(d.pick([1, 2, 4, 5, 10, 20]), d.pick(['nearest', 'up', 'down'])),
      ],
    }),
  },
  {
    path: 'queue-times.js',
    entry: 'queueTimes',
    typed: [
      [
        [
          { arrives: 0, takes: 5 },
          { arrives: 2, takes: 3 },
        ],
      ],
      [[{ arrives: 1, takes: 1 }], 2],
    ],
    draw: (d) => {
      let at = 0;
      const customers = d.list(9, () => {
        at += d.int(0, 3);
        return { arrives: at, takes: d.int(0, 6) };
      });
      return { args: [customers, ...d.optional(d.int(1, 3), d.int(0, 6))] };
    },
  },
  {
    path: 'week-dates.ts',
    entry: 'weekDates',
    typed: [
      [0, 10, [1, 5]],
      [3, 4, [0]],
    ],
    draw: (d) => {
      const from = d.int(-20, 40);
      return {
        args: [
          from,
          from + d.int(0, 40) + (d.chance(0.1) ? 0.5 : 0),
          d.list(4, () => d.int(0, 6)),
          ...d.optional<Value>(
            d.list(5, () => from + d.int(0, 20)),
            d.int(0, 6),
          ),
        ],
      };
    },
  },
];

const home = join(import.meta.dirname, '..', 'fixtures', 'unseen');

export const fixtures: readonly Fixture[] = Object.entries({ second: descriptions, third: more, fourth: state }).flatMap(
  ([set, all]) => all.map((description) => loadFixture(description, join(home, set))),
);
