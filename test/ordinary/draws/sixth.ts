/** Random calls of the functions in test/bench/offline/sixth. */
import type * as z from 'zod';
import type { Json } from '../../../shared/judging.ts';
import type { Draw } from '../draw.ts';

type Value = z.infer<typeof Json>;
type Fields = Record<string, Value>;

/** A field that is there only sometimes. */
function maybe(d: Draw, probability: number, name: string, make: () => Value): Fields {
  return d.chance(probability) ? { [name]: make() } : {};
}

const two = (value: number): string => String(value).padStart(2, '0');

/** A list that has at least one item. */
const some = (d: Draw, longest: number, make: () => Value): Value[] => [make(), ...d.list(longest - 1, make)];

// Stock

function lot(d: Draw): Value {
  return {
    sku: d.pick(['A', 'B', 'B', 'C']),
    lot: `L${d.int(1, 12)}`,
    qty: d.chance(0.05) ? -d.int(1, 3) : d.int(0, 9),
    ...maybe(d, 0.7, 'expires', () => d.pick([null, '', '2024-03-09', '2024-03-10', '2024-03-11', '2024-05-01'])),
  };
}

function stockOrder(d: Draw, index: number): Value {
  const line = (): Value => ({ sku: d.pick(['A', 'B', 'C', 'D']), qty: d.chance(0.005) ? -1 : d.int(0, 10) });
  return {
    id: d.chance(0.1) ? 'O1' : `O${index}`,
    ...maybe(d, 0.6, 'priority', () => d.pick([null, 0, 1, 1, 2, -1])),
    ...maybe(d, 0.7, 'partial', () => d.chance(0.6)),
    ...maybe(d, 0.95, 'lines', () => d.list(4, line)),
  };
}

// League

function leagueTable(d: Draw): Value[] {
  const teams = ['Ajax', 'Bern', 'Como', 'Dijon', 'Essen'].slice(0, d.int(1, 5));
  if (d.chance(0.03)) teams.push('Ajax');
  const unknown = d.chance(0.04);
  const team = (): string => (unknown && d.chance(0.3) ? 'Genk' : d.pick(['Ajax', ...teams]));
  const match = (): Value => ({
    home: team(),
    away: team(),
    ...maybe(d, 0.7, 'round', () => d.int(1, 4)),
    ...maybe(d, 0.9, 'score', () => (d.chance(0.1) ? null : [d.int(0, 2), d.int(0, 2)])),
  });
  const deductions = d.chance(0.3) ? null : { [team()]: d.int(-1, 4) };
  return [teams, d.list(16, match), ...d.optional<Value>(d.int(2, 3), d.int(0, 1), deductions)];
}

// Access log

function logTime(d: Draw): string {
  if (d.chance(0.04)) return d.pick(['2024-02-30 10:00:00', '2024-03-01', '2024-3-1 9:5:7', '2024-03-01 10:61:00', '']);
  return `2024-0${d.pick([2, 2, 3])}-${d.pick(['01', '29'])} ${two(d.int(9, 11))}:${two(d.int(0, 59))}:${two(d.int(0, 59))}`;
}

function logLine(d: Draw): string {
  if (d.chance(0.08)) return d.pick(['', '   ', '# rotated', ' # not a comment', 'nonsense', '[2024-03-01 10:00:00] x']);
  const path = d.pick(['/', '/shop', '/shop?x=1', '/shop?x=2', '/static/a.css', '/about', '?', '/static']);
  const size = d.pick(['', ' -', ' 0', ' 512', ' 70000', ' many']);
  const end = d.chance(0.1) ? d.pick([' ', '\n', '\r\n']) : '';
  const status = d.pick([200, 200, 304, 404, 500]);
  return `[${logTime(d)}] 10.0.0.${d.int(1, 3)} ${d.pick(['GET', 'POST'])} ${path} ${status}${size}${end}`;
}

function logSessions(d: Draw): Value[] {
  const idle = d.chance(0.03) ? d.int(-1, 0) : d.pick([1, 10, 30, 0.5, 600]);
  const ignored = d.pick<Value>([null, [], ['/static/'], ['/static/', '/about'], ['']]);
  return [[...d.list(8, () => logLine(d)), ...d.list(20, () => logLine(d))], ...d.optional<Value>(idle, ignored)];
}

// Settings

