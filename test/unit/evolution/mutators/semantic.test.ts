/** The operators that replace one idiom by a faster one: what they write, and that it computes the same. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { changed, regionOf } from '../../../../daemon/evolution/mutators/structural-draw.ts';
import type { Operator } from '../../../../daemon/evolution/mutators/structural-edit.ts';
import { loadTarget } from '../../../../daemon/evolution/target.ts';
import { createRandom, type Random } from '../../../../daemon/random.ts';
import type { Program } from '../../../../shared/program.ts';
import { type Case, named, python as pythonCases } from './semantic-cases.ts';
import { javascriptFunctions, pythonFunctions, untouchedFunctions } from './semantic-cases-functions.ts';
import { javascript as javascriptCases } from './semantic-cases-javascript.ts';
import { javascriptLocal, pythonLocal, untouchedLocal } from './semantic-cases-local.ts';
import { javascriptScans, pythonScans, untouched } from './semantic-cases-scans.ts';

const python = [...pythonCases, ...pythonScans, ...pythonLocal, ...pythonFunctions];
const javascript = [...javascriptCases, ...javascriptScans, ...javascriptLocal, ...javascriptFunctions];

async function programOf(path: string, text: string, fn = 'f'): Promise<Program> {
  return (await loadTarget({ root: '/nowhere', path, text, entry_fn: fn })).program;
}

/** The texts that an operator makes of a program. */
async function childrenOf(program: Program, operator: Operator): Promise<string[]> {
  const made = program.spans.map(async (span) => {
    const region = await regionOf(program, span);
    return Promise.all(operator(region).map(({ changes }) => changed(program, span, region, changes)));
  });
  return (await Promise.all(made)).flat().flatMap((child) => (typeof child === 'string' ? [] : [child.files[0]?.text ?? '']));
}

/** The results of all texts, which share one process. */
function pythonResults(calls: readonly { text: string; call: string }[]): unknown {
  const code =
    'import json, sys\nout = []\nfor one in json.load(sys.stdin):\n    names = {}\n    exec(one["text"], names)\n    out.append(repr(eval("f(" + one["call"] + ")", names)))\nprint(json.dumps(out))';
  return JSON.parse(execFileSync('python3', ['-c', code], { input: JSON.stringify(calls), encoding: 'utf8' }));
}

/**
 * For each pair of programs, the call with items taken out, repeated and changed, 60 times: the calls on which results or arguments
 * differ where the original returns.
 */
function pythonDifferences(pairs: readonly { before: string; after: string; call: string }[]): string[] {
  return z
    .array(z.string())
    .parse(
      JSON.parse(
        execFileSync('python3', [join(import.meta.dirname, 'vary.py')], { input: JSON.stringify(pairs), encoding: 'utf8' }),
      ),
    );
}

/** A module as a script. */
const plain = (code: string): string => code.replaceAll(/^export /gm, '');

/** The same for JavaScript. */
function javascriptDifferences({ before, after, call }: { before: string; after: string; call: string }): string[] {
  const source = createRandom('vary', 7);
  const run = (code: string, args: readonly unknown[]): string => {
    const own = structuredClone(args);
    return JSON.stringify([new Function('args', `${plain(code)}\nreturn f(...args) ?? null;`)(own), own]);
  };
  const first: readonly unknown[] = new Function(`return [${call}];`)();
  return Array.from({ length: 60 }, () => first.map((value) => varied(value, source))).flatMap((args) => {
    let wanted: string;
    try {
      wanted = run(before, args);
    } catch {
      return [];
    }
    return run(after, args) === wanted ? [] : [JSON.stringify(args)];
  });
}

/** The value with some of its items left out, repeated or changed. */
function varied(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    return items.flatMap((item) => {
      const draw = random.next();
      const one = () => varied(draw < 0.5 ? item : random.pick(items), random);
      return draw < 0.12 ? [] : draw > 0.8 ? [one(), one()] : [one()];
    });
  }
  if (typeof value === 'number') return random.next() < 0.3 ? value + random.pick([-2, -1, 1, 0.5]) : value;
  if (typeof value === 'string') return random.next() < 0.3 ? value.slice(0, -1) + random.pick(['a', 'b', '']) : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, varied(one, random)]));
}

/** These hold for the inputs that their idiom is made for, and leave the rest to judging. */
const presuming = new Set(
  ['scanToLast', 'breakAfterFinding', 'divisorsToSquareRoot', 'divisorsToHalf', 'breakWhenUnchanged', 'swapsToSort'].map(named),
);

