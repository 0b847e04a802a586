/** Random calls of the functions in test/bench/offline/seventh. */
import type * as z from 'zod';
import type { Json } from '../../../shared/judging.ts';
import type { Draw } from '../draw.ts';

type Value = z.infer<typeof Json>;
type Fields = Record<string, Value>;

/** A field that is now and then missing. */
const maybe = (d: Draw, key: string, probability: number, make: () => Value): Fields =>
  d.chance(probability) ? { [key]: make() } : {};

const two = (value: number): string => String(value).padStart(2, '0');
const clock = (minutes: number): string => `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
const isoDay = (d: Draw): string => `2024-${two(d.int(1, 4))}-${two(d.int(1, 28))}`;

const payer = (d: Draw): string =>
  d.pick(['North Foods Ltd', 'NORTH FOODS', 'Lake Design Co', 'lake-design', 'West & Sons GmbH', 'Zoë', 'Ltd', '']);

const leaf = (d: Draw): Value =>
  d.pick<Value>([0, 1, 1.5, '', 'on', 'off', true, false, null, [], [1, 2], [2, 1], { x: 1 }, { x: 1, y: 2 }, {}]);

const entry = (d: Draw): Fields => ({
  id: d.pick(['r1', 'r2', 'r3', 'r4']),
  ...maybe(d, 'level', 0.8, () => d.int(0, 2)),
  ...maybe(d, 'note', 0.3, () => leaf(d)),
});

const settings = (d: Draw, depth: number): Fields => {
  const result: Fields = {};
  for (const key of ['color', 'size', 'rules', 'limits']) {
    if (d.chance(0.75)) {
      const nested = depth > 0 && d.chance(0.5);
      result[key] = key === 'rules' && d.chance(0.8) ? d.list(4, () => entry(d)) : nested ? settings(d, depth - 1) : leaf(d);
    }
  }
  return result;
};

/** A copy of the value with some of its parts changed, left out or added. */
const changed = (d: Draw, value: Value): Value => {
  if (d.chance(0.12)) {
    return leaf(d);
  }
  if (Array.isArray(value)) {
    const kept = value.filter(() => d.chance(0.9)).map((item) => changed(d, item));
    return d.chance(0.2) ? [...kept, entry(d)] : kept;
  }
  return typeof value === 'object' && value !== null ? changedFields(d, value as Fields) : value;
};

const changedFields = (d: Draw, fields: Fields): Fields => {
  const result: Fields = d.chance(0.15) ? { added: leaf(d) } : {};
  for (const [key, value] of Object.entries(fields)) {
    if (key === 'id' || d.chance(0.9)) {
      result[key] = key === 'id' ? value : changed(d, value);
    }
  }
  return result;
};

const options: Value[] = ['yes', 'no', 'rarely'];

const question = (d: Draw, index: number): Fields => {
  const type = d.pick(['choice', 'multiple', 'number', 'text']);
  return {
    id: d.chance(0.95) ? `q${index}` : 'q0',
    type: d.chance(0.992) ? type : 'date',
    ...maybe(d, 'required', 0.6, () => d.chance(0.7)),
    ...(type === 'choice' || type === 'multiple' ? maybe(d, 'options', 0.95, () => options.slice(0, d.int(1, 3))) : {}),
    ...maybe(d, 'min', 0.2, () => d.int(0, 3)),
    ...maybe(d, 'max', 0.4, () => d.int(2, 6)),
    ...(index > 0
      ? maybe(d, 'showIf', 0.4, () => ({
          question: d.chance(0.985) ? `q${d.int(0, index - 1)}` : 'gone',
          equals: d.pick<Value>(['yes', 'no', 3, null]),
        }))
      : {}),
  };
};

const answerValue = (d: Draw): Value =>
  d.pick<Value>(['yes', 'no', 'rarely', 'never', '', null, 0, 3, 9, -1, [], ['yes'], ['no', 'yes'], ['yes', 'yes'], ['else']]);

const member = (d: Draw): string => d.pick(['Ann', 'Bob', 'Carla', 'Dieter', 'Eve', 'Zoë', 'Li']);
const clockText = (d: Draw): string => d.pick(['00:00', '06:00', '07:30', '17:00', '20:00', '22:00', '24:00']);

export const seventh: Readonly<Record<string, (d: Draw) => Value[]>> = {
  'match_bank_payments.py': (d) => {
    const number = (): string => d.pick(['INV-1', 'INV-2', 'INV-12', 'INV-20', 'R 7/24', 'R 8/24', 'inv-2', '']);
    const amount = (): number => d.pick([100, 100, 250, 251, 500, 1000, d.int(1, 1200)]);
    const invoices = d.list(10, () => ({ number: number(), customer: payer(d), amount: amount(), due: isoDay(d) }));
    const payments = d.list(10, (index) => ({
      id: d.chance(0.95) ? `P${index}` : 'P0',
      payer: payer(d),
      amount: d.chance(0.99) ? amount() : d.int(-5, 0),
      ...maybe(d, 'text', 0.85, () => d.pick(['Thanks', '', `Rent ${number()}`, `${number()} ${number()}`, `no.${number()}x`])),
      date: isoDay(d),
    }));
    return [payments, invoices, ...d.optional(d.pick([0, 1, 50, 200]))];
  },

  'book_meeting_rooms.py': (d) => {
    const items = (): Value => d.list(3, () => d.pick(['screen', 'phone', 'whiteboard']));
    const requests = d.list(12, (index) => {
      const start = d.chance(0.92) ? d.pick([480, 540, 540, 555, 600, 600 + d.int(0, 400)]) : d.pick([0, 470, 1050, 1079]);
      const end = d.chance(0.992) ? start + d.pick([1, 15, 30, 60, 60, 120, 360]) : start;
      return {
        title: d.chance(0.9) ? `Meeting ${index}` : 'Meeting',
        start: d.chance(0.995) ? clock(start) : d.pick(['', 'noon', '25:00']),
        end: clock(end),
        people: d.int(0, 12),
        ...maybe(d, 'priority', 0.5, () => d.int(-1, 2)),
        ...maybe(d, 'needs', 0.3, items),
      };
    });
    const rooms = d.list(4, (index) => ({
      name: d.chance(0.95) ? `Room ${index}` : 'Room 0',
      seats: d.pick([0, 4, 8, 8, 12]),
      ...maybe(d, 'equipment', 0.7, items),
    }));
    return [requests, rooms];
  },

  'rank_league_table.py': (d) => {
    const teams: [string, ...string[]] = ['Reds', 'Blues', 'Élan', 'a', 'B'];
    const matches = d.list(14, () => {
      const home = d.pick(teams);
      const away = d.chance(0.995) ? (teams[(teams.indexOf(home) + d.int(1, 4)) % 5] ?? 'Reds') : home;
      const score = `${d.int(0, 3)}:${d.chance(0.95) ? d.int(0, 2) : 11}`;
      const shown: Value = d.chance(0.995) ? score : d.pick(['', '2', '1:x', '1:2:3']);
      return { home, away, ...maybe(d, 'score', 0.9, () => (d.chance(0.93) ? shown : null)) };
    });
    const deductions = d.chance(0.3) ? null : Object.fromEntries(d.list(2, () => [d.pick(teams), d.int(0, 4)]));
    return [matches, ...d.optional<Value>(deductions)];
  },

  'explode_parts_list.py': (d) => {
    const levels: string[] = ['desk', 'frame', 'drawer', 'leg', 'panel', 'screw', 'glue'];
    const part = (low: number): string => levels[d.int(Math.min(low, 6), 6)] ?? 'glue';
    const rows = d.list(10, () => {
      const index = d.int(0, 4);
      const low = d.chance(0.97) ? index + 1 : 0;
      return { part: levels[index] ?? 'desk', child: part(low), quantity: d.int(d.chance(0.9) ? 1 : 0, 4) };
    });
    const catalog: Fields = {};
    for (const name of levels) {
      if (d.chance(0.985)) {
        catalog[name] = {
          price: d.int(0, 90),
          ...maybe(d, 'pack', 0.5, () => d.pick([1, 10, 25])),
          ...maybe(d, 'days', 0.7, () => d.int(0, 9)),
          ...maybe(d, 'supplier', 0.6, () => d.pick(['Nord', 'Ost'])),
        };
      }
    }
    const stock = d.chance(0.2) ? null : Object.fromEntries(d.list(4, () => [part(0), d.int(0, 40)]));
    const orders = d.list(4, () => ({ part: part(0), quantity: d.chance(0.99) ? d.int(1, 5) : 0 }));
    return [orders, rows, catalog, ...d.optional<Value>(stock)];
  },

  'summarize_access_log.py': (d) => {
    const line = (): string => {
      const user = d.pick(['ann', 'bob', 'bob', 'eve', '-']);
      const day = d.chance(0.97) ? d.pick(['2024-02-29', '2024-03-01']) : '2023-02-29';
      const time = `${two(d.pick([0, 9, 9, 10, 23]))}:${two(d.int(0, 59))}:${two(d.pick([0, 0, 30, 59]))}`;
      const path = `/${d.pick(['', 'a', 'b', 'b/c', 'a?x=1', 'a?x=2'])}`;
      const status = d.pick([200, 200, 200, 304, 399, 400, 404, 500]);
      const request = `"${d.pick(['GET', 'GET', 'GET', 'POST'])} ${path}"`;
      return `10.0.0.${d.int(1, 2)} ${user} [${day} ${time}] ${request} ${status} ${d.chance(0.8) ? d.int(0, 900) : '-'}`;
    };
    const odd = (): string => d.pick(['', '  ', '# note', 'broken', `${line()} x`, ` ${line()} `]);
    const lines = d.list(14, () => (d.chance(0.93) ? line() : odd()));
    return [lines, ...d.optional<Value>(d.pick([0, 1, 10, 30, 600]), d.chance(0.25))];
  },

  'ticket_due_dates.py': (d) => {
    const pause = (): Value => ({ from: isoDay(d), ...maybe(d, 'to', 0.75, () => (d.chance(0.9) ? isoDay(d) : null)) });
    const tickets = d.list(8, (index) => ({
      id: d.chance(0.93) ? `T${index}` : 'T0',
      opened: d.chance(0.995) ? isoDay(d) : d.pick(['', '2024-02-30', 'soon']),
      priority: d.chance(0.993) ? d.pick(['urgent', 'high', 'normal', 'low']) : d.pick(['', 'medium']),
      ...maybe(d, 'closed', 0.4, () => (d.chance(0.85) ? isoDay(d) : null)),
      ...maybe(d, 'pauses', 0.4, () => d.list(3, pause)),
    }));
    const today = d.chance(0.99) ? isoDay(d) : 'today';
    return [tickets, today, ...d.optional<Value>(d.chance(0.1) ? null : d.list(8, () => isoDay(d)))];
  },

  'find_duplicate_contacts.py': (d) => {
    const name = (): string =>
      d.pick(['Ann Miller', 'Miller, Ann', 'Anne Miller', 'Bob Li', 'Rob Li', 'José', '', '-', d.name()]);
    const contacts = d.list(8, (index) => ({
      id: d.chance(0.95) ? index + 1 : 1,
      name: name(),
      ...maybe(d, 'city', 0.6, () => d.pick(['Oslo', 'Graz', ''])),
      ...maybe(d, 'email', 0.4, () => d.pick<Value>(['ann@example.org', ' ANN@example.org', 'bob@example.org', '', null])),
      ...maybe(d, 'phone', 0.4, () => d.pick<Value>(['+43 660 1234567', '0660/1234567', '1234567', '12', '-', '', null])),
    }));
    const threshold = d.chance(0.95) ? d.pick([0.85, 0.5, 0.9, 1, 1, 0.05]) : d.pick([0, -1, 1.5]);
    return [contacts, ...d.optional(threshold)];
  },

  'build_shopping_list.mjs': (d) => {
    const item = (): Fields => ({
      name: d.pick(['Tomato', 'tomatos', ' red  onion', 'Red Onions', 'Cress', 'water', 'olive oil', 'eggs', 'egg', '']),
      amount: d.pick([0, 1, 2, 0.5, 250, 999, d.cents(0, 3)]),
      ...maybe(d, 'unit', 0.85, () => (d.chance(0.997) ? d.pick(['g', 'kg', 'ml', 'l', 'tsp', 'tbsp', 'piece']) : 'cup')),
    });
    const recipes = d.list(5, (index) => ({
      name: d.chance(0.9) ? `Recipe ${index}` : 'Recipe 0',
      serves: d.chance(0.99) ? d.int(1, 6) : d.pick([0, -2]),
      ingredients: d.list(6, item),
    }));
    const names = (): Value => d.list(3, () => d.pick(['tomato', 'Onion', 'red onion', 'EGGS', 'cress']));
    const aisles = d.list(3, () => ({ name: d.pick(['fresh', 'dry', 'other']), items: names() }));
    return [recipes, d.pick([1, 4, 6, 0, 3]), ...d.optional<Value>(d.list(5, item), aisles)];
  },

  'describe_land_parcels.mjs': (d) => {
    const width = d.int(0, 9);
    const uses = d.pick<[string, ...string[]]>([['F'], ['F', 'M'], ['F', 'F', 'F', 'W'], ['F', 'M', 'W', 'R', ' ']]);
    const row = (): string => Array.from({ length: width }, () => d.pick(uses)).join('');
    const map = d.list(8, row);
    const rows = d.chance(0.96) ? map : [...map, `${row()}F`];
    return [rows, ...d.optional(d.pick([1, 0, 2, 3, 100]))];
  },

  'merge_settings.mjs': (d) => {
    const base = settings(d, 2);
    const ours = changedFields(d, base);
    const theirs = d.chance(0.9) ? changedFields(d, base) : settings(d, 2);
    const wrong = d.chance(0.03) ? d.pick<Value>([null, [], 'base']) : base;
    return [wrong, ours, theirs, ...d.optional<Value>(d.chance(0.97) ? d.pick(['ours', 'theirs']) : 'both')];
  },

  'check_survey_answers.mjs': (d) => {
    const questions = d.list(6, (index) => question(d, index));
    const responses = d.list(6, (index) => ({
      respondent: d.chance(0.9) ? `r${index}` : 'r0',
      answers: d.list(8, () => ({ question: d.chance(0.95) ? `q${d.int(0, 5)}` : 'old', value: answerValue(d) })),
    }));
    return [questions, responses];
  },

  'search-articles.ts': (d) => {
    const word = (): string =>
      d.pick(['the', 'bridge', 'bridges', 'Painting', 'painted', 'paint', 'water', 'Zoë', '24', 'is', 'sing']);
    const text = (longest: number): string => d.list(longest, () => word() + d.pick(['', '', '', '.', '! ', ','])).join(' ');
    const articles = d.list(8, (index) => ({
      id: d.chance(0.93) ? `a${index}` : 'a0',
      title: text(4),
      body: text(d.chance(0.8) ? 12 : 40),
      ...maybe(d, 'tags', 0.4, () => d.list(3, word)),
    }));
    const query = d.list(4, () => (d.chance(0.85) ? '' : '-') + word()).join(d.pick([' ', '  ']));
    return [articles, query, ...d.optional(d.chance(0.96) ? d.pick([10, 1, 2, 3]) : d.pick([0, -1, 1.5]))];
  },

  'compare-tariffs.ts': (d) => {
    const band = (): Value => ({
      from: clockText(d),
      to: clockText(d),
      rate: d.int(0, 45),
      ...maybe(d, 'days', 0.4, () => d.pick(['weekday', 'weekend'])),
    });
    const time = (): string => clock(d.pick([0, 360, 450, 1020, 1320, 1439, d.int(0, 1439)]));
    const readings = d.list(12, () => ({
      at: d.chance(0.997) ? `${isoDay(d)}T${time()}` : d.pick(['', isoDay(d)]),
      kwh: d.chance(0.997) ? d.pick([0, 1, d.cents(0, 8), d.cents(0, 3)]) : -0.5,
    }));
    const tariffs = d.list(4, (index) => ({
      name: d.chance(0.93) ? `Tariff ${index}` : 'Tariff 0',
      perDay: d.int(0, 50),
      rate: d.int(0, 40),
      ...maybe(d, 'bands', 0.6, () => d.list(3, band)),
      ...maybe(d, 'freePerMonth', 0.3, () => d.pick([0, 2, 5.5])),
    }));
    const known = tariffs.length > 0 ? ['Tariff 0'] : [];
    return [readings, tariffs, ...d.optional<Value>(...(d.chance(0.97) ? known : ['Old']))];
  },

  'suggest-connections.ts': (d) => {
    const people = d.chance(0.9)
      ? ['Ann', 'Bob', 'Carla', 'Dieter', 'Eve', 'Zoë', 'Li'].slice(0, d.chance(0.995) ? 7 : 5)
      : d.list(7, () => member(d));
    const known: [string, ...string[]] = [people[0] ?? 'Ann', ...people.slice(1)];
    const pair = (): Value => [d.pick(known), d.pick(known)];
    const members = people.map((name) => ({
      name,
      ...maybe(d, 'city', 0.6, () => d.pick(['Oslo', 'Graz', ''])),
      ...maybe(d, 'interests', 0.7, () => d.list(4, () => d.pick(['Chess', 'chess', 'Film', 'Books', 'music']))),
    }));
    const friendships = people.length === 0 ? [] : d.list(12, pair);
    const listed = d.chance(0.98) ? friendships : [...friendships, ['Ann', 'Nobody']];
    return [members, listed, ...d.optional<Value>(d.pick([3, 0, 1, 2, 10]), d.list(4, pair))];
  },
};