function settingText(d: Draw): string {
  if (d.chance(0.02)) return d.pick(['${a}', '${base.none}', 'x ${a.b} y', '${b}/${b}', '${loop}']);
  const linked = d.pick(['${base.host}', 'http://${base.host}:${base.port}/', '${base.url}', '${nothing:5}', '${base.debug}!']);
  return d.chance(0.6) ? linked : d.pick(['plain', '$x', '']);
}

function settingValue(d: Draw, depth: number): Value {
  if (depth > 0 && d.chance(0.45)) return settingTree(d, depth - 1);
  if (d.chance(0.3)) return d.list(3, () => d.pick<Value>([1, true, 'x', 'x', null, settingText(d), [2], { a: 1 }]));
  return d.pick<Value>([null, d.int(0, 9), true, false, 0.5, settingText(d), settingText(d), settingText(d)]);
}

function settingTree(d: Draw, depth: number): Fields {
  const tree: Fields = {};
  for (let left = d.int(0, 4); left > 0; left--) tree[d.pick(['a', 'b', 'c', 'a+', 'b+', 'c+'])] = settingValue(d, depth);
  return tree;
}

function layeredSettings(d: Draw): Value[] {
  const base: Fields = { host: d.word(), port: d.int(1, 99), url: 'https://${base.host}', debug: d.chance(0.5) };
  const first: Fields = { base, ...(d.chance(0.02) ? { loop: '<${loop}>' } : {}), ...settingTree(d, 2) };
  const paths = d.list(3, () => d.pick(['a', 'a.b', 'a.b+', 'b.c.a', 'base.port', 'c+', 'base.extra']));
  // Without a port or a host the references would only fail.
  const override = (path: string): Value => (path === 'base.port' ? d.int(100, 120) : settingValue(d, 1));
  const overrides = d.chance(0.2) ? null : Object.fromEntries(paths.map((path) => [path, override(path)]));
  return [d.chance(0.02) ? [] : [first, ...d.list(3, () => settingTree(d, 2))], ...d.optional<Value>(overrides)];
}

// Meetings

function clock(d: Draw): string {
  if (d.chance(0.002)) return d.pick(['9', '12:60', 'noon', '-1:00', '8:15pm']);
  return d.chance(0.05) ? `${d.int(8, 9)}:5` : `${two(d.int(8, 17))}:${two(d.int(0, 3) * 15)}`;
}

function attendee(d: Draw, index: number): Value {
  const day = (): Value => d.pick(['Mon', 'Mon', 'Tue', 'Sun']);
  const travel = (): Value => d.pick([0, 5, 20, null]);
  const busy = (): Value => ({ day: day(), from: clock(d), to: clock(d), ...maybe(d, 0.3, 'travel', travel) });
  return {
    name: d.chance(0.1) ? 'Ann' : `${d.name()}${index}`,
    ...maybe(d, 0.9, 'busy', () => d.list(4, busy)),
    ...maybe(d, 0.7, 'optional', () => d.chance(0.7)),
    ...maybe(d, 0.3, 'hours', () => d.pick<Value>([null, [], ['08:30', '16:00'], ['12:00', '18:00']])),
  };
}

function freeSlots(d: Draw): Value[] {
  const day = (): Value => ({
    name: d.pick(['Mon', 'Tue', 'Wed']),
    ...maybe(d, 0.3, 'open', () => d.pick(['09:00', '09:10', '11:30', '17:30'])),
    ...maybe(d, 0.3, 'close', () => d.pick(['12:00', '17:00', '19:45'])),
  });
  const length = d.chance(0.02) ? d.int(-5, 0) : d.pick([15, 30, 45, 60, 120, 7]);
  const step = d.chance(0.02) ? 0 : d.pick([15, 30, 60, 10, 25]);
  const people = d.list(5, (index) => attendee(d, index));
  return [people, d.chance(0.05) ? [] : some(d, 3, day), length, ...d.optional<Value>(step, d.pick([5, 0, 1, 200, -1]))];
}

// Zones

function zone(d: Draw): Value {
  const corner = (): Value => [d.int(0, 8), d.chance(0.2) ? d.int(0, 16) / 2 : d.int(0, 8)];
  const count = d.chance(0.01) ? d.int(0, 2) : d.int(3, 7);
  return {
    name: d.pick(['North', 'South', 'East', 'West', 'Centre']),
    polygon: Array.from({ length: count }, corner),
    ...maybe(d, 0.4, 'rank', () => d.int(-1, 1)),
    ...maybe(d, 0.8, 'fee', () => d.cents(0, 9)),
  };
}

