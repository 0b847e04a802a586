/** Calls of few names, and calls with nested fields: parts of a call refer to each other, and kinds stay those of the source. */
import assert from 'node:assert/strict';
import type { Value } from '../../../daemon/judging/function/values.ts';
import { Candidates } from '../../../daemon/judging/inputs/candidates.ts';
import { optionalsOf } from '../../../daemon/judging/inputs/seeds.ts';
import { entrySource } from '../../../daemon/judging/inputs/source.ts';
import { type Draft, itemsOf, kindOf, pairsOf, readCall } from '../../../daemon/judging/inputs/values/data.ts';
import type { Constants } from '../../../daemon/judging/inputs/values/grow.ts';
import { vocabularyOf } from '../../../daemon/judging/inputs/values/vocabulary.ts';
import { createRandom } from '../../../daemon/random.ts';

async function made(language: string, text: string, fn: string, args: Value[][], count = 400): Promise<Draft[]> {
  const source = await entrySource(language, text, fn);
  assert.ok(source !== undefined);
  const known = args.map((each) => readCall({ args: each, kwargs: {} }));
  const runtime = language === 'python' ? 'python' : 'node';
  const optional = optionalsOf(source, known);
  return new Candidates(known, createRandom(1), runtime, source.constants, optional).around(known, count);
}

async function nests(language: string, text: string): Promise<Constants['nests'] | undefined> {
  return (await entrySource(language, text, 'f'))?.constants.nests;
}

describe('calls of few names', () => {
  it('draw from four to seven, some of which begin with another one', () => {
    const all = Array.from({ length: 40 }, (_, seed) => vocabularyOf(['Ann', 'a b', '12'], createRandom(seed)));
    assert.ok(all.every((names) => names.length >= 4 && names.length <= 7 && names.every((name) => /^\p{L}+$/u.test(name))));
    assert.ok(all.some((names) => names.some((one) => names.some((other) => other !== one && other.startsWith(one)))));
  });

  it('have texts of several parts where the source has a sign between them, some as the source compares them', async () => {
    const text = 'def f(lines):\n    return [line for line in lines if line.split(" ")[1] == "ERROR"]\n';
    const lines = (await made('python', text, 'f', [[['a', 'b']]])).flatMap(({ args: [list = null] }) => itemsOf(list));
    const services = lines.flatMap((line) => /^(\w+) ERROR /.exec(String(line))?.[1] ?? []);
    assert.ok(services.length >= 20 && new Set(services).size < services.length / 2, services.join(' '));
  });

  it('have dictionaries that lead on from key to key when the known ones do', async () => {
    const graphs = await made('python', 'def f(g, s):\n    return g.get(s)\n', 'f', [
      [{ a: ['b'], b: ['c'], c: [] }, 'a'],
      [{ a: ['b'], b: [], c: [] }, 'b'],
    ]);
    const steps = (graph: Value, from: Value): number => {
      const found = new Set([from]);
      for (const one of found)
        for (const [key, next] of pairsOf(graph)) if (key === one) for (const item of itemsOf(next)) found.add(item);
      return found.size;
    };
    assert.ok(graphs.filter(({ args: [graph = null, from = null] }) => steps(graph, from) > 4).length >= 5);
  });

  it('have null where the type of a known field allows it, together with a field that is missing', async () => {
    const text = 'interface U { n: string; e?: string | null; on?: boolean }\nfunction f(us: U[]) { return us; }\n';
    const calls = await made('typescript', text, 'f', [[[{ n: 'Ann', e: 'x' }, { n: 'Bob' }]]]);
    const both = calls
      .flatMap(({ args }) => itemsOf(args[0] ?? null))
      .filter((row) => {
        const fields = new Map(pairsOf(row));
        return fields.get('e') === null && !fields.has('on');
      });
    assert.ok(both.length > 0);
  });
});

