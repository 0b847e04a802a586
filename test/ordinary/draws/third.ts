/** Random calls of the functions in test/bench/offline/third. */
import type * as z from 'zod';
import type { Json } from '../../../shared/judging.ts';
import type { Draw } from '../draw.ts';

type Value = z.infer<typeof Json>;

const clock = (minute: number) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** Versions of few different numbers, so that several are equal or differ in one part only. */
function version(d: Draw): string {
  const part = () => d.pick([0, 1, 1, 10]);
  const pre = d.chance(0.5) ? `-${d.pick(['rc', 'rc.1', 'rc.2', 'rc.10', 'rc.x', 'beta', '1', 'rc.1.0'])}` : '';
  const numbers = d.chance(0.5) ? '1.1.0' : `${part()}.${part()}${d.chance(0.8) ? `.${part()}` : ''}`;
  const text = `${numbers}${pre}${d.chance(0.1) ? '+b7' : ''}`;
  return d.chance(0.1) ? d.pick(['', 'latest', '3', `v${text}`, ` ${text} `, 'v1.0.0']) : text;
}

function setting(d: Draw): string {
  const numbers = ['7', '-17', '+4', '1.5', '-.5', '3.', '1.2.3', '.', '-', '٣', '007'] as const;
  const words = ['yes', 'TRUE', 'off', 'No', 'none', '', '"a b"', "'x'", '"', `"x'`, 'plain value', 'a = b'] as const;
  const item = () => (d.chance(0.5) ? d.pick(numbers) : d.pick(words));
  return d.chance(0.25) ? d.pick(['[]', '[ ]', '[1', `[${d.list(4, item).join(', ')}]`]) : item();
}

function configLine(d: Draw): string {
  const name = () => d.pick(['a', 'b', ' c ', 'a', 'x y']);
  if (d.chance(0.25)) return `[${[name(), ...d.list(2, name)].join('.')}]`;
  if (d.chance(0.25)) return d.pick(['', '# note', '; note', '[]', '[a', '= 3', 'orphan', '  ', '\\', '# note \\']);
  return `${d.pick(['', '  '])}${name()}${d.pick(['=', ' = '])}${setting(d)}${d.pick(['', '', '', ' \\', '\r'])}`;
}

function logLine(d: Draw): string {
  if (d.chance(0.1))
    return d.pick(['', 'truncated', '10.0.0.1 - - [x] "get / HTTP/1.1" 200 5', '1 - - [4/Mar:07:10] "GET /" 99 -']);
  const path = d.pick(['/', '/login', '/login/', '//', '/a/7', '/a/12/edit?x=1', '/a/12', '/?q=/5', '/a/7/8/', '/a/b7', 'x']);
  const request = `${d.pick(['GET', 'POST'])} ${path}${d.pick([' HTTP/1.1', ''])}`;
  const time = `${d.pick(['04', '05'])}/Mar/2024:${d.pick(['00', '07', '23'])}:10:00 +0100`;
  const answer = `${d.pick(['200', '201', '302', '404', '500', '503', '999'])} ${d.pick(['-', '0', '12', '700'])}`;
  return `${d.pick(['', ' '])}${d.pick(['10.0.0.1', '10.0.0.2', 'host'])} - ${d.pick(['-', 'anna'])} [${time}] "${request}" ${answer}`;
}