function zoneAddress(d: Draw, index: number): Value {
  const place = (): Value => (d.chance(0.04) ? null : d.chance(0.5) ? d.int(-1, 9) : d.cents(-2, 10));
  return { id: d.chance(0.1) ? `x${index}` : index, ...maybe(d, 0.97, 'x', place), ...maybe(d, 0.97, 'y', place) };
}

// Phrases

function phraseText(d: Draw): string {
  const extra = d.pick(["Bob's", 'well-known', 'Zoë', 'ab', 'THE', 'x', 'water', '42nd', 'snake_case', "rock'n'roll", 'of']);
  const words = d.words(d.int(0, 40));
  return words
    .map((word) => (d.chance(0.15) ? extra : d.chance(0.15) ? d.pick(['the', 'of', 'And', 'a']) : word))
    .map((word) => word + d.pick([' ', ' ', ' ', ' ', '  ', ', ', '. ', '!', '\n', '; ', ' - ', '-']))
    .join('');
}

function keyPhrases(d: Draw): Value[] {
  const longest = d.chance(0.04) ? 0 : d.pick([1, 2, 3, 4, 6]);
  const common = d.pick<Value>([null, [], ['Water'], ['ka', 'to']]);
  return [phraseText(d), ...d.optional<Value>(longest, d.int(0, 3), common, d.pick([1, 5, 10, 100]))];
}

// Route

function road(d: Draw, open: boolean): Value {
  const place = (): string => d.pick(['A', 'B', 'C', 'D', 'E', 'F']);
  return {
    from: place(),
    to: place(),
    minutes: d.chance(0.01) ? -1 : d.chance(0.2) ? d.int(0, 10) / 4 : d.int(1, 6),
    ...maybe(d, 0.3, 'oneWay', () => d.chance(0.7)),
    ...maybe(d, open ? 0 : 0.2, 'closed', () => d.chance(0.7)),
    ...maybe(d, 0.5, 'kind', () => d.pick(['toll', 'track', 'street'])),
  };
}

function parcelRoute(d: Draw): Value[] {
  const careful = d.chance(0.7);
  const roads = d.list(14, () => road(d, !careful));
  // Where nothing may be skipped, a ring mostly connects all places.
  const ring = [...'ACBFED'].map((from, at) => ({ from, to: 'CBFEDA'.charAt(at), minutes: d.int(2, 6) }));
  const stop = (): Value => d.pick(['A', 'B', 'C', 'D', 'E', careful ? 'G' : 'F']);
  const stops = d.chance(0.03) ? null : d.chance(0.1) ? [] : some(d, 6, stop);
  const options: Fields = {
    ...(careful ? { skipUnreachable: true } : maybe(d, 0.3, 'skipUnreachable', () => false)),
    ...maybe(d, 0.5, 'returnHome', () => d.chance(0.8)),
    ...maybe(d, 0.4, 'handling', () => d.pick([null, 0, 2, 1.5])),
    ...maybe(d, 0.4, 'avoid', () => d.pick<Value>([null, [], ['toll'], ['toll', 'track'], 'toll'])),
    ...maybe(d, 0.4, 'limit', () => d.int(0, 30)),
  };
  const all = careful || d.chance(0.03) ? roads : [...roads, ...ring];
  return [all, d.pick(['A', 'B', 'C']), stops, ...(careful ? [options] : d.optional<Value>(options))];
}

// Gems

function gemCascade(d: Draw): Value[] {
  const width = d.int(1, 6);
  const gems: readonly [string, ...string[]] = d.chance(0.5) ? ['R', 'G', 'B'] : ['R', 'G', 'B', 'Y', '#'];
  const ragged = d.chance(0.03);
  const line = (): string => Array.from({ length: width + (ragged ? d.int(0, 1) : 0) }, () => d.pick(gems)).join('');
  const move = (): Value => ({
    x: d.chance(0.03) ? -1 : d.int(0, width),
    y: d.int(0, 5),
    to: d.pick(['left', 'right', 'up', 'down', 'down', 'right', 'nowhere']),
  });
  const rows = d.chance(0.04) ? [] : some(d, 6, line);
  return [rows, d.list(14, move), ...d.optional<Value>(d.chance(0.04) ? '' : d.pick(['RGBY', 'R', 'RRGGB', 'GBYRYBGRRB']))];
}

