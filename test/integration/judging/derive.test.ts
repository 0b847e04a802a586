/** Calls derived for functions, and attacks with fresh calls, in real sandboxes. */
import assert from 'node:assert/strict';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import { isVerified, verifiedLevel } from '../../../shared/confidence.ts';
import type { PeagenError } from '../../../shared/errors.ts';
import type { Call } from '../../../shared/judging.ts';
import type { Basis, Derivation } from '../../../shared/payloads.ts';
import { inLanes } from '../../ordinary/lanes.ts';
import { deriveCases } from './derive-cases.ts';
import { contextOf, programOf } from './judging.ts';

const evaluator = createFunctionEvaluator();
const extensions: Readonly<Record<string, string>> = { python: 'py', javascript: 'js', typescript: 'ts' };

async function derive(language: string, text: string, fn: string, calls?: readonly Call[], seed = 1): Promise<Derivation> {
  const entry = { path: `target.${extensions[language]}`, fn };
  const options = { entry, ...(calls === undefined ? {} : { calls }) };
  const how = { seed, within_ms: 2000, examples: [] };
  const context = await contextOf({ deterministic: true });
  const made = await evaluator.derive?.(programOf(language, text), { name: 'function', options }, how, context);
  assert.ok(made !== undefined);
  return made;
}

const given = (...lists: Call['args'][]): Call[] => lists.map((args) => ({ args, kwargs: {} }));

async function basisOf(
  language: string,
  text: string,
  fn: string,
  calls: readonly Call[],
  heldout: readonly Call[] = [],
): Promise<Basis> {
  const options = { entry: { path: `target.${extensions[language]}`, fn }, calls, heldout };
  const context = await contextOf({ deterministic: true });
  return (await evaluator.prepare(programOf(language, text), { name: 'function', options }, context)).basis;
}

const outcomeOf = async (language: string, text: string, basis: Basis) =>
  (await evaluator.judge(programOf(language, text), basis, await contextOf({ deterministic: true }))).outcome;

/** By count, so that the machine's load decides nothing. */
async function attack(language: string, text: string, basis: Basis, seed = 3, calls = 300) {
  const how = { seed, within_ms: 60_000, cpu_ms: 60_000, most_ms: 60_000, calls, least: calls };
  const report = await evaluator.attack?.(programOf(language, text), basis, how, await contextOf({ deterministic: true }));
  assert.ok(report !== undefined);
  return report;
}

