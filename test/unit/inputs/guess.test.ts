/** What a parameter may hold, told from what the function does with it. */
import assert from 'node:assert/strict';
import type { Value } from '../../../daemon/judging/function/values.ts';
import { familiesOf } from '../../../daemon/judging/inputs/guess.ts';
import { optionalsOf } from '../../../daemon/judging/inputs/seeds.ts';
import { entrySource, type Parameter } from '../../../daemon/judging/inputs/source.ts';
import { itemsOf, pairsOf, readCall } from '../../../daemon/judging/inputs/values/data.ts';
import { Call } from '../../../shared/judging.ts';

async function sourceOf(language: string, text: string) {
  const source = await entrySource(language, text, 'f');
  assert.ok(source);
  return source;
}

/** The likeliest value of the first parameter. */
async function likeliestOf(language: string, text: string): Promise<Value> {
  const source = await sourceOf(language, text);
  return familiesOf(source.parameters[0] ?? assert.fail(), source)[0]?.[0] ?? null;
}

const fieldsOf = (value: Value | undefined): Record<string, Value> =>
  Object.fromEntries(pairsOf(value ?? null).map(([key, held]) => [String(key), held]));

describe('what a parameter may hold', () => {
  it('is an object with the fields that its pattern takes apart, with and without those that have a default', async () => {
    const source = await sourceOf('javascript', "function f(x, { sign = '', digits = 2, on = true } = {}) { return x; }");
    const [first = []] = familiesOf(source.parameters[1] ?? assert.fail(), source);
    assert.deepEqual(Object.keys(fieldsOf(first[0])), ['sign', 'digits', 'on']);
    assert.equal(fieldsOf(first[0])['on'], false);
    assert.ok(first.some((value) => pairsOf(value).length === 0));
  });

  it('is a list of what the functions that get its items take, whatever a copy of it is called', async () => {
    const text = `function f(events) {
  const sorted = [...events].sort((a, b) => a.at - b.at);
  for (const event of sorted) use(event.user);
}`;
    const source = await sourceOf('javascript', text);
    const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    assert.deepEqual(Object.keys(fieldsOf(itemsOf(first[0] ?? null)[0])).sort(), ['at', 'user']);
  });

  it('takes what is looked up among the letters of a text for a text', async () => {
    const text = 'def f(code):\n    for sign in code:\n        if sign in "([{":\n            return sign\n';
    const source = await entrySource('python', text, 'f');
    assert.ok(source !== undefined);
    const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    assert.ok(
      first.some((value) => typeof value === 'string' && value.includes('([{')),
      JSON.stringify(first),
    );
    const script = await entrySource(
      'javascript',
      'function f(code) { for (const c of code) if ("+-".includes(c)) return c; }',
      'f',
    );
    assert.ok(script !== undefined);
    assert.match(JSON.stringify(familiesOf(script.parameters[0] ?? assert.fail(), script)[0]), /"[^"]*\+-/);
  });

  for (const [language, text] of [
    ['javascript', 'function f(rows) { for (const row of rows.slice()) use(row.name.trim(), row.score + 1); }'],
    ['javascript', 'function f(rows) { for (const row of [...rows].reverse()) use(row.name.trim(), row.score + 1); }'],
    ['javascript', 'function f(rows) { for (const [at, row] of rows.entries()) use(at, row.name.trim(), row.score + 1); }'],
    [
      'javascript',
      'function f(rows) { const all = Array.from(rows); for (const row of all) use(row.name.trim(), row.score + 1); }',
    ],
    [
      'javascript',
      'function f(rows) { const all = rows.map((r) => ({ ...r })); all.sort((a, b) => a.score - b.score || a.name.trim()); }',
    ],
    [
      'javascript',
      'function f(rows) { let all = rows; all = all.filter((row) => row.score > 3); return all.map((row) => row.name.trim()); }',
    ],
    [
      'javascript',
      'function f(rows) { for (let i = 0; i < rows.length; i++) { const row = rows[i]; use(row.name.trim(), row.score + 1); } }',
    ],
    ['javascript', 'function f(rows) { return rows.reduce((sum, row) => sum + row.score * row.name.trim().length, 0); }'],
    ['python', 'def f(rows):\n  for row in rows[1:]:\n    print(row["name"].strip(), row["score"] + 1)'],
    ['python', 'def f(rows):\n  all = rows.copy()\n  for row in all:\n    print(row["name"].strip(), row["score"] + 1)'],
    ['python', 'def f(rows):\n  return sorted(rows, key=lambda row: (row["score"] + 1, row["name"].strip()))'],
    ['python', 'def f(rows):\n  for i in range(len(rows)):\n    row = rows[i]\n    print(row["name"].strip(), row["score"] + 1)'],
    [
      'python',
      'def f(rows):\n  todo = list(rows)\n  while todo:\n    row = todo.pop()\n    print(row["name"].strip(), row["score"] + 1)',
    ],
    ['python', 'def f(rows):\n  for row, after in zip(rows, rows[1:]):\n    print(row["name"].strip(), after["score"] + 1)'],
  ] as const) {
    it(`is a list of records where a copy, a part, or one of the items is read: ${text.replaceAll(/\s+/g, ' ').slice(6, 80)}`, async () => {
      const { name, score } = fieldsOf(await firstItem(language, text));
      assert.equal(typeof name, 'string');
      assert.equal(typeof score, 'number');
    });
  }

  for (const [language, text, held] of [
    ['python', 'def f(t):\n  for k in t:\n    print(sum(v + 1 for v in t[k]))', /^\[\d/],
    ['python', 'def f(t):\n  names = sorted(t)\n  for a in names:\n    use(t[a].strip())', /^"/],
    [
      'python',
      'def f(t):\n  names = list(t)\n  for i in range(len(names)):\n    g(t[names[i]])\ndef g(xs):\n  return xs[0].strip()',
      /^\["/,
    ],
    ['python', 'def f(t):\n  for row in t.values():\n    print(row["cents"] + 1)', /"cents",\d/],
    ['python', 'def f(t):\n  return [v.strip() for k, v in t.items()]', /^"/],
    ['python', 'def f(t, ks):\n  for k in ks:\n    row = t.get(k, {"cents": 0})\n    print(row["cents"] * 2)', /"cents",\d/],
    ['javascript', 'function f(t) { for (const k in t) { const row = t[k]; use(row.name.trim()); } }', /"name","/],
    ['javascript', 'function f(t) { const ks = Object.keys(t); return ks.map((k) => t[k].name.trim()); }', /"name","/],
    [
      'javascript',
      'function f(t) { return Object.entries(t).map(([k, rows]) => rows.filter((row) => row.cents > 3)); }',
      /^\[.*"cents",\d/,
    ],
    [
      'javascript',
      'function f(t) { const rows = Object.values(t).filter(Boolean); return rows.map((row) => row.name.trim()); }',
      /"name","/,
    ],
  ] as const) {
    it(`is a dictionary of what its values are used as: ${text.replaceAll(/\s+/g, ' ').slice(6, 90)}`, async () => {
      const likeliest = await likeliestOf(language, text);
      const [, value] = pairsOf(likeliest)[0] ?? assert.fail(JSON.stringify(likeliest));
      assert.match(JSON.stringify(value), held);
    });
  }

  for (const [language, text, form] of [
    ['python', 'def f(day):\n  return datetime.strptime(day, "%d.%m.%Y %H:%M")', /^\d\d\.\d\d\.\d{4} \d\d:\d\d$/],
    ['python', 'SHAPE = "%d.%m.%Y"\ndef f(day):\n  return datetime.strptime(day, SHAPE)', /^\d\d\.\d\d\.\d{4}$/],
    ['python', 'SHAPE = "%Y-%m-%d %H:%M"\ndef f(t, d="2024-03-01"):\n  return strptime(d + " " + t, SHAPE)', /^\d\d:\d\d$/],
    [
      'python',
      'LINE = re.compile(\n  r"^[A-Z]{2}"\n  r"-\\d{3}$")\ndef f(text):\n  return LINE.match(text.strip())',
      /^[A-Z]{2}-\d{3}$/,
    ],
    ['javascript', "const SHAPE = '^v\\\\d{2}$';\nfunction f(text) { return new RegExp(SHAPE).exec(text.trim()); }", /^v\d\d$/],
    ['python', 'def f(time):\n  hours, minutes = time.split(":")\n  return int(hours) * 60 + int(minutes)', /^\d\d:\d\d$/],
    ['javascript', 'function f(day) { return new Date(`${day}T12:00:00Z`).getTime(); }', /^\d{4}-\d\d-\d\d$/],
    ['javascript', 'function f(time) { return Date.parse(`2024-03-01T${time}:00Z`); }', /^\d\d:\d\d$/],
    [
      'javascript',
      'function f(v) { const [a, b, c] = v.split(".").map(Number); return a * 100 + b * 10 + c; }',
      /^\d+\.\d+\.\d+$/,
    ],
    [
      'javascript',
      'const g = ({ from }) => { const [h, m] = from.split(":").map(Number); return h * 60 + m; };\nfunction f(x) { return g(x); }',
      /"from","\d\d:\d\d"/,
    ],
  ] as const) {
    it(`is a text of the format that is asked for: ${text.replaceAll(/\s+/g, ' ').slice(0, 80)}`, async () => {
      const value = await likeliestOf(language, text);
      assert.match(typeof value === 'string' ? value : JSON.stringify(value), form);
    });
  }

  it('is what a list of one of its fields is used as, and names another item where it may have nothing', async () => {
    const text = `def f(rows):
    kinds = sorted(set(row["kind"] for row in rows))
    for kind in kinds:
        print("kind " + kind)
    return [row for row in rows if row["parent"] is not None and row["parent"] == row["id"]]
`;
    const source = await sourceOf('python', text);
    const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    const rows = itemsOf(first[0] ?? null).map(fieldsOf);
    assert.ok(rows.every(({ kind }) => typeof kind === 'string'));
    assert.ok(rows.some(({ parent }) => parent === null));
    assert.ok(rows.some(({ parent }) => parent !== null && rows.some(({ id }) => id === parent)));
  });

  it('is a record of records in a list by its type, whose fields of one type differ', async () => {
    const text = `interface Order { from: string; to: string; lines: { sku: string; count: number }[]; score: [number, number] | null }
function f(orders: Order[]) { return orders; }`;
    const source = await sourceOf('typescript', text);
    const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    const rows = itemsOf(first[0] ?? null).map(fieldsOf);
    assert.ok(rows.every(({ from, to }) => from !== to));
    assert.ok(rows.some(({ lines = null }) => typeof fieldsOf(itemsOf(lines)[0])['sku'] === 'string'));
    assert.ok(rows.some(({ score }) => Array.isArray(score)));
  });

  it('is a list of lists where the functions that get its items ask for places', async () => {
    const source = await sourceOf('javascript', 'function f(slots) { return slots.slice().sort((a, b) => a[0] - b[0]); }');
    const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    assert.ok(itemsOf(first[0] ?? null).every(Array.isArray));
  });

  it('is of a constructor what its class does with the attribute that keeps it, and a key where it is used as one', async () => {
    const text = `class f:
    def __init__(self, span):
        self.span = span
        self.hits = {}

    def allow(self, user, now):
        old = self.hits.get(user, [])
        self.hits[user] = [t for t in old if now - t < self.span]
`;
    const source = await entrySource('python', text, 'f.allow');
    assert.ok(source);
    const first = (parameter: Parameter | undefined) => familiesOf(parameter ?? assert.fail(), source)[0]?.[0];
    assert.deepEqual(
      [source.init?.[0], ...source.parameters].map(first).map((value) => typeof value),
      [...['number', 'string', 'number']],
    );
  });

  it('is a list of pairs where a loop takes the items of a sorted or counted copy apart', async () => {
    for (const loop of ['for a, b in sorted(xs)', 'for at, (a, b) in enumerate(xs)']) {
      const source = await sourceOf('python', `def f(xs):\n    ${loop}:\n        print(b - a)\n`);
      const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
      assert.equal(itemsOf(itemsOf(first[0] ?? null)[0] ?? null).length, 2, loop);
    }
  });

  it('is a list of records where a loop or a callback takes its items apart', async () => {
    for (const text of [
      'function f(lots) { for (const { sku, qty } of lots) use(sku, qty); }',
      'function f(lots) { return lots.map(({ sku, qty }) => sku + qty); }',
    ]) {
      const source = await sourceOf('javascript', text);
      const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
      assert.deepEqual(Object.keys(fieldsOf(itemsOf(first[0] ?? null)[0])), ['sku', 'qty'], text);
    }
  });

  const firstItem = async (language: string, text: string): Promise<Value | undefined> => {
    const source = await sourceOf(language, text);
    const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    return itemsOf(first[0] ?? null)[0];
  };

  for (const [language, text] of [
    [
      'python',
      'def f(rows, ids):\n  for id in ids:\n    for row in rows:\n      if row["id"] == id and row["kind"] == "in": return row["qty"] - 1',
    ],
    [
      'javascript',
      "function f(rows, id) { const row = rows.find((r) => r.id === id); return row.kind === 'in' ? row.qty - 1 : 0; }",
    ],
  ] as const) {
    it(`is a record whose fields hold what they are compared with, in ${language}`, async () => {
      const fields = fieldsOf(await firstItem(language, text));
      assert.deepEqual(Object.keys(fields).sort(), ['id', 'kind', 'qty']);
      assert.ok(['in', 'x'].includes(String(fields['kind'])), JSON.stringify(fields));
      assert.equal(typeof fields['id'], 'number');
    });
  }

  it('is of one kind where two values without a known name are compared, and no key of a record', async () => {
    const source = await sourceOf('python', 'def f(rows, tag):\n  return [r for r in rows if r["tag"] == tag]');
    const [first = []] = familiesOf(source.parameters[1] ?? assert.fail(), source);
    assert.ok(first.length > 0 && first.every((value) => typeof value === 'number'), JSON.stringify(first));
  });

  it('is a list of pairs where literal places of the items are asked for, in a sorted copy too', async () => {
    const item = await firstItem('python', 'def f(spans):\n  for s in sorted(spans):\n    if s[0] <= s[1] + 1: return s');
    assert.equal(itemsOf(item ?? null).length, 2);
  });

  it('is a record with the field that the default of another parameter names', async () => {
    const item = await firstItem('python', 'def f(rows, key="id"):\n  for row in rows:\n    if row[key] == 1: return row');
    assert.deepEqual(Object.keys(fieldsOf(item)), ['id']);
  });

  it('is a date where one is read from it, and a text that begins as it is asked to', async () => {
    const date = await sourceOf('python', 'def f(start):\n  return date.fromisoformat(start)');
    assert.match(String(familiesOf(date.parameters[0] ?? assert.fail(), date)[0]?.[0]), /^\d{4}-\d\d-\d\d$/);
    const begun = await sourceOf(
      'javascript',
      "function f(header) { return header.startsWith('bytes=') ? header.slice(6) : null; }",
    );
    assert.match(String(familiesOf(begun.parameters[0] ?? assert.fail(), begun)[0]?.[0]), /^bytes=./);
  });

  it('is a text with signs in it where its items are compared with these only', async () => {
    const source = await sourceOf(
      'javascript',
      "function f(t) { let out = ''; for (let i = 0; i < t.length; i++) if (t[i] === '{' || t[i] === '\\\\') out += t[i]; return out; }",
    );
    const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    assert.ok(
      first.some((one) => typeof one === 'string' && /\w\{\w/.test(one)),
      JSON.stringify(first),
    );
    assert.ok(first.some((one) => typeof one === 'string' && one.includes('\\') && !one.includes('\\\\')));
  });

  it('is a record with what is done with a field, rather than its empty default', async () => {
    const text = 'def f(rows):\n  for r in rows:\n    for phone in r.get("phones", []): print(phone.strip())';
    const [phone] = itemsOf(fieldsOf(await firstItem('python', text))['phones'] ?? null);
    assert.equal(typeof phone, 'string');
  });

  for (const [where, language, text] of [
    [
      'inside of it',
      'javascript',
      'function f(tickets) { const has = (ticket) => ticket.filter(Boolean); return tickets.map((ticket) => has(ticket)); }',
    ],
    [
      'of its file',
      'javascript',
      'export const has = (wanted, ticket) => ticket.filter(wanted);\nexport function f(all) { return all.map((one) => has(Boolean, one)); }',
    ],
    ['of its file', 'python', 'def has(row):\n    return sorted(row)\n\ndef f(rows):\n    return [has(row) for row in rows]\n'],
  ] as const) {
    it(`is a list of what a function ${where} takes, to which its items are passed on, in ${language}`, async () => {
      const source = await sourceOf(language, text);
      const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
      assert.ok(itemsOf(first[0] ?? null).length > 0);
      assert.ok(itemsOf(first[0] ?? null).every(Array.isArray), JSON.stringify(first));
    });
  }

  it('can be told of a function that calls itself, too', async () => {
    const source = await sourceOf('javascript', 'function f(x) { return f(x); }');
    assert.ok(familiesOf(source.parameters[0] ?? assert.fail(), source).length > 0);
  });

  for (const [language, text] of [
    ['javascript', "function f(rows, how) { const mark = how.mark ?? '-'; if (how.upper) return mark; return rows + how.sign; }"],
    [
      'python',
      "def f(rows, how):\n    mark = how.get('mark', '-')\n    return mark if how.get('upper', True) else rows + how['sign']\n",
    ],
  ] as const) {
    it(`has the fields that no known call shows, next to those that it does, in ${language}`, async () => {
      const source = await sourceOf(language, text);
      const known = [readCall(Call.parse({ args: [1, { sign: '+' }] }))];
      const [, how] = optionalsOf(source, known);
      const records = (how?.examples ?? []).map(fieldsOf);
      assert.ok(records.every(({ sign }) => sign === '+'));
      assert.ok(records.some(({ mark, upper }) => typeof mark === 'string' && upper === false));
      assert.ok(records.some((record) => !('mark' in record)));
    });
  }

  it('is a record with the fields that the function reads of an item it has picked, in Python', async () => {
    const text = `def f(rows, sku):
    row = next((r for r in rows if r["sku"] == sku), None)
    return row["cents"] * 2 if row else 0
`;
    assert.deepEqual(Object.keys(fieldsOf(await firstItem('python', text))).sort(), ['cents', 'sku']);
  });

  it('has texts in both of two fields that are compared, where the name of one of them says so', async () => {
    const text = 'function f(products, orders) { for (const p of products) use(orders.filter((o) => o.product === p.name)); }';
    const source = await sourceOf('javascript', text);
    const fields = source.parameters.map((one) => fieldsOf(itemsOf(familiesOf(one, source)[0]?.[0] ?? null)[0]));
    assert.deepEqual(
      fields.map(({ name, product }) => typeof (name ?? product)),
      ['string', 'string'],
    );
  });

  it('is a list of what the known calls have in it, whatever the function does with it', async () => {
    const source = await sourceOf('python', 'def f(day, free=()):\n    return day not in list(free)\n');
    const examples = (typed: string[][]) =>
      optionalsOf(
        source,
        typed.map((free) => readCall(Call.parse({ args: ['2024-03-01', ...(free.length === 0 ? [] : [free])] }))),
      ).find(({ name }) => name === 'free')?.examples ?? [];
    assert.ok(examples([['2024-03-06']]).every((free) => itemsOf(free).every((one) => typeof one === 'string')));
    assert.ok(examples([[]]).some((free) => itemsOf(free).some((one) => typeof one === 'number')));
  });

  it('is nothing where the function asks that of what it is given, not of a variable that holds nothing at first', async () => {
    const nulls = async (text: string) => (await sourceOf('python', text)).constants.nulls;
    assert.equal(
      await nulls(
        'def f(items):\n    best = None\n    for x in items:\n        if best is None or x > best:\n            best = x\n    return best\n',
      ),
      false,
    );
    assert.equal(await nulls('def f(items):\n    return [x for x in items if x is not None]\n'), true);
  });

  it('is one of several further arguments, and each name that is looked up among those with names', async () => {
    const source = await sourceOf(
      'python',
      'def f(*parts, **flags):\n    return [str(p) + flags.get("end", "") for p in parts]\n',
    );
    const slots = optionalsOf(source, []);
    assert.deepEqual(
      slots.map(({ index, name }) => name ?? index),
      [0, 1, 2, 'end'],
    );
    assert.ok(slots.every(({ examples }) => examples.length > 0));
    const [rows, ...keys] = optionalsOf(
      await sourceOf('javascript', 'function f(rows, ...keys) { return keys.map((key) => rows[key.trim()]); }'),
      [],
    );
    assert.ok(rows !== undefined && keys.length === 3 && keys.every(({ examples }) => typeof examples[0] === 'string'));
  });

  it('is a date where only dates can be asked so, or where its type says so', async () => {
    const asked = await sourceOf('javascript', 'function f(when) { return when.getUTCDay(); }');
    assert.ok('date' in Object(familiesOf(asked.parameters[0] ?? assert.fail(), asked)[0]?.[0]));
    const typed = await sourceOf('python', 'def f(when: datetime, day: date):\n    return when\n');
    const [when, day] = typed.parameters.map((parameter) => JSON.stringify(familiesOf(parameter, typed)[0]?.[0]));
    assert.deepEqual([when, day], ['{"datetime":"2024-03-01T00:00:00"}', '{"date":"2024-03-01"}']);
  });

  it('is a text where it is added to one, and where its default is one', async () => {
    const source = await sourceOf('python', 'def f(key, path=""):\n    return path + "." + key if path else key\n');
    const [, path] = optionalsOf(source, []);
    assert.ok(path?.examples.every((value) => typeof value === 'string'));
    assert.equal(typeof familiesOf(source.parameters[0] ?? assert.fail(), source)[0]?.[0], 'string');
  });

  it('may be missing in the first of some pairs, and names the one before in the others', async () => {
    const text =
      'def f(rows):\n    seen = {}\n    for name, parent in rows:\n        seen[name] = 0 if parent is None else seen[parent] + 1\n    return seen\n';
    const source = await sourceOf('python', text);
    const [lists = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    const isChain = (list: Value): boolean => {
      const names = new Set<Value>([null]);
      return itemsOf(list).every((row) => {
        const [name = null, parent = null] = itemsOf(row);
        const isKnown = names.has(parent);
        names.add(name);
        return isKnown;
      });
    };
    assert.ok(lists.some((list) => itemsOf(list).length > 2 && isChain(list)));
  });

  it('is an object with the fields that the body takes out of it', async () => {
    const source = await sourceOf(
      'javascript',
      "function f(edit) { const { at, insert = '' } = edit; return insert.slice(at); }",
    );
    const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    assert.deepEqual(Object.keys(fieldsOf(first[0])), ['at', 'insert']);
  });

  it('is a key of what it is looked up in, where a name stands for that', async () => {
    const python =
      'UNITS = {"h": 3600, "m": 60}\ndef f(unit, step):\n    known = {"up": 1, "down": -1}\n    return UNITS[unit] if step in known else 0\n';
    const javascript = "const UNITS = { 'h': 3600, 'm': 60 };\nfunction f(unit) { return UNITS[unit]; }";
    for (const [language, text, wanted] of [
      [
        'python',
        python,
        [
          ['h', 'm'],
          ['up', 'down'],
        ],
      ],
      ['javascript', javascript, [['h', 'm']]],
    ] as const) {
      const source = await sourceOf(language, text);
      for (const [at, keys] of wanted.entries()) {
        const [first = []] = familiesOf(source.parameters[at] ?? assert.fail(), source);
        for (const key of keys) assert.ok(first.includes(key), `${language}: ${JSON.stringify(first)}`);
      }
    }
  });

  it('is a list of texts where what stands for a missing one is empty, and a number with signs where digits are asked for', async () => {
    const rows = await sourceOf(
      'javascript',
      'function f(rows) { for (const row of rows) (row.tags ?? []).map((tag) => tag.trim()); }',
    );
    const [[list = null] = []] = familiesOf(rows.parameters[0] ?? assert.fail(), rows);
    const tags = itemsOf(list).flatMap((row) => itemsOf(fieldsOf(row)['tags'] ?? null));
    assert.ok(tags.length > 0 && tags.every((tag) => typeof tag === 'string'), JSON.stringify(list));
    const sums = await sourceOf(
      'python',
      'def f(text):\n    at = 0\n    while text[at].isdigit() or text[at] in "+*":\n        at += 1\n    return text[at] == "("\n',
    );
    const [first = []] = familiesOf(sums.parameters[0] ?? assert.fail(), sums);
    for (const wanted of ['3', '3+12', '3*12']) assert.ok(first.includes(wanted), JSON.stringify(first));
  });

  it('may be below zero where it is compared with that', async () => {
    const source = await sourceOf('python', 'def f(steps):\n    while steps < 0:\n        steps += 1\n    return steps\n');
    const [first = []] = familiesOf(source.parameters[0] ?? assert.fail(), source);
    assert.ok(first.includes(-1) && first.includes(3));
  });
});
