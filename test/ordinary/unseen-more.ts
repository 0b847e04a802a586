/**
 * A third set of ordinary functions: dates, state, boards, graphs, ties, accents, inheritance, generators, default arguments, holes,
 * expressions that remember, maps, NaN, getters, closures and caches. The derivation was measured on it and not tuned for it.
 */
import type * as z from 'zod';
import type { Json } from '../../shared/judging.ts';
import type { Draw } from './draw.ts';
import type { Description } from './fixture.ts';

type Value = z.infer<typeof Json>;

const two = (number: number): string => String(number).padStart(2, '0');
const day = (d: Draw): string => `${d.pick([2023, 2024, 1999])}-${two(d.int(1, 12))}-${two(d.int(1, 28))}`;

const logLine = (d: Draw): string =>
  d.pick([
    `${d.pick(['INFO', 'WARN', 'ERROR', 'Note', 'E1'])}: ${d.word()}${d.pick(['', ' a: b', ':'])}`,
    `${d.pick(['  ', '\t'])}${d.word()}`,
    d.word(),
    '---',
    '# comment',
    '',
    '   ',
  ]);

const record = (d: Draw): string =>
  d.pick([
    `${d.pick(['a', 'b', 'key'])} = ${d.word()}`,
    `a=${d.int(0, 9)}=x`,
    `${d.letter()}=`,
    '; no',
    '',
    'text',
    'END',
    'ENDING = 1',
    ' END ',
  ]);

const tag = (d: Draw): string =>
  d.pick([
    '<a>',
    '</a>',
    '<br/>',
    `<p class="${d.letter()}" class="x">`,
    '<B ID="Q">',
    '<input checked>',
    ' text ',
    '<',
    '<h1 >',
  ]);

