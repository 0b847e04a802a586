/** Random calls of the functions in test/bench/offline/fifth. */
import type * as z from 'zod';
import type { Json } from '../../../shared/judging.ts';
import type { Draw } from '../draw.ts';

type Value = z.infer<typeof Json>;

/** The fields, or none of them. */
const maybe = (d: Draw, probability: number, fields: Record<string, Value>): Record<string, Value> =>
  d.chance(probability) ? fields : {};

const clock = (minutes: number, short: boolean): string =>
  `${String(Math.floor(minutes / 60)).padStart(short ? 1 : 2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

const portion = (d: Draw): Record<string, Value> => ({
  name: d.pick(['egg', 'Egg', 'flour', 'Flour', 'milk', 'oil']),
  amount: d.pick([0, 1, 2, 2.5, 100, 250, 500, 1000]),
  ...maybe(d, 0.75, { unit: d.pick(['g', 'kg', 'ml', 'l', 'tbsp', '', 'g', 'ml', d.chance(0.03) ? 'cup' : 'g']) }),
});

/** Operands of the cells above all, so that results stay of an ordinary size. */
const formula = (d: Draw): string => {
  const cell = (): string => `${d.pick(['A', 'A', 'B', 'C'])}${d.int(1, 3)}`;
  const area = (): string => {
    const [left, right] = d.pick([
      ['A', 'A'],
      ['A', 'A'],
      ['A', 'B'],
      ['B', 'A'],
      ['B', 'C'],
    ]);
    return `${d.pick(['SUM', 'MIN', 'MAX', 'COUNT'])}(${left}${d.int(1, 2)}:${right}${d.int(1, 4)})`;
  };
  const operand = (): string => {
    const kind = d.int(1, 6);
    if (kind <= 3) return cell();
    if (kind === 4) return area();
    return kind === 5 ? String(d.int(0, 4)) : '1.5';
  };
  const space = d.pick(['', '', ' ']);
  let text = `=${space}${d.chance(0.03) ? '-' : ''}${operand()}`;
  for (let count = d.int(0, 2); count > 0; count--) {
    text += d.chance(0.4)
      ? `${space}${d.pick(['*', '/'])}${space}${d.pick([`A${d.int(1, 3)}`, String(d.int(0, 3))])}`
      : `${space}${d.pick(['+', '-'])}${space}${operand()}`;
  }
  return d.chance(0.9) ? text : text + d.pick([' ', ' ', '+', ' 3']);
};

const bin = (d: Draw): string => `${d.pick(['A', 'B', 'B', 'D'])}-${d.pick(['01', '02', '10', '11', '20'])}-${d.int(1, 3)}`;

const commodity = ['6101', '61.02', '6101 10', '6102.90', '8501', '9503'] as const;

export const fifth: Readonly<Record<string, (d: Draw) => Value[]>> = {
  'payroll_run.py': (d) => [
    d.list(7, (index) => ({
      id: d.chance(0.9) ? `E${index}` : 'E0',
      rate: d.pick([10, 12.5, 20, 33.33]),
      ...maybe(d, 0.7, { department: d.pick(['kitchen', 'sales', 'general', '', null]) }),
      ...maybe(d, 0.3, { exempt: d.chance(0.7) }),
    })),
    d.list(12, () => ({
      employee: `E${d.int(0, d.pick([1, 3, 7]))}`,
      hours: d.pick([0, 0.5, 4, 8, 10, 20, 30, 40]),
      ...maybe(d, 0.7, { day: d.pick(['mon', 'tue', 'sat', 'sun']) }),
      ...maybe(d, 0.4, { break: d.pick([0, 0.5, 1, 4]) }),
    })),
    ...d.optional<Value>(d.pick([null, ['sat', 'sun'], ['mon'], []])),
  ],

  'recipe_shopping_list.py': (d) => [
    d.list(5, () => ({
      name: d.pick(['Soup', 'soup ', 'Bread', 'Cake', ' Pie']),
      serves: d.pick([1, 2, 3, 4, 4, 6]),
      ingredients: d.list(6, () => portion(d)),
    })),
    d.list(7, () => ({
      recipe: d.pick(['soup', 'Soup', 'BREAD', 'cake', 'Pie', 'stew']),
      ...maybe(d, 0.6, { servings: d.pick([0, 1, 2, 4, 5, 8]) }),
    })),
    d.list(6, () => portion(d)),
  ],

  'chat_threads.py': (d) => {
    const later = d.chance(0.7);
    const messages = d.list(
      12,
      (index): Record<string, Value> => ({
        id: d.chance(0.95) ? index + 1 : 1,
        author: d.pick(['Ann', 'ann', 'Bob', 'Eve']),
        sent: d.chance(0.5) ? 100 + index : 100 + d.int(0, 6),
        ...maybe(d, 0.8, { text: d.pick(['', 'hi', '@ann', 'yes @Bob, sure', '@ann! @eve?', '@', 'mail a@bob', '(@eve)']) }),
        // A reply to a later message is possible in an import, and may close a loop.
        ...maybe(d, 0.7, { reply_to: d.chance(0.1) ? null : d.int(0, later ? index : 12) }),
      }),
    );
    return [messages, ...d.optional<Value>(d.pick(['Ann', 'Bob', 'eve', 'Eve', null]))];
  },

  'timetable_clashes.py': (d) => {
    const days = d.int(1, 3);
    return [
      d.list(9, () => {
        const start = 480 + 15 * d.int(0, 10);
        const end = start + (d.chance(0.995) ? d.pick([15, 45, 45, 90]) : 0);
        return {
          subject: d.pick(['Maths', 'Art', 'Music']),
          day: d.chance(0.95) ? d.pick(['mon', 'tue', 'fri'].slice(0, days) as [string, ...string[]]) : 'sat',
          start: clock(start, d.chance(0.3)),
          end: d.chance(0.99) ? clock(end, d.chance(0.3)) : d.pick(['25:00', '24:00', 'noon']),
          groups: d.list(3, () => d.pick(['5a', '5b', '6a'])),
          ...maybe(d, 0.7, { teacher: d.pick(['Ito', 'Lund', '', null]) }),
          ...maybe(d, 0.7, { room: d.pick(['R1', 'R2', 'R3', '', null]) }),
        };
      }),
    ];
  },

  'wrap_columns.py': (d) => {
    const text = d
      .list(24, () => {
        const word = d.pick(['a', 'to', 'the', 'hall,', 'bring', d.word(), d.word() + d.word(), 'Zoë']);
        return word + d.pick([' ', ' ', ' ', ' ', '  ', '\n', '\n\n', '\n\n\n']);
      })
      .join('');
    return [
      text,
      d.chance(0.03) ? d.int(0, 1) : d.pick([2, 3, 5, 8, 8, 12, 12, 17, 20]),
      ...d.optional<Value>(
        d.chance(0.02) ? 0 : d.int(1, 4),
        d.pick(['left', 'right', 'center', 'justify', 'justify', 'justify', 'other']),
      ),
    ];
  },

  'evaluate_sheet.py': (d) => {
    const cells: Record<string, Value> = {};
    for (const name of ['A1', 'A2', 'A3', 'B1', 'B2', 'B3', 'C1', 'C2', 'C3', 'A4']) {
      if (d.chance(0.25)) continue;
      const data = name.startsWith('A') ? d.chance(0.85) : d.chance(0.2);
      cells[name] = data ? d.pick([0, 1, 2, 3, -2, 0.5, 10, d.int(-5, 20), null, '', 'note']) : formula(d);
    }
    return [cells];
  },

  'batting_form.py': (d) => {
    const people = d.int(1, 4);
    return [
      d.list(14, (index) => ({
        player: ['Ann', 'Bob', 'Zoë', 'bob'][d.int(0, people - 1)] ?? 'Ann',
        match: d.chance(0.6) ? index : d.int(0, 6),
        runs: d.pick([0, 0, 5, 19, 20, 20, 49, 50, 99, 100, 123]),
        ...maybe(d, 0.5, { out: d.chance(0.4) }),
        ...maybe(d, 0.7, { balls: d.pick([0, 10, 20, 33, 60, null]) }),
      })),
      ...d.optional<Value>(d.chance(0.02) ? 0 : d.int(1, 5), d.int(0, 3)),
    ];
  },

  'arrange_playlist.mjs': (d) => [
    d.list(9, () => ({
      title: d.pick(['Rain', 'rain', 'Gold', 'Night', 'Roads', 'Letters']),
      artist: d.pick(['Mona', 'mona', 'Larks', 'Jun & Co']),
      minutes: d.pick([0, 2, 2.5, 3, 3.33, 4.1, 10, 30]),
      ...maybe(d, 0.7, { energy: d.pick([0, 1, 3, 5, 5, 6, 9, 10, null]) }),
      ...maybe(d, 0.6, { genre: d.pick(['folk', 'soul', '', null]) }),
    })),
    ...d.optional<Value>({
      ...maybe(d, 0.7, { maxMinutes: d.pick([0, 5, 10, 12.5, 20, 40, 100]) }),
      ...maybe(d, 0.6, { gap: d.pick([0, 1, 2, 3, 5]) }),
    }),
  ],

  'measure_plots.mjs': (d) => {
    const width = d.chance(0.1) ? d.int(0, 1) : d.int(1, 6);
    const kinds = d.int(1, 4);
    const cells = ['A', 'B', '.', 'a'].slice(0, kinds) as [string, ...string[]];
    return [
      d.list(6, () => Array.from({ length: d.chance(0.99) ? width : width + 1 }, () => d.pick(cells)).join('')),
      ...d.optional<Value>(d.pick([0, 1, 2, 2.5])),
    ];
  },

  'build_changelog.mjs': (d) => [
    d.list(12, () => {
      const head = d.pick([
        'feat',
        'fix',
        'fix(ui)',
        'feat(api)',
        'feat(ui)',
        'FIX(api)',
        'perf',
        'perf()',
        'feat!',
        'fix(ui)!',
        'chore',
        'docs!',
      ]);
      const text = d.pick(['add x', 'add y', 'close #1', 'see #2 and #10', 'a: b']);
      const message = d.chance(0.85)
        ? `${head}:${d.pick([' ', ' ', ' ', '', '  '])}${text}`
        : d.pick(['Merge', 'fix later', '', 'feat:', ' fix: add x ']);
      return {
        message:
          message +
          d.pick(['', '', '', '', '\n', '\n\nBREAKING CHANGE: x', '\n\nmore\nBREAKING CHANGES', '\n not BREAKING CHANGE']),
        ...maybe(d, 0.3, {
          tag: d.pick([
            'v1.0.0',
            '1.0.0',
            'v1.0.0-beta',
            'v1.0.0-alpha',
            'v1.10.0',
            'v1.9.2',
            '2.0.0-rc',
            'v2.0.0',
            'v1.2',
            'nightly',
            '',
            null,
          ]),
        }),
      };
    }),
    ...d.optional<Value>({
      ...maybe(d, 0.5, { repository: d.pick(['https://example.org/app', '']) }),
      ...maybe(d, 0.5, { keepEmpty: d.chance(0.7) }),
    }),
  ],

  'plan_pick_round.mjs': (d) => [
    d.list(6, () => ({ sku: d.pick(['P1', 'P2', 'P3', 'P4']), quantity: d.pick([-1, 0, 1, 2, 3, 5, 8]) })),
    d.list(12, () => ({
      bin: d.chance(0.995) ? bin(d) : 'B-x',
      sku: d.pick(['P1', 'P2', 'P3', 'p1']),
      ...maybe(d, 0.9, { quantity: d.pick([0, 1, 1, 2, 2, 3, 5, 9, null]) }),
      ...maybe(d, 0.2, { blocked: d.chance(0.6) }),
    })),
    ...d.optional<Value>(bin(d)),
  ],

  'course-order.ts': (d) => {
    const highest = d.int(0, 9);
    return [
      d.list(10, (index) => ({
        id: d.chance(0.93) ? `C${(index * 7) % 10}` : `c${d.int(0, 2)}`,
        ...maybe(d, 0.6, { credits: d.pick([0, 2.5, 5, 5, 10, 15]) }),
        ...maybe(d, 0.65, {
          needs: d.list(3, () =>
            d.chance(0.97) ? `C${(d.int(0, Math.max(0, d.chance(0.8) ? index - 1 : highest)) * 7) % 10}` : 'X1',
          ),
        }),
        ...maybe(d, 0.25, { springOnly: d.chance(0.8) }),
      })),
      d.pick([0, 5, 10, 10, 12.5, 20, 30]),
      ...d.optional<Value>(d.list(3, () => d.pick(['C0', 'C7', 'C4', 'X1']))),
    ];
  },

  'import-duty.ts': (d) => [
    d.list(5, (index) => ({
      id: d.chance(0.9) ? `R${index}` : 'R0',
      ...maybe(d, 0.4, { gift: d.chance(0.8) }),
      ...maybe(d, 0.5, { shipping: d.pick([0, 5, 9.99, 20]) }),
      items: d.list(5, () => ({
        code: d.chance(0.995) ? d.pick(commodity) : d.pick(['61', 'shoes', '']),
        value: d.pick([0, 9.99, 15, 22.5, 45, 75, 150, 150.01, 300]),
        origin: d.pick(['CN', 'US', 'NO']),
        ...maybe(d, 0.6, { weight: d.pick([0, 0.5, 2, 12, null]) }),
        ...maybe(d, 0.4, { count: d.int(0, 3) }),
      })),
    })),
    d.list(10, () => ({
      code: d.pick(['', '61', '61', '6101', '6102', '610110', '85', '8501', '95']),
      rate: d.pick([0, 2.5, 4, 12, 12]),
      ...maybe(d, 0.35, { perKilo: d.pick([0, 1, 3, 10]) }),
      ...maybe(d, 0.35, { origins: d.list(2, () => d.pick(['CN', 'US', 'NO'])) }),
    })),
    ...d.optional<Value>(d.pick([0, 7, 20, 19.5])),
  ],

  'auction-results.ts': (d) => [
    d.list(5, (index) => ({
      id: d.chance(0.95) ? `L${index}` : 'L0',
      opening: d.pick([0, 10, 50, 100]),
      ...maybe(d, 0.5, { reserve: d.pick([0, 50, 100, 120, 500, null]) }),
    })),
    d.list(14, (index) => ({
      lot: `L${d.int(0, d.pick([0, 2, 5]))}`,
      bidder: d.name(),
      limit: d.pick([0, 10, 49.5, 50, 95, 99.99, 100, 100, 120, 480, 500, 700]),
      at: d.chance(0.4) ? index : d.int(0, 5),
      ...maybe(d, 0.25, { withdrawn: d.chance(0.6) }),
    })),
    ...d.optional<Value>(d.pick([0, 10, 17.5, 18])),
  ],
};