describe('derived calls', () => {
  for (const { name, language, fn, text, calls, tempting, honest } of deriveCases) {
    describe(`of ${name} in ${language}`, () => {
      let derived: Derivation;
      let naive: Basis;
      let full: Basis;
      before(async () => {
        [derived, naive] = await Promise.all([derive(language, text, fn, calls), basisOf(language, text, fn, calls)]);
        full = await basisOf(language, text, fn, calls, [...derived.derived, ...derived.heldout]);
      });

      it('are many, reach all lines, and tell most mutants apart', () => {
        const { confidence } = derived;
        assert.deepEqual(derived.calls, calls);
        assert.ok(confidence.derived + confidence.heldout >= 50, JSON.stringify(confidence));
        assert.equal(confidence.lines.hit, confidence.lines.of, JSON.stringify(confidence));
        assert.ok(confidence.mutants.hit >= confidence.mutants.of * 0.8, JSON.stringify(confidence));
        assert.ok(isVerified({ ...confidence, attacked: verifiedLevel.attacked }), JSON.stringify(confidence));
        assert.ok(!isVerified(confidence), 'before the attack');
        assert.deepEqual(confidence.limits, []);
      });

      it('refute each candidate that is right on the given calls only, and so does an attack', async () => {
        for (const candidate of tempting) {
          const [onGiven, onAll, { counterexample }] = await Promise.all([
            outcomeOf(language, candidate, naive),
            outcomeOf(language, candidate, full),
            attack(language, candidate, naive),
          ]);
          assert.equal(onGiven.kind, 'correct', candidate);
          assert.notEqual(onAll.kind, 'correct', candidate);
          assert.ok(counterexample !== undefined, candidate);
          assert.notEqual(counterexample.expected, counterexample.actual);
        }
      });

      it('and attacks leave honest improvements alone', async () => {
        for (const candidate of honest) {
          const [{ kind, detail }, report] = await Promise.all([
            outcomeOf(language, candidate, full),
            attack(language, candidate, full, 3, 160),
          ]);
          assert.equal(kind, 'correct', `${detail}\n${candidate}`);
          assert.equal(report.counterexample, undefined, `${JSON.stringify(report)}\n${candidate}`);
          assert.ok(report.calls > 100, `${report.calls}`);
        }
      });
    });
  }

  it('are the same for a seed', async () => {
    const text = 'def f(items, k):\n    return [item * k for item in items if item > k]\n';
    const calls = given([[1, 2, 3], 2]);
    const [one, same, other] = await Promise.all([5, 5, 6].map((seed) => derive('python', text, 'f', calls, seed)));
    assert.deepEqual(one, same);
    assert.notDeepEqual(one?.derived, other?.derived);
  });

  it('are joined by longer ones that are timed with short ones, and on which programs are compared', async () => {
    const text =
      'def dedupe(items):\n    seen = []\n    for item in items:\n        if item not in seen:\n            seen.append(item)\n    return seen\n';
    const short = given([[3, 1, 3, 2]]);
    const { longer, confidence } = await derive('python', text, 'dedupe', short);
    assert.ok(longer.length > 0 && longer.every(({ args: [items] }) => Array.isArray(items) && items.length > 200));
    assert.ok(confidence.derived > longer.length);
    const long = Array.from({ length: 3000 }, (_, at) => at % 7);
    assert.deepEqual((await derive('python', text, 'dedupe', given([long]))).longer, []);

    const options = { entry: { path: 'target.py', fn: 'dedupe' }, calls: short, longer };
    const context = await contextOf({ deterministic: true });
    const { basis } = await evaluator.prepare(programOf('python', text), { name: 'function', options }, context);
    const outcomes = ['items', 'items[:200]'].map((items) => `def dedupe(items):\n    return list(dict.fromkeys(${items}))\n`);
    const [right, wrong] = await Promise.all(outcomes.map((candidate) => outcomeOf('python', candidate, basis)));
    assert.equal(right?.kind, 'correct', right?.detail);
    assert.equal(wrong?.kind, 'wrong');
  });

  it('reach the branches that the given ones leave out', async () => {
    const text = `def shipping(weight, country, express=False):
    if weight <= 0:
        return 0
    if country == "DE":
        cost = 5
    elif country == "FR":
        cost = 8
    elif country in ("US", "CA"):
        cost = 20
    else:
        cost = 30
    if weight > 50:
        cost += 40
    elif weight > 10:
        cost += 10
    if express:
        cost *= 2
    return cost
`;
    const { confidence } = await derive('python', text, 'shipping', given([5, 'DE'], [20, 'DE']));
    // A weight of more than 50 is far beyond the given ones: the source says that it matters.
    assert.equal(confidence.lines.hit, confidence.lines.of, JSON.stringify(confidence));
    assert.deepEqual(confidence.limits, []);
  });

  it('are made without any given call, and for a method with what its constructor takes', async () => {
    const derived = inLanes(deriveCases, ({ language, fn, text }) => derive(language, text, fn));
    for (const derivation of deriveCases) {
      const { fn } = derivation;
      const { calls, confidence } = await derived.of(derivation);
      assert.equal(confidence.given, 0);
      assert.ok(calls.length > 0 && calls.length <= 8);
      assert.ok(confidence.derived + confidence.heldout >= 50, `${fn}: ${JSON.stringify(confidence)}`);
      assert.ok(confidence.lines.hit >= confidence.lines.of * 0.8, `${fn}: ${JSON.stringify(confidence)}`);
    }
  });

  it('keep few calls that the original rejects, and both halves apart', async () => {
    const text = 'def f(items):\n    if len(items) > 2:\n        raise ValueError("many")\n    return items[0]\n';
    const { derived, heldout } = await derive('python', text, 'f', given([[1, 2]]));
    const made = [...derived, ...heldout].map((call) => JSON.stringify(call));
    assert.equal(new Set(made).size, made.length);
    const many = made.filter((call) => JSON.parse(call).args[0].length > 2);
    // Beyond two that are alike, only those that tell one more mutant.
    assert.ok(many.length >= 1 && many.length <= made.length / 10, JSON.stringify(many));
  });

  it('hold tuples, sets and maps where the given ones do', async () => {
    const python = 'def f(edges, seen):\n    return sorted(a for a, b in edges if a not in seen)\n';
    const typed: Call = { args: [{ tuple: [{ tuple: ['a', 'b'] }] }, { set: ['a'] }], kwargs: {}, typed: true };
    const one = await derive('python', python, 'f', [typed]);
    assert.ok(one.derived.length > 10 && one.derived.every((call) => call.typed === true));
    const node = 'export function f(m) { let s = 0; for (const [, v] of m) s += v; return s; }\n';
    const map: Call = {
      args: [
        {
          dict: [
            ['a', 1],
            ['b', 2],
          ],
          map: 1,
        },
      ],
      kwargs: {},
      typed: true,
    };
    const two = await derive('javascript', node, 'f', [map]);
    assert.ok(two.derived.length > 10 && two.derived.every((call) => JSON.stringify(call).includes('"map":1')));
  });
});

