/** Random calls of the functions in test/bench/offline/fourth. */
import type * as z from 'zod';
import type { Json } from '../../../shared/judging.ts';
import type { Draw } from '../draw.ts';

type Value = z.infer<typeof Json>;

const clock = (minute: number) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** An amount of money as a text with two digits behind the point. */
function money(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

type Node = { name: string; size?: number; children?: Node[] };

function fileTree(d: Draw, depth: number): Node {
  const name = d.pick(['src', 'SRC', 'lib2', 'lib10', 'a.log', 'b.js', 'x+y', d.word()]);
  if (depth > 0 && d.chance(0.6)) return { name, children: d.list(5, () => fileTree(d, depth - 1)) };
  return { name, ...(d.chance(0.8) ? { size: d.pick([0, 5, 5, d.int(0, 90)]) } : {}) };
}

/** A line of few words, which may differ from another in its spaces only. */
const line = (d: Draw) => d.pick(['a', 'b', 'c', 'a b', 'a  b', ' a b', '', ' ', '\ta', d.word()]);

/** The arguments of one call, by the name of the function's file. */
export const fourth: Readonly<Record<string, (d: Draw) => Value[]>> = {
  'library_fines.py': (d) => {
    const day = (months: readonly [string, ...string[]]) => `2024-${d.pick(months)}-${String(d.int(1, 29)).padStart(2, '0')}`;
    return [
      d.list(12, () => ({
        member: d.pick(['m1', 'm1', 'm2', 'm3', 'gone']),
        title: d.pick(['Dune', 'Emma', d.word()]),
        kind: d.pick(['book', 'book', 'dvd', 'magazine', 'map']),
        borrowed: day(['01', '02', '03']),
        ...(d.chance(0.5) ? { renewals: d.int(0, 3) } : {}),
        ...(d.chance(0.6) ? { returned: d.chance(0.2) ? null : day(['02', '03', '04']) } : {}),
        ...(d.chance(0.3) ? { value: d.pick([0, 100, 400]) } : {}),
      })),
      d.list(4, (at) => ({
        id: d.chance(0.1) ? 'm1' : `m${at + 1}`,
        ...(d.chance(0.8) ? { group: d.pick(['adult', 'adult', 'child', 'staff']) } : {}),
      })),
      d.list(6, () => day(['02', '03', '04'])),
      day(['03', '04', '05']),
    ];
  },
  'tournament_standings.py': (d) => {
    const player = () => d.pick(['Ann', 'Bob', 'Carla', 'Eve', 'Li']);
    return [
      ['Li', 'Ann', 'Eve', 'Bob', 'Carla', 'Zoë'].filter(() => d.chance(0.8)),
      d.list(14, () => {
        if (d.chance(0.12)) return { white: player(), black: null, result: 'bye' };
        const game = { white: player(), black: player() };
        return d.chance(0.05) ? game : { ...game, result: d.pick(['1-0', '0-1', '1/2-1/2', '1/2-1/2', null, '*']) };
      }),
      ...d.optional(d.chance(0.7)),
    ];
  },
  'clean_sensor_readings.py': (d) => {
    const sensor = () => d.pick(['a', 'a', 'b', 'c']);
    const usual = () => (d.chance(0.5) ? d.cents(18, 22) : d.int(18, 22));
    const value = () => (d.chance(0.1) ? null : d.chance(0.15) ? d.int(60, 400) : usual());
    return [
      d.list(26, () => {
        const reading = { sensor: sensor(), time: d.chance(0.3) ? 60 * d.int(-2, 9) : d.int(-100, 700) };
        return d.chance(0.05) ? reading : { ...reading, value: value() };
      }),
      ...d.optional<Value>(
        d.chance(0.03) ? d.int(-1, 0) : d.pick([60, 25, 100]),
        d.pick([0, 60, 150, 300]),
        d.chance(0.2) ? null : Object.fromEntries(d.list(3, () => [sensor(), [d.pick([0, 19, 18.5]), d.pick([21, 100, 10])]])),
      ),
    ];
  },
  'survey_crosstab.py': (d) => {
    const question = () => d.pick(['age', 'media', 'rating']);
    const answers = {
      age: () => d.pick(['young', 'old', '', null]),
      media: () => d.list(3, () => d.pick(['tv', 'web', 'tv', 'radio'])),
      rating: () => d.pick([1, 2, 2, 5, '2', true]),
      weight: () => d.pick([0, 1, 2, 1.5]),
    };
    const response = () =>
      Object.fromEntries(Object.entries(answers).flatMap(([name, make]) => (d.chance(0.85) ? [[name, make()]] : [])));
    const where = () =>
      Object.fromEntries(d.list(2, () => [question(), d.list(4, () => d.pick(['young', 'tv', 'web', '2', '1', '(none)']))]));
    const rest = d.optional<Value>(d.chance(0.3) ? null : where(), d.pick(['weight', 'weight', null]));
    return [d.list(14, response), d.chance(0.05) ? 'other' : question(), question(), ...rest];
  },
  'balance_ledger.py': (d) => {
    const currency = () => d.pick(['EUR', 'USD', 'USD', 'GBP', 'JPY']);
    const day = () => `2024-${d.pick(['01', '02'])}-${d.pick(['05', '10', '15', '20'])}`;
    const entry = (at: number) => {
      const amounts = d.list(3, () => d.pick([100, 5, -250, 0, d.int(-9000, 9000)]));
      const sum = amounts.reduce((total, amount) => total + amount, 0);
      const all = d.chance(0.9) ? [...amounts, -sum + (d.chance(0.1) ? 1 : 0)] : amounts;
      const lines = all.map((amount) => ({ account: d.pick(['Bank', 'Sales', 'Rent', 'Rounding']), amount: money(amount) }));
      return {
        id: d.chance(0.1) ? 1 : at + 1,
        date: day(),
        ...(d.chance(0.7) ? { currency: currency() } : {}),
        ...(d.chance(0.95) ? { lines } : {}),
      };
    };
    const rates = d.list(8, () => ({ date: day(), currency: currency(), rate: d.pick(['0.92', '1.175', '0.5', '1', '0.8333']) }));
    return [d.list(9, entry), rates, ...d.optional(d.pick(['EUR', 'USD', 'CHF']))];
  },
  'solve_word_search.py': (d) => {
    const letter = () => d.pick(['a', 'b', 'A', 'c', 'c', ' ', 'ß']);
    const width = d.int(0, 6);
    const rows = d.list(6, () => Array.from({ length: d.chance(0.1) ? d.int(0, 7) : width }, letter).join(''));
    const word = () => Array.from({ length: d.int(0, 4) }, () => d.pick(['a', 'b', 'c', 'c', 'B', '-', ' '])).join('');
    // Some of the words are in the grid for certain, there and back.
    const row = () => d.pick(['ab', ...rows]).slice(d.int(0, 2), d.int(2, 5));
    return [rows, d.list(6, () => (d.chance(0.6) ? word() : d.chance(0.5) ? row() : [...row()].reverse().join('')))];
  },
  'diff_lines.py': (d) => {
    const old = d.list(14, () => line(d));
    const changed = old.flatMap((text) => {
      if (d.chance(0.75)) return [text];
      return d.pick([[], [line(d)], [line(d), text], [`${text} `], [text, text], [text.replace(' ', '   ')]]);
    });
    const end = d.pick(['\n', '\n', '\r\n']);
    return [
      old.join(end),
      (d.chance(0.1) ? d.list(9, () => line(d)) : changed).join('\n') + d.pick(['', '\n']),
      ...d.optional<Value>(d.pick([0, 1, 2, 3]), d.chance(0.6)),
    ];
  },
  'suggest_reorders.mjs': (d) => {
    const sku = () => d.pick(['s1', 's2', 's3', 'S1']);
    return [
      d.list(6, () => ({
        sku: sku(),
        supplier: d.pick(['Haas', 'Lumen', 'haas']),
        stock: d.pick([0, 0, 1, 2, 5, d.int(-3, 60)]),
        cost: d.pick([0, 100, 250]),
        ...(d.chance(0.6) ? { leadDays: d.pick([0, 1, 7, 20]) } : {}),
        ...(d.chance(0.5) ? { pack: d.pick([0, 1, 6, 10]) } : {}),
      })),
      d.list(24, () => ({
        sku: sku(),
        date: `2024-03-${String(d.pick([d.int(1, 31), 8, 9, 19])).padStart(2, '0')}`,
        quantity: d.pick([0, 1, 4, 9, -1, 12]),
      })),
      d.list(3, () => ({ sku: sku(), quantity: d.pick([0, 2, 15]) })),
      d.pick(['2024-03-10', '2024-03-20', '2024-03-20', '2024-04-02']),
      ...d.optional(d.pick([1, 7, 14, 30])),
    ];
  },
  'recommend_products.mjs': (d) => {
    const customer = () => d.pick(['c1', 'c2', 'c3', 'c4', 'c10']);
    const options = { limit: d.pick([0, 1, 2, 9]), neighbours: d.pick([0, 1, 2, 3]) };
    return [
      d.list(14, () => ({
        customer: customer(),
        items: d.list(5, () => d.pick(['a', 'b', 'c', 'd', 'e', '7', '10'])),
        ...(d.chance(0.15) ? { refunded: d.chance(0.7) } : {}),
      })),
      d.list(4, () => (d.chance(0.05) ? 'new' : customer())),
      ...d.optional(Object.fromEntries(Object.entries(options).filter(() => d.chance(0.6)))),
    ];
  },
  'flatten_file_tree.mjs': (d) => {
    const options = {
      ignore: d.list(3, () => d.pick(['*.log', 'src', '*b*', 'lib?', '*/src/*', 'x+y', '', '?', 'lib2/*', '(a|b)', 't?p'])),
      sortBy: d.pick(['name', 'size', 'size']),
      maxDepth: d.int(0, 3),
    };
    const tree = fileTree(d, 3);
    const root = d.chance(0.8) ? { name: 'top', children: d.list(5, () => fileTree(d, 3)) } : tree;
    return [root, ...d.optional(Object.fromEntries(Object.entries(options).filter(() => d.chance(0.6))))];
  },
  'merge_event_feeds.mjs': (d) => {
    const zone = () => d.pick(['Z', 'Z', '+02:00', '-05:00']);
    const time = () => `2024-05-0${d.int(1, 3)}T${d.pick(['00:30', '12:00', '23:30'])}:00${zone()}`;
    const id = () => d.pick(['e_1', 'e_2', 'e3', 'e_10', 'E', '_', d.word()]);
    const options = {
      cursor: d.chance(0.2) ? d.pick([null, '', 'x', '1714608000000']) : `${Date.parse(time())}_${id()}`,
      limit: d.int(0, 8),
      kinds: d.list(3, () => d.pick(['comment', 'commit', 'build'])),
    };
    const event = () => ({
      id: id(),
      at: d.chance(0.05) ? 'soon' : time(),
      kind: d.pick(['comment', 'commit', 'build', 'other']),
      ...(d.chance(0.5) ? { text: d.word() } : {}),
    });
    return [
      d.list(4, () => ({ source: d.pick(['git', 'ci', 'chat']), events: d.list(8, event) })),
      ...(d.chance(0.75) ? [Object.fromEntries(Object.entries(options).filter(() => d.chance(0.6)))] : []),
    ];
  },
  'plan-journey.ts': (d) => {
    const station = () => d.pick(['Ulm', 'Bonn', 'Kiel', 'Jena', 'Hof']);
    return [
      Array.from({ length: d.chance(0.8) ? d.int(8, 30) : d.int(0, 7) }, () => {
        let time = 60 * (d.chance(0.7) ? d.int(7, 11) : d.int(7, 23)) + d.pick([0, 15, 30]);
        const stops = Array.from({ length: d.int(0, 5) }, () => {
          const arrive = time + d.pick([0, 5, 20, 45]);
          time = arrive + d.pick([0, 1, 5]);
          return { station: station(), arrive: clock(arrive), depart: clock(time) };
        });
        return { line: d.pick(['RE1', 'RE2', 'S3', 'S4']), stops };
      }),
      station(),
      d.chance(0.05) ? 'nowhere' : station(),
      d.pick(['00:00', '06:00', '07:00', '07:00', '09:15', '22:00']),
      ...d.optional(d.pick([0, 2, 4, 15])),
    ];
  },
  'check-rota.ts': (d) => {
    const role = () => d.pick(['nurse', 'cook', 'nurse']);
    const time = () => d.pick(['06:00', '08:30', '14:00', '17:00', '22:00', '00:00', '09:15']);
    return [
      d.list(12, () => ({
        employee: d.chance(0.1) ? 'Max' : d.pick(['Ann', 'Bob', 'Eve']),
        day: d.pick(['2024-05-03', '2024-05-04', '2024-05-05', '2024-05-06', '2024-02-29']),
        start: time(),
        end: time(),
        role: role(),
      })),
      d.list(4, () => ({
        name: d.pick(['Ann', 'Bob', 'Eve', 'Li']),
        roles: d.list(2, role),
        ...(d.chance(0.6) ? { maxHours: d.pick([0, 8, 16, 20, 40]) } : {}),
      })),
      d.list(3, () => ({ role: role(), from: time(), to: time(), count: d.int(0, 2) })),
      ...d.optional(d.pick([0, 8, 11, 16])),
    ];
  },
  'tag-cooccurrence.ts': (d) => {
    const tag = () => d.pick(['a', 'A ', '#a', 'b', 'b', 'home office', 'Home_Office', '', '#', 'é', 'f', 'a,b', '7', '10']);
    return [
      d.list(12, (at) => ({ id: d.chance(0.1) ? 1 : at + 1, tags: d.list(6, tag) })),
      ...d.optional(d.pick([0, 1, 1, 2, 3]), d.int(0, 4)),
    ];
  },
};
