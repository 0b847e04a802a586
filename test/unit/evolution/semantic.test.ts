/** The operators that replace one idiom by a faster one: what they write, and that it computes the same. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { operators } from '../../../daemon/evolution/mutators/structural.ts';
import { changed, regionOf } from '../../../daemon/evolution/mutators/structural-draw.ts';
import type { Operator } from '../../../daemon/evolution/mutators/structural-edit.ts';
import { loadTarget } from '../../../daemon/evolution/target.ts';
import type { Program } from '../../../shared/program.ts';

async function programOf(path: string, text: string, fn = 'f'): Promise<Program> {
  return (await loadTarget({ root: '/nowhere', path, text, entry_fn: fn })).program;
}

/** The texts that an operator makes of a program. */
async function childrenOf(program: Program, operator: Operator): Promise<string[]> {
  const [span] = program.spans;
  assert.ok(span !== undefined);
  const region = await regionOf(program, span);
  const made = await Promise.all(operator(region).map(({ changes }) => changed(program, span, region, changes)));
  return made.flatMap((child) => (typeof child === 'string' ? [] : [child.files[0]?.text ?? '']));
}

/** One of those that the mutator draws. */
function named(name: string): Operator {
  const found = operators.find(([, operator]) => operator.name === name);
  assert.ok(found !== undefined, name);
  return found[1];
}

interface Case {
  readonly what: string;
  readonly operator: Operator;
  readonly before: string;
  readonly after: RegExp;
  /** Arguments, as the language writes them: the result must be the same. */
  readonly call: string;
}