describe('calls of what remembers earlier ones', () => {
  const text = `const WORD = /\\w+/g;
let reading = '';
export function nextWord(text) {
  if (text !== reading) {
    reading = text;
    WORD.lastIndex = 0;
  }
  return WORD.exec(text)?.[0] ?? null;
}
`;
  const calls = given(['one two'], ['three'], ['']);

  it('are made twice in a row, and no others are', async () => {
    const isTwice = ({ derived, heldout }: Derivation): boolean =>
      [derived, heldout].every((half) =>
        half.some((call, at) => at > 0 && JSON.stringify(call) === JSON.stringify(half[at - 1])),
      );
    assert.ok(isTwice(await derive('javascript', text, 'nextWord', calls)));
    assert.ok(!isTwice(await derive('javascript', 'export function f(n) { return n % 7; }', 'f', given([3], [9]))));
  });

  it('refute a candidate that begins at the front each time', async () => {
    const { derived } = await derive('javascript', text, 'nextWord', calls);
    const basis = await basisOf('javascript', text, 'nextWord', calls, derived);
    const wrong = text.replace('if (text !== reading) {', '{');
    assert.equal((await outcomeOf('javascript', wrong, basis)).kind, 'overfit');
  });
});

describe('what derived calls cannot promise', () => {
  const limitsOf = async (text: string, fn: string, calls?: Call[], language = 'python') =>
    (await derive(language, text, fn, calls)).confidence;

  it('is said of results that differ from run to run', async () => {
    const { limits, dropped } = await limitsOf(
      'import time\ndef f(n):\n    return n if n > 2 else time.perf_counter()\n',
      'f',
      given([5]),
    );
    assert.match(limits.join('\n'), /The result of f\(.*\) differs from run to run/);
    assert.ok(dropped.unstable > 0);
  });

  it('is said of calls that never end, in either language', async () => {
    const python = await limitsOf(
      'def f(n):\n    while n != 3 and n != 5 and n >= 0:\n        n += n > 5\n    return n\n',
      'f',
      given([5]),
    );
    assert.match(python.limits.join('\n'), /f\(\d+\) did not end/);
    assert.ok(python.dropped.slow > 0);
    const node = 'export function f(n) { while (n !== 3 && n !== 5 && n >= 0) { n += n > 5 ? 1 : 0 } return n; }';
    assert.match((await limitsOf(node, 'f', given([5]), 'javascript')).limits.join('\n'), /f\(\d+\) did not end/);
  });

  it('are cut by their processor time, too, where each step takes longer than the one before', async () => {
    // From where no way leads back to the start, an item is put before a list that gets longer and longer.
    const text = `export function f(before, from, turns) {
  let sum = 0;
  for (let turn = 0; turn < turns; turn++) sum += turn;
  const stops = [from];
  while (stops[0] !== 'a') stops.unshift(before[stops[0]]);
  return [sum, ...stops];
}
`;
    const { confidence } = await derive('javascript', text, 'f', given([{ c: 'b', b: 'a' }, 'c', 400_000], [{ b: 'a' }, 'b', 3]));
    assert.ok(confidence.dropped.slow > 0 && confidence.derived > 0);
  });

  it('is said of threads, and of lines that never ran', async () => {
    const text = `import threading
def f(n):
    worker = threading.Thread(target=lambda: None)
    worker.start()
    worker.join()
    if n == "never a number":
        return 1
    return 2
`;
    const { limits, lines } = await limitsOf(text, 'f', given([5]));
    assert.match(limits.join('\n'), /f starts a thread/);
    assert.match(limits.join('\n'), /Line 7 of f never ran/);
    assert.equal(lines.hit, lines.of - 1);
  });

  it('is an error that names a test command when the function needs a package, a database or a file from outside', async () => {
    const texts: [string, string][] = [
      ['python', 'import psycopg2\ndef f(user):\n    return psycopg2.connect("dbname=shop").execute(user)\n'],
      [
        'python',
        'import sqlite3\ndef f(user):\n    return sqlite3.connect("shop.db").execute("select * from orders").fetchall()\n',
      ],
      ['javascript', 'import pg from "pg";\nexport async function f(user) { return await new pg.Client().connect(user); }'],
      [
        'javascript',
        'import { readFileSync } from "node:fs";\nexport function f(user) { return readFileSync("users.json", "utf8"); }',
      ],
    ];
    for (const [language, text] of texts) {
      await assert.rejects(derive(language, text, 'f', given(['ann'])), (error: PeagenError) => {
        assert.equal(error.code, 'original_fails');
        assert.match(error.hint ?? '', /without network, databases, and files .*: judge it by a test command instead/);
        return true;
      });
    }
  });

  it('is whole for dates, decimals, methods that are named as those of all functions, and constructors with defaults', async () => {
    const cases: [language: string, fn: string, text: string][] = [
      [
        'python',
        'f',
        'from datetime import date\n\ndef f(day: date, other):\n    if day.weekday() > other.weekday():\n        return other\n    return day\n',
      ],
      [
        'python',
        'f',
        'from decimal import Decimal\n\ndef f(net: Decimal):\n    if net > 1:\n        return net * 2\n    return net\n',
      ],
      [
        'python',
        'Purse.take',
        'class Purse:\n    def __init__(self, cents=0):\n        self.cents = cents\n\n    def take(self, some):\n        if some > self.cents:\n            raise LookupError("empty")\n        self.cents -= some\n        return self.cents\n',
      ],
      [
        'typescript',
        'f',
        'export function f(when: Date): number {\n  if (when.getUTCDay() === 0) return 0;\n  return when.getTime();\n}\n',
      ],
      [
        'javascript',
        'Log.apply',
        'export class Log {\n  constructor(size = 2) {\n    this.size = size;\n  }\n  apply(line) {\n    if (line.length > this.size) return line.slice(0, this.size);\n    return line;\n  }\n}\n',
      ],
    ];
    for (const [language, fn, text] of cases) {
      const { lines } = await limitsOf(text, fn, undefined, language);
      assert.equal(lines.hit, lines.of, fn);
    }
  });

  it('is an error when no call enters the function', async () => {
    const text = 'def f(connection):\n    return connection.cursor().fetch("rows")[0].total()\n';
    await assert.rejects(derive('python', text, 'f'), (error: PeagenError) => {
      assert.equal(error.code, 'original_fails');
      assert.match(error.message, /No call that Peagen made is accepted by f: .*AttributeError/);
      return true;
    });
  });
});