export const descriptions: readonly Description[] = [
  {
    path: 'business_day.py',
    entry: 'business_day',
    typed: [
      ['2024-03-01', 3],
      ['2024-05-06', 5, ['2024-05-09']],
      ['2024-01-03', 1],
    ],
    draw: (d) => ({ args: [day(d), d.int(-25, 25), ...d.optional<Value>(d.list(5, () => (d.chance(0.02) ? 'soon' : day(d))))] }),
  },
  {
    path: 'parse_log.py',
    entry: 'parse_log',
    typed: [['INFO: started\n  with 3 workers\nERROR: no disk'], ['a message\n---\nanother'], ['']],
    draw: (d) => {
      const lines = d.list(9, () => logLine(d));
      return {
        args: [(d.chance(0.8) ? ['WARN: first', ...lines] : lines).join('\n'), ...d.optional(d.pick(['INFO', 'DEBUG', '']))],
      };
    },
  },
  {
    path: 'life.py',
    entry: 'life',
    typed: [
      [
        [
          [0, 1, 0],
          [0, 1, 0],
          [0, 1, 0],
        ],
      ],
      [
        [
          [0, 0, 0, 0],
          [0, 1, 1, 0],
          [0, 1, 1, 0],
          [0, 0, 0, 0],
        ],
      ],
    ],
    draw: (d) => {
      const width = d.int(1, 6);
      const rows = Array.from({ length: d.int(0, 6) }, () => Array.from({ length: width }, () => d.int(0, 1)));
      return { args: [rows, ...d.optional<Value>(d.int(0, 4), d.chance(0.5))] };
    },
  },
  {
    path: 'build_order.py',
    entry: 'build_order',
    typed: [[{ app: ['core', 'web'], web: ['core'], core: [] }], [{ b: [], a: [] }]],
    draw: (d) => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
      const needs = d.list(6, () => {
        const at = d.int(0, 5);
        return [names[at] ?? 'a', d.list(3, () => names[d.chance(0.95) ? d.int(0, Math.max(0, at - 1)) : 5] ?? 'a')] as const;
      });
      return { args: [Object.fromEntries(needs), ...d.optional<Value>(d.pick(['a', 'c', 'e', 'q']))] };
    },
  },
  {
    path: 'serve.py',
    entry: 'serve',
    typed: [
      [
        [
          ['Ann', 1, 5],
          ['Bob', 3, 2],
        ],
      ],
      [[['Ann', 2, 5]], 2],
    ],
    draw: (d) => ({ args: [d.list(8, () => [d.name(), d.int(0, 3), d.int(0, 6)]), ...d.optional(d.int(1, 4))] }),
  },
  {
    path: 'sort_key.py',
    entry: 'sort_key',
    typed: [['The Beatles'], ['Édith Piaf'], ['Queen']],
    draw: (d) => ({
      args: [
        d
          .list(5, () => d.pick([d.name(), 'The', 'der', 'La', 'LA', 'Straße', 'Å', 'U2', 'İ', '!?', "O'Neil", 'a-b']))
          .join(d.pick([' ', '  ', '_'])),
        ...d.optional<Value>(d.list(3, () => d.pick(['the', 'la', 'a']))),
      ],
    }),
  },
  {
    path: 'savings.py',
    entry: 'Savings.withdraw',
    typed: [[20], [60]],
    draw: (d) => ({ args: [d.pick([d.int(1, 60), d.int(-3, 160)])] }),
    together: 6,
  },
  {
    path: 'read_until.py',
    entry: 'read_until',
    typed: [[['a = 1', 'b = 2', 'END', 'c = 3']], [['; comment', 'name = Ann'], 'STOP', 5]],
    draw: (d) => ({
      args: [
        d.list(9, () => record(d)),
        ...d.optional<Value>(d.pick(['END', 'text', '']), d.pick([null, 0, 1, 2, 3]), d.chance(0.5)),
      ],
    }),
  },
  {
    path: 'enroll.py',
    entry: 'enroll',
    typed: [['Ann'], ['Bob', 'go'], ['Ann', 'go']],
    draw: (d) => ({
      args: [
        d.name(),
        ...d.optional<Value>(
          d.pick(['chess', 'go']),
          d.list(3, () => d.name()),
        ),
      ],
    }),
    together: 6,
  },
  {
    path: 'sort-rows.js',
    entry: 'sortRows',
    typed: [
      [
        [
          { name: 'Bob', age: 30 },
          { name: 'Ann', age: 41 },
        ],
        ['name'],
      ],
      [[{ age: 3 }, { age: 5 }, { age: 4 }], ['-age']],
    ],
    draw: (d) => ({
      args: [
        d.list(9, () => ({
          ...(d.chance(0.8) ? { name: d.pick<Value>([d.name(), d.letter().toUpperCase(), null, d.letter()]) } : {}),
          ...(d.chance(0.8) ? { age: d.pick<Value>([d.int(0, 4), null]) } : {}),
          id: d.int(0, 99),
        })),
        d.list(3, () => d.pick(['name', '-name', 'age', '-age'])),
        ...d.optional(d.chance(0.5)),
      ],
    }),
  },
  {
    path: 'seats.js',
    entry: 'seats',
    typed: [
      [
        [
          ['Ann', 2],
          ['Bob', 2],
        ],
        4,
      ],
      [[['Eve', 0]]],
    ],
    draw: (d) => ({
      args: [d.list(9, () => [d.pick<Value>([d.name(), d.name(), '', null]), d.int(0, 12)]), ...d.optional(d.int(0, 6))],
    }),
  },
  {
    path: 'next-tag.js',
    entry: 'nextTag',
    typed: [['<a href="x">'], ['no tag'], ['<p>one</p>']],
    draw: (d) => ({
      args: [d.chance(0.6) ? '<b>x<a id="1" id="2"></a><br/>' : d.list(4, () => tag(d)).join(''), ...d.optional(d.chance(0.3))],
    }),
    together: 6,
  },
  {
    path: 'invert.ts',
    entry: 'invert',
    typed: [[{ p1: ['tea', 'cup'], p2: ['Tea'] }], [{ p1: ['the', 'cup'] }, ['the'], 2]],
    draw: (d) => ({
      args: [
        Object.fromEntries(
          d.list(7, () => [
            d.pick(['p1', 'p2', 'a', 'z', 'q', '10', '9']),
            d.list(4, () => d.pick(['tea', 'Tea', 'the', 'The', 'x'])),
          ]),
        ),
        ...d.optional<Value>(
          d.list(2, () => d.pick(['the', 'tea', 'Tea'])),
          d.int(0, 4),
        ),
      ],
    }),
  },
  {
    path: 'column-stats.js',
    entry: 'columnStats',
    typed: [[['1', '2,5', 'x']], [[3, 4], 1]],
    draw: (d) => ({
      args: [
        d.list(8, () =>
          d.pick<Value>([d.int(-9, 9), d.cents(-9, 9), `${d.int(0, 99)}`, '1,5', '12px', '', ' ', 'abc', null, 0, '0', true]),
        ),
        ...d.optional(d.int(0, 3)),
      ],
    }),
  },
  {
    path: 'thermostat.ts',
    entry: 'Thermostat.measure',
    typed: [[18], [25], [70, 'F']],
    draw: (d) => ({
      args: [
        d.pick([d.int(15, 25), d.int(180, 240) / 10, d.int(60, 80)]),
        ...d.optional<Value>(d.pick(['C', 'F', 'C', 'K']), d.int(18, 23)),
      ],
    }),
    together: 8,
  },
  {
    path: 'tickets.js',
    entry: 'nextTicket',
    typed: [['passport'], ['Passport'], ['address']],
    draw: (d) => ({ args: [d.pick(['passport', 'Address', '', 'address', 'visa', '1']), ...d.optional(d.int(1, 3))] }),
    together: 24,
  },
  {
    path: 'steps.js',
    entry: 'steps',
    typed: [[6], [1], [27]],
    draw: (d) => ({
      args: [d.pick([d.int(-2, 40), d.int(1, 9999), d.int(0, 20) / 2, 113383]), ...d.optional(d.pick([500, 10, 3]))],
    }),
    together: 4,
  },
  {
    path: 'pages.ts',
    entry: 'pages',
    typed: [[['a', 'b', 'c', 'd']], [[1, 2, 3], 2]],
    draw: (d) => ({
      args: [
        d.list(9, () => d.pick<Value>([d.letter(), d.int(0, 3), null, '', 'stop', '2'])),
        ...d.optional<Value>(d.int(0, 4), d.pick<Value>(['stop', null, 2, 'a'])),
      ],
    }),
  },
];