const python: Case[] = [
  {
    what: 'a list that only grows gets a set next to it',
    operator: named('membershipToSet'),
    before:
      'def f(xs):\n    seen = []\n    for x in xs:\n        if x not in seen:\n            seen.append(x)\n    return seen\n',
    after: /seen_set = set\(\)\n[\s\S]*if x not in seen_set:\n {12}seen\.append\(x\)\n {12}seen_set\.add\(x\)/,
    call: '[3, 1, 3, 2, 1]',
  },
  {
    what: 'a list that the loop leaves alone is made a set before it',
    operator: named('membershipToSet'),
    before:
      'def f(xs):\n    n = 0\n    allowed = [2, 4, 8]\n    for x in xs:\n        if x in allowed:\n            n += 1\n    return n\n',
    after: / {4}allowed_set = set\(allowed\)\n {4}for x in xs:/,
    call: '[1, 2, 8, 8]',
  },
  {
    what: 'a scan for equal items becomes a look-up',
    operator: named('scanToIndex'),
    before:
      'def f(xs):\n    out = []\n    for a in xs:\n        for b in xs:\n            if b[0] == a[1]:\n                out.append((a, b))\n    return out\n',
    after: /by_key\.setdefault\(b\[0\], \[\]\)\.append\(b\)[\s\S]*for b in by_key\.get\(a\[1\], \(\)\):/,
    call: '[(1, 2), (2, 3), (2, 1), (5, 5)]',
  },
  {
    what: 'a sum of two items is looked up by the difference',
    operator: named('scanToIndex'),
    before:
      'def f(xs):\n    for i in range(len(xs)):\n        for j in range(i + 1, len(xs)):\n            if xs[i] + xs[j] == 10:\n                return i, j\n',
    after: /by_key\.get\(10 - xs\[i\], \(\)\) if j >= i \+ 1/,
    call: '[5, 1, 9, 5]',
  },
  {
    what: 'a comprehension in a loop looks up',
    operator: named('scanToIndex'),
    before: 'def f(xs):\n    out = []\n    for a in xs:\n        out.append(len([b for b in xs if b == a]))\n    return out\n',
    after: /\[b for b in by_key\.get\(a, \(\)\) if b == a\]/,
    call: '[1, 2, 1]',
  },
  {
    what: 'counts are taken once',
    operator: named('tableOfCounts'),
    before: 'def f(xs):\n    return [x for x in xs if xs.count(x) > 1]\n',
    after: /counts\[each\] = counts\.get\(each, 0\) \+ 1\n {4}return \[x for x in xs if counts\.get\(x, 0\) > 1\]/,
    call: '[1, 2, 1]',
  },
  {
    what: 'keys are tested in the dictionary',
    operator: named('keysMembership'),
    before: 'def f(d):\n    return 3 in list(d.keys())\n',
    after: /return 3 in d\n/,
    call: '{3: 1}',
  },
  {
    what: 'a string is joined once',
    operator: named('concatenationToJoin'),
    before: 'def f(xs):\n    s = ""\n    for x in xs:\n        s = s + str(x) + ","\n    return s\n',
    after: /s_parts\.append\(str\(x\) \+ ","\)\n {4}s = ""\.join\(s_parts\)/,
    call: '[1, 2, 3]',
  },
  {
    what: 'an item is appended in place of a copy',
    operator: named('copyToAppend'),
    before: 'def f(xs):\n    out = []\n    for x in xs:\n        out = out + [x * 2]\n    return out\n',
    after: /out\.append\(x \* 2\)/,
    call: '[1, 2]',
  },
  {
    what: 'sums of slices come from prefix sums',
    operator: named('slicedSumToPrefix'),
    before: 'def f(xs):\n    return [sum(xs[i:i + 2]) for i in range(len(xs) - 1)]\n',
    after: /\(prefix\[i \+ 2\] - prefix\[i\]\)/,
    call: '[1, 2, 3, 4]',
  },
  {
    what: 'a loop that adds up comes from prefix sums',
    operator: named('addingLoopToPrefix'),
    before:
      'def f(xs):\n    out = []\n    for i in range(len(xs)):\n        t = 0\n        for j in range(i + 1):\n            t += xs[j]\n        out.append(t)\n    return out\n',
    after: /t \+= prefix\[i \+ 1\]/,
    call: '[1, 2, 3, 4]',
  },
  {
    what: 'a queue is a deque',
    operator: named('listToDeque'),
    before: 'def f(xs):\n    q = list(xs)\n    out = []\n    while q:\n        out.append(q.pop(0))\n    return out\n',
    after: /from collections import deque\n[\s\S]*q = deque\(list\(xs\)\)[\s\S]*q\.popleft\(\)/,
    call: '[1, 2, 3]',
  },
  {
    what: 'the smallest needs no sorting',
    operator: named('sortedToExtreme'),
    before: 'def f(xs):\n    return sorted(xs, key=lambda x: -x)[0]\n',
    after: /return min\(xs, key=lambda x: -x\)/,
    call: '[1, 2, 3]',
  },
  {
    what: 'a search stops at the first match',
    operator: named('breakAfterFinding'),
    before: 'def f(xs):\n    found = False\n    for x in xs:\n        if x > 2:\n            found = True\n    return found\n',
    after: /found = True\n {12}break/,
    call: '[1, 2, 3]',
  },
  {
    what: 'divisors end at the square root',
    operator: named('divisorsToSquareRoot'),
    before: 'def f(n):\n    for d in range(2, n):\n        if n % d == 0:\n            return False\n    return True\n',
    after: /range\(2, int\(\(n\) \*\* 0\.5\) \+ 1\)/,
    call: '49',
  },
  {
    what: 'loops that swap become a sort by what they compare',
    operator: named('swapsToSort'),
    before:
      'def f(xs):\n    xs = list(xs)\n    for i in range(len(xs)):\n        for j in range(len(xs) - 1):\n            if xs[j][1] > xs[j + 1][1]:\n                xs[j], xs[j + 1] = xs[j + 1], xs[j]\n    return xs\n',
    after: /xs\.sort\(key=lambda each: each\[1\]\)/,
    call: '[(1, 3), (2, 1), (3, 2)]',
  },
  {
    what: 'a recursion remembers within a call',
    operator: named('memoiseRecursion'),
    before: 'def f(n):\n    if n < 2:\n        return n\n    return f(n - 1) + f(n - 2)\n',
    after:
      /@lru_cache\(maxsize=None\)\n {4}def solve\(n\):\n {8}if n < 2:[\s\S]*return solve\(n - 1\) \+ solve\(n - 2\)\n\n {4}return solve\(n\)/,
    call: '12',
  },
  {
    what: 'an item is inserted in order',
    operator: named('sortInLoop'),
    before: 'def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n        out.sort()\n    return out\n',
    after: /insort\(out, x\)/,
    call: '[3, 1, 2]',
  },
  {
    what: 'the smallest comes from a heap',
    operator: named('sortInLoop'),
    before:
      'def f(xs):\n    q = list(xs)\n    out = []\n    while q:\n        m = min(q)\n        q.remove(m)\n        out.append(m)\n    return out\n',
    after: /heapify\(q\)\n {4}while q:\n {8}m = heappop\(q\)/,
    call: '[3, 1, 2]',
  },
  {
    what: 'an appending loop is a comprehension',
    operator: named('appendLoopToComprehension'),
    before: 'def f(xs):\n    out = []\n    for x in xs:\n        if x > 1:\n            out.append(x * 2)\n    return out\n',
    after: /^def f\(xs\):\n {4}out = \[x \* 2 for x in xs if x > 1\]\n {4}return out/,
    call: '[1, 2, 3]',
  },
  {
    what: 'a loop runs over the items',
    operator: named('indexToItem'),
    before: 'def f(xs):\n    t = 0\n    for i in range(len(xs)):\n        t += xs[i] * i\n    return t\n',
    after: /for i, item in enumerate\(xs\):\n {8}t \+= item \* i/,
    call: '[1, 2, 3]',
  },
];