describe('operators that replace an idiom', () => {
  const texts = async (suffix: string, { operator, before, after }: Case) => {
    const children = await childrenOf(await programOf(`a.${suffix}`, before), operator);
    return children.find((child) => after.test(child)) ?? assert.fail(`none of: ${children.join('\n---\n')}`);
  };

  for (const each of python) it(`in Python: ${each.what}`, () => texts('py', each));

  it('compute the same in Python', async () => {
    const made = await Promise.all(python.map(async (each) => ({ text: await texts('py', each), call: each.call })));
    assert.deepEqual(pythonResults(made), pythonResults(python.map(({ before, call }) => ({ text: before, call }))));
  });

  it('keep their meaning in Python on calls that are changed at random', async () => {
    const exact = python.filter(({ operator }) => !presuming.has(operator));
    const pairs = exact.map(async (each) => ({ before: each.before, after: await texts('py', each), call: each.call }));
    assert.deepEqual(pythonDifferences(await Promise.all(pairs)), []);
  });

  it('keep their meaning in JavaScript on calls that are changed at random', async () => {
    const exact = javascript.filter(({ operator }) => !presuming.has(operator));
    const pairs = exact.map(async (each) => ({ before: each.before, after: await texts('mjs', each), call: each.call }));
    assert.deepEqual((await Promise.all(pairs)).flatMap(javascriptDifferences), []);
  });

  for (const each of javascript) {
    it(`in JavaScript: ${each.what}, and compute the same`, async () => {
      const text = await texts('mjs', each);
      const result = (code: string) => JSON.stringify(new Function(`${plain(code)}\nreturn f(${each.call});`)());
      assert.equal(result(text), result(each.before));
    });
  }

  it('read TypeScript too', async () => {
    const text =
      'export function f(xs: number[]): number[] {\n  let out: number[] = [];\n  for (const x of xs) {\n    out = [...out, x];\n  }\n  return out;\n}\n';
    const [child = ''] = await childrenOf(await programOf('a.ts', text), named('copyToAppend'));
    assert.match(child, /out\.push\(x\);/);
  });

  it('leave a list alone that the loop changes otherwise', async () => {
    const text =
      'def f(xs):\n    n = 0\n    for x in xs:\n        if x in xs:\n            n += 1\n            xs.remove(x)\n    return n\n';
    assert.deepEqual(await childrenOf(await programOf('a.py', text), named('membershipToSet')), []);
  });

  for (const { what, operator, path, text } of [...untouched, ...untouchedLocal, ...untouchedFunctions]) {
    it(`leave alone: ${what}`, async () => assert.deepEqual(await childrenOf(await programOf(path, text), operator), []));
  }

  it('find a sort in TypeScript that does not trust its indices', async () => {
    const text =
      'export function f(xs: number[]): number[] {\n  for (let i = 0; i < xs.length; i++) {\n    for (let j = 0; j < xs.length - 1; j++) {\n      if (xs[j]! > xs[j + 1]!) {\n        const held = xs[j]!;\n        xs[j] = xs[j + 1]!;\n        xs[j + 1] = held;\n      }\n    }\n  }\n  return xs;\n}\n';
    const [child = ''] = await childrenOf(await programOf('a.ts', text), named('swapsToSort'));
    assert.match(child, /xs\.sort\(\(a, b\) => \(a < b \? -1 : a > b \? 1 : 0\)\);/);
  });

  it('name the type of what a function returns in TypeScript', async () => {
    const text =
      'function weight(k: string): number {\n  return k.length;\n}\nexport function f(xs: string[]): number[] {\n  return xs.map((x) => weight(x));\n}\n';
    const [child = ''] = await childrenOf(await programOf('a.ts', text), named('rememberByValue'));
    assert.match(child, /new Map<unknown, ReturnType<typeof weight>>\(\)/);
  });

  it('raise no error on any function of the benchmarks', async () => {
    const all = [...new Set([...python, ...javascript].map(({ operator }) => operator))];
    const folder = join(import.meta.dirname, '..', '..', '..', 'bench', 'offline');
    for (const language of readdirSync(folder)) {
      for (const file of readdirSync(join(folder, language))) {
        const text = readFileSync(join(folder, language, file), 'utf8');
        const fn = /^(?:def|export function) (\w+)/m.exec(text)?.[1] ?? '';
        const program = await programOf(file, text, fn);
        for (const operator of all) await childrenOf(program, operator);
      }
    }
  });
});