// Points

function pointsEvent(d: Draw): Value {
  const type = d.pick(['purchase', 'purchase', 'purchase', 'redeem', 'redeem', 'bonus', 'gift']);
  const day = `${d.int(2022, 2024)}-${two(d.int(1, 12))}-${d.pick(['01', '15', '28'])}`;
  const date = d.chance(0.004) ? d.pick(['2024-13-01', 'soon', '']) : day;
  const amount = (): Value => (d.chance(0.25) ? d.pick([-30, 0, 250, 900, 1100]) : d.cents(0, 400));
  return {
    date,
    type,
    ...maybe(d, 0.97, 'customer', () => d.pick(['Ann', 'Ann', 'Bob', 'Zoë', 'zed', '', null])),
    ...maybe(d, type === 'purchase' ? 0.96 : 0.1, 'amount', amount),
    ...maybe(d, type === 'purchase' ? 0.1 : 0.96, 'points', () => (d.chance(0.05) ? d.int(-30, 0) : d.int(1, 150))),
  };
}

function loyaltyPoints(d: Draw): Value[] {
  const rules: Fields = {
    ...maybe(d, 0.6, 'keepDays', () => d.pick([null, 0, 30, 180, 365, 1000])),
    ...maybe(d, 0.5, 'perEuro', () => d.pick([null, 1, 2, 0.5])),
  };
  const today = d.chance(0.02) ? 'today' : d.pick(['2024-06-15', '2024-12-31', '2023-02-01', '2021-01-01', '2024-03-28']);
  return [d.list(25, () => pointsEvent(d)), today, ...d.optional<Value>(rules)];
}

// Contacts

function contact(d: Draw): Value {
  const family = d.pick(['Berg', 'Bergmann', 'Stein', "O'Neil", '', 'aaaa']);
  const name = `${d.pick(['Anna', 'Anne', 'José', 'Jose', 'Peter', 'Li'])} ${family}`;
  return {
    ...maybe(d, 0.95, 'name', () => (d.chance(0.05) ? d.pick([null, '', '李']) : d.chance(0.2) ? name.toUpperCase() : name)),
    ...maybe(d, 0.5, 'email', () => d.pick(['a@x.org', ' A@x.org', 'b@x.org', 'c@x.org', 'd@x.org', '', null])),
    ...maybe(d, 0.5, 'phone', () => d.pick(['+49 30 123456', '030/123456', '0049-30-123456', '12345', '030 999888', null])),
    ...maybe(d, 0.7, 'city', () => d.pick(['Bern', 'BERN', 'Ulm', 'Graz', '', null])),
  };
}

function duplicateContacts(d: Draw): Value[] {
  const threshold = d.chance(0.08) ? d.pick([0, 1.2]) : d.pick([0.75, 0.5, 1, 0.8, 0.9]);
  return [[...d.list(4, () => contact(d)), ...d.list(9, () => contact(d))], ...d.optional<Value>(threshold)];
}

// Pivot

function sale(d: Draw): Value {
  const amount = (): Value => (d.chance(0.1) ? d.pick([null, '12', true, 0]) : d.chance(0.3) ? d.int(-5, 20) : d.cents(-3, 90));
  return {
    ...maybe(d, 0.95, 'product', () => d.pick(['tea', 'cup', 'constructor', '10', '9', 9, true, '', null])),
    ...maybe(d, 0.95, 'month', () => d.pick(['2024-01', '2024-02', '2024-03', '2024-03', 7, null])),
    ...maybe(d, 0.9, 'channel', () => d.pick(['web', 'store', 1, '1', null])),
    ...maybe(d, 0.95, 'amount', amount),
    ...maybe(d, 0.5, 'pieces', () => d.int(0, 4)),
  };
}

function salesPivot(d: Draw): Value[] {
  const options: Fields = {
    ...maybe(d, 0.3, 'measure', () => d.pick([null, 'pieces', 'amount', 'weight'])),
    ...maybe(d, 0.5, 'top', () => d.int(0, 4)),
    ...maybe(d, 0.4, 'average', () => d.chance(0.7)),
    ...maybe(d, 0.3, 'where', () => d.pick<Value>([null, {}, { channel: 'web' }, { channel: 1, month: 7 }, { channel: null }])),
  };
  const field = d.pick(['product', 'product', 'channel', 'colour']);
  const column = d.chance(0.04) ? field : 'month';
  return [d.list(25, () => sale(d)), field, column, ...d.optional<Value>(options)];
}