const javascript: Case[] = [
  {
    what: 'includes in a loop becomes a set',
    operator: named('membershipToSet'),
    before:
      'function f(xs) {\n  const seen = [];\n  for (const x of xs) {\n    if (seen.indexOf(x) === -1) {\n      seen.push(x);\n    }\n  }\n  return seen;\n}\n',
    after: /const seen_set = new Set\(\);[\s\S]*if \(!seen_set\.has\(x\)\) \{\n {6}seen\.push\(x\);\n {6}seen_set\.add\(x\);/,
    call: '[1, 2, 1]',
  },
  {
    what: 'find in a callback looks up in a map',
    operator: named('scanToIndex'),
    before: 'function f(xs) {\n  return xs.map((x) => xs.find((y) => y.id === x.next)?.id);\n}\n',
    after: /\(byKey\.get\(x\.next\) \?\? \[\]\)\.find\(/,
    call: '[{ id: 1, next: 2 }, { id: 2, next: 5 }]',
  },
  {
    what: 'a counted scan becomes a look-up',
    operator: named('countedScanToIndex'),
    before:
      'function f(xs) {\n  const out = [];\n  for (let i = 0; i < xs.length; i++) {\n    for (let j = i + 1; j < xs.length; j++) {\n      if (xs[j] === xs[i]) {\n        out.push([i, j]);\n      }\n    }\n  }\n  return out;\n}\n',
    after: /for \(const j of byKey\.get\(xs\[i\]\) \?\? \[\]\) \{\n {6}if \(j < i \+ 1\) continue;/,
    call: '[1, 2, 1, 1]',
  },
  {
    what: 'an object is not copied for each key',
    operator: named('copyToAppend'),
    before: 'function f(xs) {\n  return xs.reduce((o, x) => ({ ...o, [x]: x * 2 }), {});\n}\n',
    after: /\(\(o\[x\] = x \* 2\), o\)/,
    call: '[1, 2]',
  },
  {
    what: 'sums of slices come from prefix sums',
    operator: named('slicedSumToPrefix'),
    before:
      'function f(xs) {\n  const out = [];\n  for (let i = 0; i < xs.length; i++) {\n    out.push(xs.slice(0, i + 1).reduce((a, b) => a + b, 0));\n  }\n  return out;\n}\n',
    after: /out\.push\(\(prefix\[i \+ 1\]\)\)/,
    call: '[1, 2, 3]',
  },
  {
    what: 'a queue keeps its head',
    operator: named('listToDeque'),
    before:
      'function f(xs) {\n  const q = [...xs];\n  const out = [];\n  while (q.length > 0) {\n    out.push(q.shift());\n  }\n  return out;\n}\n',
    after: /let head = 0;[\s\S]*\(q\.length - head\) > 0[\s\S]*q\[head\+\+\]/,
    call: '[1, 2, 3]',
  },
  {
    what: 'a recursion remembers within a call',
    operator: named('memoiseRecursion'),
    before: 'function f(a, b) {\n  if (a === 0 || b === 0) return 1;\n  return f(a - 1, b) + f(a, b - 1);\n}\n',
    after: /if \(memo\.has\(key\)\) return memo\.get\(key\);/,
    call: '6, 5',
  },
  {
    what: 'loops that swap become a sort',
    operator: named('swapsToSort'),
    before:
      'function f(xs) {\n  const a = [...xs];\n  for (let i = 0; i < a.length; i++) {\n    for (let j = 0; j < a.length - 1; j++) {\n      if (a[j] > a[j + 1]) {\n        [a[j], a[j + 1]] = [a[j + 1], a[j]];\n      }\n    }\n  }\n  return a;\n}\n',
    after: /a\.sort\(\(a, b\) => \(a < b \? -1 : a > b \? 1 : 0\)\);/,
    call: '[3, 1, 2]',
  },
];

/** The results of all texts, which share one process. */
function pythonResults(calls: readonly { text: string; call: string }[]): unknown {
  const code =
    'import json, sys\nout = []\nfor one in json.load(sys.stdin):\n    names = {}\n    exec(one["text"], names)\n    out.append(repr(eval("f(" + one["call"] + ")", names)))\nprint(json.dumps(out))';
  return JSON.parse(execFileSync('python3', ['-c', code], { input: JSON.stringify(calls), encoding: 'utf8' }));
}

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

  for (const each of javascript) {
    it(`in JavaScript: ${each.what}, and compute the same`, async () => {
      const text = await texts('mjs', each);
      const result = (code: string) => JSON.stringify(new Function(`${code}\nreturn f(${each.call});`)());
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

  it('raise no error on any function of the benchmarks', async () => {
    const all = [...new Set([...python, ...javascript].map(({ operator }) => operator))];
    const folder = join(import.meta.dirname, '..', '..', 'bench', 'offline');
    for (const language of ['python', 'javascript']) {
      for (const file of readdirSync(join(folder, language))) {
        const text = readFileSync(join(folder, language, file), 'utf8');
        const fn = /^(?:def|export function) (\w+)/m.exec(text)?.[1] ?? '';
        const program = await programOf(file, text, fn);
        for (const operator of all) await childrenOf(program, operator);
      }
    }
  });
});