describe('an attack', () => {
  it('names a small call and what both did', async () => {
    const text = 'def f(items):\n    return sum(items)\n';
    const basis = await basisOf('python', text, 'f', given([[5, 8, 2, 9, 4]], [[10, 20]]));
    const { counterexample } = await attack('python', 'def f(items):\n    return sum(items) if 7 not in items else 0\n', basis);
    assert.deepEqual(counterexample, { call: { args: [[7]], kwargs: {} }, expected: 'returned 7', actual: 'returned 0' });
  });

  it('counts a candidate that hangs, crashes or raises on a fresh call', async () => {
    const text = 'def f(n):\n    return n * 2\n';
    const basis = await basisOf('python', text, 'f', given([5], [9]));
    for (const [body, pattern] of [
      ['    while n == 0: pass\n    return n * 2', /took|time/],
      ['    if n == 0:\n        import os\n        os._exit(3)\n    return n * 2', /ended the process/],
      ['    if n == 0: raise KeyError(n)\n    return n * 2', /raised KeyError/],
    ] as const) {
      const { counterexample } = await attack('python', `def f(n):\n${body}\n`, basis, 3, 120);
      assert.deepEqual(counterexample?.call.args, [0], JSON.stringify(counterexample));
      assert.match(counterexample?.actual ?? '', pattern);
    }
  });

  it('finds a number that only the candidate compares with, and what the original rejects on purpose', async () => {
    const text =
      'def f(items):\n    for item in items:\n        if item != int(item) or item < 1:\n            raise ValueError(item)\n    return len(items)\n';
    const basis = await basisOf('python', text, 'f', given([[1, 2]], [[7]]));
    const isolated = await attack('python', text.replace('return len(items)', 'return len(items) + (4242 in items)'), basis);
    assert.ok(JSON.stringify(isolated.counterexample?.call.args).includes('4242'), JSON.stringify(isolated));
    const lax = await attack('python', text.replace('item != int(item) or ', ''), basis);
    assert.match(JSON.stringify(lax.counterexample?.call.args), /\.5/);
    assert.equal(lax.counterexample?.expected, 'raised ValueError');
  });

  it('finds what a candidate does with 32 bits of a number, with a fraction, and with what only looks equal', async () => {
    const half = 'export function f(n) { return n % 2 === 0 ? n / 2 : n + 1; }';
    const bits = await attack(
      'javascript',
      half.replace('n / 2', 'n >> 1'),
      await basisOf('javascript', half, 'f', given([6], [9])),
    );
    assert.match(JSON.stringify(bits.counterexample?.call.args), /\d{10}/);
    const whole = 'export function f(n) { if (!Number.isInteger(n)) return -1; return n * 2; }';
    const lax = whole.replace('if (!Number.isInteger(n)) return -1; ', '');
    const fraction = await attack('javascript', lax, await basisOf('javascript', whole, 'f', given([6], [9])));
    assert.match(JSON.stringify(fraction.counterexample?.call.args), /\.5/);
    const find =
      'export function f(items: (string | number)[], one: string | number) { return items.filter((item) => item === one).length; }';
    const loose = await attack(
      'typescript',
      find.replace('===', '=='),
      await basisOf('typescript', find, 'f', given([['a', 'b'], 'a'], [[1, 2], 2])),
    );
    assert.ok(loose.counterexample !== undefined);
  });

  it('accuses nobody who finds another fault of a call that has two, and notices what returns in place of failing', async () => {
    const text = `def f(orders, customers):
    found = []
    for order in orders:
        name = None
        for customer in customers:
            if customer["id"] == order["customer"]:
                name = customer["name"]
        found.append("unknown" if name is None else name)
    return found
`;
    const indexed = `def f(orders, customers):
    names = {customer["id"]: customer["name"] for customer in customers} if orders and [order["customer"] for order in orders] else {}
    found = []
    for order in orders:
        name = names.get(order["customer"])
        found.append("unknown" if name is None else name)
    return found
`;
    const calls = given([
      [{ customer: 1 }, { customer: 3 }],
      [
        { id: 1, name: 'Ann' },
        { id: 2, name: 'Bob' },
      ],
    ]);
    const basis = await basisOf('python', text, 'f', calls);
    const lax = await attack('python', text.replace('order["customer"]', 'order.get("customer")'), basis);
    assert.match(lax.counterexample?.expected ?? '', /KeyError/);
    // Without customers the original never looks at the field that it demands otherwise.
    const { counterexample } = await attack('python', indexed, basis);
    assert.ok(
      !/KeyError/.test(`${counterexample?.actual}`) || /^raised/.test(`${counterexample?.expected}`),
      JSON.stringify(counterexample),
    );
    assert.ok(
      !/^raised/.test(`${counterexample?.expected}`) || !/^raised/.test(`${counterexample?.actual}`),
      JSON.stringify(counterexample),
    );
  });

  it('of a slow function ends by what the original takes, however many calls were made', async () => {
    // In JavaScript, whose steps are counted in a tenth of the time.
    const slow = 'export function f(n, m) { return n < 2 ? 1 : f(n - 1, m) + f(n - 2, m) + m; }';
    const { calls, counterexample } = await attack(
      'javascript',
      slow.replace('+ m', '+ m + 0'),
      await basisOf('javascript', slow, 'f', given([21, 1], [20, 2])),
    );
    assert.equal(counterexample, undefined);
    assert.ok(calls > 0 && calls < 300, `${calls} calls`);
  });

  it('keeps the fields that all given records have while it makes a call smaller', async () => {
    const text = 'def f(rows):\n    return sum(row["n"] for row in rows if row.get("on", True))\n';
    const rows = [
      { n: 5, on: true },
      { n: 7, on: false },
    ];
    const basis = await basisOf('python', text, 'f', given([rows], [[{ n: 2, on: true }]]));
    const { counterexample } = await attack('python', text.replace('row["n"] for', 'row["n"] % 6 for'), basis);
    const [found] = counterexample?.call.args ?? [];
    assert.ok(Array.isArray(found) && found.length > 0 && JSON.stringify(found).includes('"n":'), JSON.stringify(counterexample));
  });

  it('accuses nobody of an original that is not steady', async () => {
    const text = 'import time\ndef f(n):\n    return n if n > 2 else time.perf_counter()\n';
    const basis = await basisOf('python', text, 'f', given([5], [9]));
    assert.equal((await attack('python', text, basis, 3, 100)).counterexample, undefined);
  });

  it('does not refute sums of floats in another order', async () => {
    const text = 'def f(values):\n    t = 0.0\n    for v in values:\n        t += v\n    return t\n';
    const basis = await basisOf('python', text, 'f', given([[0.1, 0.7, -0.3]], [[1.1, 2.2]]));
    assert.equal(
      (await attack('python', 'import math\ndef f(values):\n    return math.fsum(values)\n', basis)).counterexample,
      undefined,
    );
    const back = 'def f(values):\n    t = 0.0\n    for v in reversed(values):\n        t += v\n    return t\n';
    assert.equal((await attack('python', back, basis)).counterexample, undefined);
  });
});