describe('calls with nested fields', () => {
  const merge = 'const isMap = (v) => typeof v === "object";\nfunction f(a, b) { return isMap(a) || Array.isArray(b); }\n';

  it('have lists among the items of a list, some in each other, where the function asks whether an item is one', async () => {
    const flat: Value[][] = [[[3, 1, 2]], [[]]];
    const texts = {
      javascript: 'function f(xs) { return xs.flatMap((x) => (Array.isArray(x) ? f(x) : [x])); }\n',
      python: 'def f(xs):\n    return [y for x in xs for y in (f(x) if isinstance(x, list) else [x])]\n',
    };
    for (const [language, text] of Object.entries(texts)) {
      const calls = await made(language, text, 'f', flat);
      const lists = (value: Value): Value[] => itemsOf(value).filter((item) => kindOf(item) === 'list');
      const nested = calls.filter(({ args }) => lists(args[0] ?? null).length > 0);
      assert.ok(nested.length >= 20, language);
      assert.ok(
        nested.some(({ args }) => lists(args[0] ?? null).some((item) => lists(item).length > 0)),
        language,
      );
    }
    const plain = await made('javascript', 'function f(xs) { return xs.length; }\n', 'f', flat);
    assert.ok(plain.every(({ args }) => itemsOf(args[0] ?? null).every((item) => kindOf(item) !== 'list')));
  });

  it('follow what the source asks for, in functions that it calls too', async () => {
    assert.deepEqual(await nests('javascript', merge), ['list', 'dict']);
    assert.deepEqual(await nests('python', 'def f(x):\n    return isinstance(x, (list, tuple))\n'), ['list']);
    assert.deepEqual(await nests('javascript', 'function f(a) { return a + 1; }'), []);
    assert.deepEqual(await nests('typescript', 'function f(a: number[]) { return Array.isArray(a); }'), []);
  });

  it('have lists and dictionaries under one key of two arguments', async () => {
    const calls = await made('javascript', merge, 'f', [[{ a: 1 }, { b: 2 }]]);
    const kinds = calls.map(({ args }) =>
      args.map((arg) => kindOf(pairsOf(arg).find(([key]) => key === 'a')?.[1] ?? null)).join(),
    );
    for (const wanted of ['list,list', 'dict,dict', 'list,dict']) assert.ok(kinds.includes(wanted), wanted);
  });

  it('name the field in a text argument', async () => {
    const text = 'function f(rows, key) { return [].concat(rows.map((row) => row[key])); }\n';
    const calls = await made('javascript', text, 'f', [[[{ k: 'a', n: 1 }], 'k']]);
    const named = calls.filter(({ args: [rows = null, key = null] }) =>
      itemsOf(rows).some((row) => pairsOf(row).some(([name, item]) => name === key && kindOf(item) === 'list')),
    );
    assert.ok(named.length > 0);
  });

  it('lie on a way that a text names where the source follows one', async () => {
    const text = "function f(data, way) { return way.split('.').reduce((value, key) => value?.[key], data); }\n";
    const calls = await made('javascript', text, 'f', [[{ a: 1, b: 2 }, 'a']]);
    const follow = (value: Value, way: string): Value | undefined =>
      way.split('.').reduce<Value | undefined>((held, key) => pairsOf(held ?? null).find(([name]) => name === key)?.[1], value);
    const found = calls.filter(
      ({ args: [data = null, way = null] }) => /\./.test(String(way)) && follow(data, String(way)) !== undefined,
    );
    assert.ok(found.length >= 3, `${found.length}`);
    assert.deepEqual(await nests('javascript', "function f(host) { return host.split('.').length; }"), []);
  });

  it('do not occur where the source asks for nothing of the kind', async () => {
    const calls = await made('javascript', 'function f(a) { return a.x + 1; }', 'f', [[{ x: 1, y: 'a' }]]);
    const held = calls.flatMap(({ args }) => pairsOf(args[0] ?? null)).map(([, item]) => kindOf(item));
    assert.deepEqual(
      held.filter((kind) => kind === 'list' || kind === 'dict'),
      [],
    );
  });
});