/** The arguments of one call, by the name of the function's file. */
export const third: Readonly<Record<string, (d: Draw) => Value[]>> = {
  'allocate_seats.py': (d) => [
    Object.fromEntries(d.list(7, () => [d.name(), d.chance(0.5) ? d.int(0, 4) * 60 : d.int(0, 900)])),
    d.chance(0.02) ? -1 : d.int(0, 12),
    ...d.optional<Value>(d.pick([0, 0, 5, 12.5, 50]), d.chance(0.04) ? 'hare' : d.pick(['dhondt', 'sainte-lague'])),
  ],
  'bom_cost.py': (d) => {
    const size = d.int(1, 8);
    const parts = Array.from({ length: size }, (_, at) => [
      `P${at}`,
      {
        ...(d.chance(0.7) ? { price: d.int(0, 90) } : {}),
        ...(d.chance(0.5) ? { labour: d.int(0, 40) } : {}),
        ...(d.chance(0.8)
          ? {
              components: d.list(at === 0 ? 0 : 3, () => ({
                part: `P${d.chance(0.02) ? d.int(0, size) : d.int(0, at - 1)}`,
                qty: d.int(0, 5),
              })),
            }
          : {}),
      },
    ]);
    const orders = d.list(6, () => ({ part: `P${d.chance(0.02) ? size : d.int(0, size - 1)}`, qty: d.int(0, 9) }));
    return [Object.fromEntries(d.chance(0.3) ? parts.reverse() : parts), orders, ...d.optional(d.pick([null, 0, 15, 33, -10]))];
  },
  'free_meeting_slots.py': (d) => {
    const day = () => d.pick(['2024-02-28', '2024-02-29', '2024-03-01']);
    const events = d.list(12, () => {
      const [start, from] = [day(), 15 * d.int(32, 72)];
      const until = d.chance(0.05) ? `2024-03-01 ${clock(from)}` : `${start} ${clock(from + 15 * d.int(0, 14))}`;
      const cancelled = d.chance(0.3) ? { cancelled: d.chance(0.6) } : {};
      return { person: d.pick(['ann', 'bob', 'eve']), start: `${start} ${clock(from)}`, end: until, ...cancelled };
    });
    const hours = [d.pick(['08:00', '09:00', '09:10']), d.pick(['12:00', '17:00', '08:30', '10:05'])];
    const people = d.list(3, () => d.pick(['ann', 'bob', 'eve', 'zed']));
    return [events, people, d.list(3, day), ...d.optional<Value>(d.pick([15, 45, 60, 120, 0]), ...hours, d.pick([20, 30, 60]))];
  },
  'grade_report.py': (d) => {
    const works = ['hw1', 'hw2', 'midterm', 'final'] as const;
    const weight = () => d.pick([0, 5, 30, 40, 12.5]);
    const mark = () => (d.chance(0.1) ? null : d.chance(0.05) ? -5 : d.chance(0.3) ? d.cents(40, 100) : d.int(5, 10) * 10);
    const marks = () => Object.fromEntries([...works, 'bonus'].filter(() => d.chance(0.85)).map((name) => [name, mark()]));
    const weights = Object.fromEntries(works.filter(() => d.chance(0.6)).map((name) => [name, weight()]));
    return [d.list(10, () => ({ name: d.name(), marks: marks() })), weights];
  },
  'parse_config.py': (d) => [d.list(14, () => configLine(d)).join('\n')],
  'rolling_stats.py': (d) => {
    const values = d.list(24, () => (d.chance(0.15) ? d.int(50, 900) : d.int(-5, 20)));
    return [values, ...d.optional<Value>(d.chance(0.03) ? 0 : d.int(1, 9), d.pick([0, 0.5, 1, 1.5, 2, 2.5]))];
  },
  'summarize_access_log.py': (d) => [d.list(16, () => logLine(d)), ...d.optional(d.int(0, 6))],
  'find_duplicate_contacts.mjs': (d) => [
    d.list(9, (at) => ({
      id: d.chance(0.1) ? d.int(1, 9) : at + 1,
      ...(d.chance(0.8) ? { name: d.pick(['Ann Lee', ' lee  ANN', 'Bob Ray', 'Lee', '', ' ']) } : {}),
      ...(d.chance(0.6)
        ? { email: d.pick(['a@x.de', 'A@X.de ', 'a+news@x.de', 'b@x.de', 'b+@x.de', '+a@x.de', '', d.word()]) }
        : {}),
      ...(d.chance(0.6)
        ? { phone: d.pick(['030 5-1', '+49 30 51', '0049 3051', '3051', '+1 30', '0130', '', 'none', '+']) }
        : {}),
      ...(d.chance(0.7) ? { zip: d.pick(['10115', '10115', '20095', '']) } : {}),
    })),
  ],
  'replay_connect_game.mjs': (d) => {
    const columns = d.int(1, 5);
    const size = { rows: d.int(1, 5), columns, length: d.int(1, 4) };
    if (d.chance(0.4)) return [d.list(40, () => d.int(d.chance(0.05) ? -1 : 0, d.chance(0.05) ? 7 : 6))];
    const options = Object.fromEntries(Object.entries(size).filter(([name]) => name === 'columns' || d.chance(0.8)));
    return [d.list(30, () => (d.chance(0.08) ? d.int(-1, 6) : d.int(0, columns - 1))), options];
  },
  'build_invoices.mjs': (d) => {
    const country = () => d.pick(['DE', 'AT', 'FR']);
    const category = () => d.pick(['standard', 'food', 'books']);
    return [
      d.list(12, () => ({
        customerId: d.pick(['c1', 'c2', 'c3', 'c4']),
        sku: d.pick(['s1', 's2', 's3', 's4']),
        quantity: d.pick([0, 1, 3, 19, 20, 99, 100, 120]),
        ...(d.chance(0.1) ? { note: d.word() } : {}),
      })),
      d.list(6, () => ({
        sku: d.pick(['s1', 's2', 's3']),
        title: d.word(),
        price: d.pick([0, 5, 10, 10, d.int(0, 90)]),
        category: category(),
      })),
      d.list(5, () => ({ id: d.pick(['c1', 'c2', 'c3']), name: d.name(), country: country() })),
      d.list(8, () => ({ country: country(), category: category(), percent: d.int(0, 25) })),
    ];
  },
  'plan_upgrades.mjs': (d) => {
    const name = () => d.pick(['pad', 'net', 'kit']);
    return [
      Object.fromEntries(d.list(5, () => [name(), version(d)])),
      Object.fromEntries(d.list(5, () => [name(), d.list(9, () => version(d))])),
      ...(d.chance(0.7) ? [d.chance(0.8)] : []),
    ];
  },
  'shortest-route.ts': (d) => {
    const place = () => d.pick(['a', 'b', 'c', 'd', 'e', 'f']);
    return [
      d.list(16, () => ({
        from: place(),
        to: place(),
        km: d.chance(0.2) ? d.cents(0, 6) : d.int(0, 6),
        ...(d.chance(0.2) ? { oneWay: d.chance(0.8) } : {}),
        ...(d.chance(0.15) ? { closed: d.chance(0.8) } : {}),
      })),
      place(),
      d.chance(0.05) ? 'nowhere' : place(),
    ];
  },
  'effective-permissions.ts': (d) => {
    const known = ['r0', 'r1', 'r2', 'r3', 'r4'] as const;
    const role = () => d.pick(known);
    // Now and then a role that is its own parent by way of others.
    const above = (at: number) => d.list(3, () => (d.chance(0.1) ? role() : `r${d.int(0, Math.max(0, at - 1))}`));
    return [
      d.list(5, () => ({ name: d.name(), roles: d.list(4, () => (d.chance(0.05) ? 'guest' : role())) })),
      d.list(14, () => ({
        role: role(),
        resource: d.pick(['doc', 'repo']),
        action: d.pick(['read', 'write']),
        effect: d.chance(0.25) ? 'deny' : 'allow',
      })),
      Object.fromEntries(known.filter(() => d.chance(0.7)).map((name, at) => [name, above(at)])),
    ];
  },
  'parse-csv.ts': (d) => {
    const delimiter = d.pick([',', ',', ';', '\t']);
    const fields = ['', 'a', ' b ', 'a', 'é', '"x"', '"a,b"', '"say ""hi"""', '"two\nlines"', 'a"b"c', '""', ' "q"'] as const;
    const field = () => (d.chance(0.03) ? d.pick(['"open', '\r', ';', '"']) : d.pick(fields));
    const width = d.int(1, 4);
    const row = () => (d.chance(0.7) ? Array.from({ length: width }, field) : d.list(5, field)).join(delimiter);
    const options = {
      ...(delimiter !== ',' || d.chance(0.2) ? { delimiter } : {}),
      ...(d.chance(0.5) ? { header: d.chance(0.7) } : {}),
      ...(d.chance(0.4) ? { trim: d.chance(0.7) } : {}),
    };
    const text = d.list(7, row).join(d.pick(['\n', '\n', '\r\n'])) + d.pick(['', '\n', '\r\n']);
    return delimiter === ',' && d.chance(0.3) ? [text] : [text, options];
  },
};
