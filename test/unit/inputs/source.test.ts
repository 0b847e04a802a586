/** What is read from a source without running it: parameters, literals, examples, types, mutants, probes. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { grammarOf } from '../../../daemon/evolution/syntax/languages.ts';
import type { Value } from '../../../daemon/judging/function/values.ts';
import { doctestsOf, literalCalls } from '../../../daemon/judging/inputs/examples.ts';
import { familiesOf } from '../../../daemon/judging/inputs/guess.ts';
import { mutantsOf, reversalsOf, withEdits } from '../../../daemon/judging/inputs/mutants.ts';
import { probesOf } from '../../../daemon/judging/inputs/probes.ts';
import { entrySource } from '../../../daemon/judging/inputs/source.ts';
import { readCall } from '../../../daemon/judging/inputs/values/data.ts';
import { fitsType, typeFilter } from '../../../daemon/judging/inputs/values/type-fit.ts';
import { examplesOfType, parseType } from '../../../daemon/judging/inputs/values/types.ts';
import { findExamples } from '../../../daemon/judging/inputs/workspace.ts';
import { createRandom } from '../../../daemon/random.ts';

const python = `class Bag:
    def __init__(self, size, *, name="x"):
        self.size = size

    def add(self, item: int, times: int = 2, *rest):
        return item

def rank(words, limit=10, *, key=None):
    """Ranks.

    >>> rank(["a", "b"], 1)
    ['a']
    >>> rank([("a", 1.5)], limit=-2)
    []
    >>> rank(words)
    """
    if limit > 99 and words[0] == "stop":
        return []
    return words[:limit]
`;

describe('the source of an entry', () => {
  it('has its parameters, those of its constructor, and its constants', async () => {
    const add = await entrySource('python', python, 'Bag.add');
    assert.deepEqual(
      add?.parameters.map(({ name, type, optional }) => [name, type, optional]),
      [
        ['item', 'int', false],
        ['times', 'int', true],
        ['rest', undefined, true],
      ],
    );
    assert.deepEqual(
      add?.init?.map(({ name, named, fallback }) => [name, named, fallback]),
      [
        ['size', false, undefined],
        ['name', true, 'x'],
      ],
    );
    const rank = await entrySource('python', python, 'rank');
    assert.equal(rank?.init, undefined);
    assert.ok(rank?.constants.ints.includes(99) && rank.constants.strs.includes('stop'));
  });

  it('has pieces of text that its decoder changes', async () => {
    const decode = await entrySource('python', 'def f(text):\n    return unquote_plus(text).split("&")\n', 'f');
    assert.deepEqual(decode?.constants.strs, ['&', '%41', '%20', '%zz']);
    assert.deepEqual((await entrySource('python', 'def f(text):\n    return text\n', 'f'))?.constants.strs, []);
  });

  it('has texts with signs that a pattern means in another way where it escapes these', async () => {
    const texts = [
      ['python', 'def f(text, part):\n    return re.search(re.escape(part), text)\n'],
      ['javascript', "function f(text, part) { return new RegExp(part.replace(/[.+]/g, '\\\\$&')).test(text); }"],
    ] as const;
    for (const [language, text] of texts) {
      const strs = (await entrySource(language, text, 'f'))?.constants.strs ?? [];
      assert.ok(strs.includes('a+b') && strs.includes('aab'), `${language}: ${strs.join()}`);
    }
  });

  it('has the words of what it reaches in its file, not those of the calls next to it', async () => {
    const kinds = 'KINDS = ["open", "done"]\n\ndef helper(x):\n    return KINDS.index(x) + len("kept")\n\n';
    const text = `${kinds}def f(rows):\n    return [helper(row["kind"]) for row in rows]\n\ndef inputs():\n    return [[[{"kind": "ann"}]]]\n`;
    assert.deepEqual(new Set((await entrySource('python', text, 'f'))?.words), new Set(['open', 'done', 'kept', 'kind']));
    const script = "const a = 'one';\nexport const b = () => a + 'two';\nexport function f(x) {\n  return b(x);\n}\nf('ann');\n";
    assert.deepEqual(new Set((await entrySource('javascript', script, 'f'))?.words), new Set(['one', 'two']));
  });

  it('has the calls of its doctests that are literal', async () => {
    const rank = await entrySource('python', python, 'rank');
    assert.ok(rank !== undefined);
    assert.deepEqual(await doctestsOf(rank, 'rank'), [
      { args: [['a', 'b'], 1], kwargs: {} },
      { args: [[{ tuple: ['a', 1.5] }]], kwargs: { limit: -2 }, typed: true },
    ]);
  });

  it('says by its use what a parameter holds', async () => {
    const text =
      'def total(orders, who):\n    s = 0\n    for o in orders:\n        if o["name"] == who.lower():\n            s += o["price"]\n    return s\n';
    const source = await entrySource('python', text, 'total');
    assert.ok(source !== undefined);
    const [orders, who] = source.parameters.map((parameter) => JSON.stringify(familiesOf(parameter, source)[0]));
    assert.match(orders ?? '', /"name".*"price"/);
    assert.match(who ?? '', /^\["/);
  });

  it('says by its use that a parameter is whole, where it is compared with what a loop counts', async () => {
    const text =
      'function f(current: number, total: number) {\n  for (let page = 1; page <= total; page++) if (Math.abs(page - current) <= 1) show(page);\n}\n';
    const source = await entrySource('typescript', text, 'f');
    assert.ok(source !== undefined);
    const values = source.parameters.slice(0, 1).flatMap((parameter) => familiesOf(parameter, source).flat());
    assert.ok(values.length > 0 && values.every(Number.isInteger), values.join());
  });

  it('says by its use that a parameter is a text, where its items are compared with signs and with another parameter', async () => {
    const text = `function f(line, sign = ',') {
  let field = '';
  for (let i = 0; i < line.length; i++) {
    const char = line[i];
    if (char === '"' && line[i + 1] === '"') i++;
    else if (char !== sign) field = field + char;
  }
  return field;
}`;
    const source = await entrySource('javascript', text, 'f');
    assert.ok(source !== undefined);
    const [line] = source.parameters.map((parameter) => familiesOf(parameter, source)[0]?.[0]);
    assert.equal(typeof line, 'string');
  });
});

describe('literal calls', () => {
  it('of JavaScript are read with maps and sets, and others are left out', async () => {
    const text = "f([1, -2], {a: 'x'}); m.f(new Set([1]), new Map([['k', null]])); f(y); f(`a`, true); g(1);";
    const found = await literalCalls('javascript', text, 'f');
    assert.deepEqual(found, [
      { args: [[1, -2], { a: 'x' }], kwargs: {} },
      { args: [{ set: [1] }, { dict: [['k', null]], map: 1 }], kwargs: {}, typed: true },
      { args: ['a', true], kwargs: {} },
    ]);
  });

  it('are found in tests and callers of the folder, but not in packages', async () => {
    const root = mkdtempSync(join(tmpdir(), 'peagen-examples-'));
    try {
      mkdirSync(join(root, 'tests'));
      mkdirSync(join(root, 'node_modules'));
      writeFileSync(join(root, 'tests', 'test_rank.py'), 'def test():\n    assert rank(["q"], 3) == ["q"]\n    rank(made())\n');
      writeFileSync(join(root, 'node_modules', 'a.py'), 'rank(["no"])\n');
      writeFileSync(join(root, 'other.js'), 'rank(["no"])\n');
      const program = {
        language: 'python',
        files: [{ path: 'a.py', text: python }],
        spans: [{ path: 'a.py', start: 0, end: 1 }],
      };
      const found = await findExamples(root, 'a.py', program, { path: 'a.py', fn: 'rank' });
      assert.deepEqual(found.map(({ args }) => JSON.stringify(args[0])).sort(), ['["a","b"]', '["q"]', '[{"tuple":["a",1.5]}]']);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});

describe('types', () => {
  it('of Python and TypeScript have examples', () => {
    for (const [type, isPython, pattern] of [
      ['Optional[List[int]]', true, /^\[\[7,3,0,12,7\].*null\]$/],
      ['dict[str, list[float]] | None', true, /"dict".*1\.5/],
      ['tuple[str, int]', true, /"tuple":\["the quick brown fox",7\]/],
      ['Map<string, Set<number>>', false, /"map":1/],
      ['{ id: number; tags?: string[] }', false, /"dict":\[\["id",3\],\["tags"/],
      ["'up' | 'down'", false, /^\["up","down"\]$/],
      ['readonly [string, number][]', false, /\[\["the quick brown fox",7\]|\["a",0\]/],
    ] as const) {
      assert.match(JSON.stringify(examplesOfType(type, isPython)), pattern, type);
    }
  });
});

describe('calls', () => {
  it('fit a type, or break it', () => {
    const undefinedValue = { undefined: 1 };
    const cases: [type: string, isPython: boolean, fitting: Value[], breaking: Value[]][] = [
      ['{ id: string; tags?: string[] }[]', false, [[], [{ dict: [['id', 'a']] }]], [[null], [{ dict: [] }], 'a', null]],
      ['Record<string, number>', false, [{ dict: [['a', 1.5]] }], [{ dict: [['a', null]] }, []]],
      ["'up' | 'down' | undefined", false, ['up', undefinedValue], ['left', null]],
      ['[string, number]', false, [['a', 1]], [[1, 'a'], 'a']],
      ['(a: number) => string', false, [1, null], []],
      ['Date', false, [{ date: 0 }], [1, null]],
      ['datetime.date', true, [{ date: '2024-03-01' }, 1], []],
      ['list[tuple[str, float]]', true, [[{ tuple: ['a', 1] }]], [[['a', 1]], [{ tuple: [1, 'a'] }], { tuple: [] }]],
      ['Optional[int]', true, [null, 3], ['3', 1.5]],
      ['tuple[int, ...]', true, [{ tuple: [1, 2, 3] }], [[1], { tuple: ['a'] }]],
      ['Iterable[str]', true, [['a'], { set: ['a'] }, 'ab'], [[1], 3]],
    ];
    for (const [type, isPython, fitting, breaking] of cases) {
      const node = parseType(type, isPython);
      for (const value of fitting) assert.ok(fitsType(value, node, new Map()), `${type}: ${JSON.stringify(value)}`);
      for (const value of breaking) assert.ok(!fitsType(value, node, new Map()), `${type}: ${JSON.stringify(value)}`);
    }
  });

  it('keep to the annotations of the function that no known call breaks', async () => {
    const text = `interface Item { name: string; price: number }
export function total(items: Item[], rate: number, from?: number): number {
  return items.length * rate + (from ?? 0);
}
`;
    const source = await entrySource('typescript', text, 'total');
    const item = { name: 'a', price: 1 };
    const call = (...args: Parameters<typeof readCall>[0]['args']) => readCall({ args, kwargs: {} });
    const fits = typeFilter(source, [call([item], 'a rate')]);
    assert.ok(fits(call([item, item], 2)) && fits(call([], null, 3)));
    assert.ok(!fits(call([null], 2)) && !fits(call([{ name: 'a' }], 2)) && !fits(call([], 1, 'from')));
  });
});

describe('mutants', () => {
  it('are small, distinct, and the same for a seed', async () => {
    const source = await entrySource('python', python, 'rank');
    assert.ok(source !== undefined);
    const make = (seed: number): string[] =>
      mutantsOf(source.parts, python, source.grammar, 50, createRandom(seed)).map((edit) => withEdits(python, [edit]));
    const texts = make(1);
    assert.equal(new Set(texts).size, texts.length);
    assert.deepEqual(make(1), texts);
    for (const wanted of ['limit >= 99', 'words[0] != "stop"', ' or ', 'limit > 100', 'return None', 'not (']) {
      assert.ok(
        texts.some((text) => text.includes(wanted)),
        wanted,
      );
    }
    assert.ok(texts.every((text) => text.includes('"""Ranks.')));
  });

  it('are made of the functions that may change along as well, whose lines are counted', async () => {
    const text = 'def f(x):\n    return g(x) + h(x)\n\n\ndef g(x):\n    return x * 7\n\n\ndef h(x):\n    return x - 8\n';
    const source = (await entrySource('python', text, 'f', ['g'])) ?? assert.fail();
    assert.deepEqual(source.lines, [
      [1, 2],
      [5, 6],
    ]);
    const texts = mutantsOf(source.parts, text, source.grammar, 50, createRandom(1)).map((edit) => withEdits(text, [edit]));
    assert.ok(texts.some((one) => one.includes('x + 7')) && texts.some((one) => one.includes('g(x) - h(x)')));
    assert.ok(texts.every((one) => one.includes('return x - 8')));
  });

  it('go through lists from the other end, apart from those that are counted', async () => {
    const reversed = async (language: string, text: string): Promise<string[]> => {
      const source = await entrySource(language, text, 'f');
      assert.ok(source !== undefined);
      return reversalsOf(source.parts, text, source.grammar).map((edit) => withEdits(text, [edit]));
    };
    assert.deepEqual(await reversed('python', 'def f(xs):\n    for i, x in enumerate(xs):\n        g([y for y in x])\n'), [
      'def f(xs):\n    for i, x in reversed(list(enumerate(xs))):\n        g([y for y in x])\n',
      'def f(xs):\n    for i, x in enumerate(xs):\n        g([y for y in reversed(list(x))])\n',
    ]);
    assert.deepEqual(
      await reversed(
        'typescript',
        'function f(xs: number[], x: number) { for (let i = 0; i < xs.length; i++) if (g(i)) return i; }',
      ),
      ['function f(xs: number[], x: number) { for (let i = (xs.length) - 1; i >= (0); i--) if (g(i)) return i; }'],
    );
    assert.deepEqual(
      await reversed('javascript', 'function f(xs) { for (const x of xs) for (const k in x) return xs.indexOf(k); }'),
      [
        'function f(xs) { for (const x of [...xs].reverse()) for (const k in x) return xs.indexOf(k); }',
        'function f(xs) { for (const x of xs) for (const k in x) return xs.lastIndexOf(k); }',
      ],
    );
  });

  it('lose a sort, a filter, a key and a condition, and take all for some', async () => {
    const made = async (language: string, text: string): Promise<string[]> => {
      const source = await entrySource(language, text, 'f');
      assert.ok(source !== undefined);
      return mutantsOf(source.parts, text, source.grammar, 50, createRandom(1)).map((edit) => withEdits(text, [edit]));
    };
    const python = await made(
      'python',
      'def f(xs):\n    if any(xs):\n        return sorted(xs, key=abs)\n    return float(xs[0])\n',
    );
    for (const wanted of ['if True:', 'all(xs)', 'return xs\n', 'int(float(xs[0]))'])
      assert.ok(
        python.some((text) => text.includes(wanted)),
        wanted,
      );
    const javascript = await made(
      'javascript',
      'function f(xs) { return xs.some(Boolean) ? xs.filter(g).length : xs.sort((a, b) => a - b)[0]; }',
    );
    for (const wanted of ['xs.every(Boolean)', 'xs.length', ': xs[0]'])
      assert.ok(
        javascript.some((text) => text.includes(wanted)),
        wanted,
      );
  });
});

describe('probes', () => {
  it('leave the results of a program and its lines as they are', async () => {
    const text = `"use strict";
function f(n) {
  "use strict";
  let a = []
  if (n > 2) a.push(1); else if (n > 1) a.push(2)
  else for (const x of [1, 2]) a.push(x), a.push(0);
  while (n-- > 0);
  outer: for (;;) { for (;;) { if (a.length > 3) break outer; else break outer } }
  do a.push(9); while (a.length < 4)
  switch (a.length) { case 4: a.push('four'); break; default: a.push('more') }
  const g = (x) => ({ x });
  const h = x => x ? y => y : z => -z;
  try { a.push(g(1).x, h(0)(3)) } catch {} finally { a.push('end') }
  return n > 5
    ? a
    : a.concat(n)
}
`;
    const { edits, lines, inside } = await probesOf(text, [{ start: 0, end: text.length }]);
    const probed = withEdits(text, edits);
    assert.equal(probed.split('\n').length, text.split('\n').length);
    assert.equal(inside.size, lines.length);
    const run = (code: string, n: number): string =>
      JSON.stringify(runInNewContext(`${code};f(${n})`, { __peagenProbe: () => undefined }));
    for (const n of [0, 1, 2, 3, 9]) assert.equal(run(probed, n), run(text, n));
    assert.ok(grammarOf('javascript') !== undefined);
  });
});