// Access

function pattern(d: Draw): string {
  const place = d.pick(['docs/*', 'docs/**', 'docs/a1', '**', '*', 'a+b (1).txt', 'd?cs/a1', 'docs/*/c', 'plans/*', 'plans/*']);
  return `${d.pick(['read', 'edit', '*', '**', 're*'])}:${place}${d.chance(0.2) ? '@own' : ''}`;
}

function role(d: Draw, index: number, parent: string): Fields {
  const patterns = (): Value => d.list(4, () => pattern(d));
  return {
    name: d.chance(0.05) ? 'r0' : `r${index}`,
    ...maybe(d, 0.85, 'allow', patterns),
    ...maybe(d, 0.5, 'deny', patterns),
    ...(index > 0 ? maybe(d, 0.5, 'extends', () => some(d, 2, () => `r${d.int(0, index - 1)}`)) : {}),
    ...maybe(d, 0.01, 'extends', () => [parent]),
  };
}

function accessRules(d: Draw): Value[] {
  const count = d.int(1, 5);
  const roles = Array.from({ length: count }, (_, index) => role(d, index, d.pick([`r${index}`, 'r0', 'boss'])));
  const name = (): string => (d.chance(0.005) ? 'guest' : `r${d.int(0, count - 1)}`);
  // The first of two roles with one name counts, so that the second may be missing.
  const fixed = roles.map((entry, index) => (d.chance(0.97) ? { ...entry, name: `r${index}` } : entry));
  const user = (): Value => ({ name: d.name(), roles: d.list(3, name), ...maybe(d, 0.3, 'blocked', () => d.chance(0.3)) });
  const resource = (): string => d.pick(['docs/a1', 'docs/b/c', 'docs/', 'a+b (1).txt', 'plans/x', 'plans/x\ny', '', 'd?cs']);
  const request = (): Value => ({
    user: d.name(),
    action: d.pick(['read', 'edit', 'delete']),
    resource: resource(),
    ...maybe(d, 0.6, 'owner', () => d.name()),
  });
  return [fixed, d.list(10, user), d.list(12, request)];
}

// Theatre

function seatBlocks(d: Draw): Value[] {
  const seats = (): string => Array.from({ length: d.int(0, 12) }, () => d.pick(['.', '.', '.', '.', 'X', ' ', 'W'])).join('');
  const line = (index: number): Value => ({
    name: d.chance(0.05) ? 'A' : String.fromCharCode(65 + index),
    seats: seats(),
    ...maybe(d, 0.8, 'price', () => d.pick([10, 12.5, 20, 9.99])),
  });
  const group = (index: number): Value => ({
    name: d.chance(0.1) ? 'g0' : `g${index}`,
    size: d.chance(0.008) ? d.int(-1, 0) : d.int(1, 6),
    ...maybe(d, 0.25, 'budget', () => d.pick([0, 30, 45, 100])),
    ...maybe(d, 0.25, 'wheelchair', () => d.chance(0.8)),
    ...maybe(d, 0.5, 'split', () => d.chance(0.8)),
  });
  const options: Fields = maybe(d, 0.6, 'front', () => d.int(0, 2));
  return [d.list(5, line), d.list(8, group), ...d.optional<Value>(options)];
}

function deliveryZones(d: Draw): Value[] {
  const addresses = d.list(8, (index) => zoneAddress(d, index));
  return [d.list(5, () => zone(d)), addresses, ...d.optional<Value>(d.pick([0, 1, 2.5, 20]))];
}

export const sixth: Readonly<Record<string, (d: Draw) => Value[]>> = {
  'stock_allocation.py': (d) => [d.list(9, () => lot(d)), d.list(6, (index) => stockOrder(d, index)), '2024-03-10'],
  'league_table.py': leagueTable,
  'log_sessions.py': logSessions,
  'layered_settings.py': layeredSettings,
  'free_slots.py': freeSlots,
  'delivery_zones.py': deliveryZones,
  'key_phrases.py': keyPhrases,
  'parcel_route.mjs': parcelRoute,
  'gem_cascade.mjs': gemCascade,
  'loyalty_points.mjs': loyaltyPoints,
  'duplicate_contacts.mjs': duplicateContacts,
  'sales-pivot.ts': salesPivot,
  'access-rules.ts': accessRules,
  'seat-blocks.ts': seatBlocks,
};
