/** An example of each operator that replaces an idiom: the text before, what the text after must show, and a call. */
import assert from 'node:assert/strict';
import { operators } from '../../../../daemon/evolution/mutators/structural.ts';
import type { Operator } from '../../../../daemon/evolution/mutators/structural-edit.ts';

/** One of those that the mutator draws. */
export function named(name: string): Operator {
  const found = operators.find(([, operator]) => operator.name === name);
  assert.ok(found !== undefined, name);
  return found[1];
}

export interface Case {
  readonly what: string;
  readonly operator: Operator;
  readonly before: string;
  readonly after: RegExp;
  /** Arguments, as the language writes them: the result must be the same. */
  readonly call: string;
}

export const python: Case[] = [
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
  {
    what: 'a scan of a list that grows looks up what has been added',
    operator: named('growingScanToIndex'),
    before:
      'def f(xs):\n    groups = []\n    for x in xs:\n        found = False\n        for group in groups:\n            if group[0] % 3 == x % 3:\n                group.append(x)\n                found = True\n                break\n        if not found:\n            groups.append([x])\n    return groups\n',
    after:
      /by_key = \{\}\n {4}filed = 0\n {4}for x in xs:[\s\S]*for group in groups\[filed:\]:\n {12}by_key\.setdefault\(group\[0\] % 3, \[\]\)\.append\(group\)\n {8}filed = len\(groups\)\n {8}for group in by_key\.get\(x % 3, \(\)\):/,
    call: '[3, 1, 4, 1, 5, 9, 2, 6]',
  },
  {
    what: 'a search for the first match goes no further than the match',
    operator: named('firstMatchToIndex'),
    before:
      'def f(xs):\n    out = []\n    for x in [1, 1, 2]:\n        for key, value in xs:\n            if key == x:\n                out.append(value)\n                break\n    return out\n',
    after: /while x not in by_key and filed < len\(xs\):\n {12}key, value = xs\[filed\]/,
    call: '[(2, "b"), (1, "a"), (1, "c"), None]',
  },
  {
    what: 'a loop that counts what is greater asks the sorted list',
    operator: named('countToSorted'),
    before:
      'def f(xs):\n    out = []\n    for x in xs:\n        n = 0\n        for y in xs:\n            if x < y:\n                n = n + 1\n        out.append(n)\n    return out\n',
    after: /in_order = sorted\(y for y in xs\)[\s\S]*n \+= \(len\(in_order\) - bisect_right\(in_order, x\)\)/,
    call: '[3, 1, 4, 1, 5, 9, 2, 6]',
  },
  {
    what: 'a sum of ones over what is at least a bound asks the sorted list',
    operator: named('countToSorted'),
    before: 'def f(xs):\n    return [sum(1 for y in xs if y[0] >= k) for k in range(5)]\n',
    after: /\[\(len\(in_order\) - bisect_left\(in_order, k\)\) for k in range\(5\)\]/,
    call: '[(3, 1), (1, 2), (3, 0)]',
  },
  {
    what: 'a loop over a growing list looks at the last item only',
    operator: named('scanToLast'),
    before:
      'def f(xs):\n    out = []\n    for a, b in sorted(xs):\n        new = True\n        for one in out:\n            if one[0] <= a <= one[1]:\n                one[1] = max(one[1], b)\n                new = False\n        if new:\n            out.append([a, b])\n    return out\n',
    after: /for one in out\[-1:\]:/,
    call: '[(5, 9), (1, 3), (3, 4), (8, 12)]',
  },
  {
    what: 'what an inner loop works out of each item is worked out once',
    operator: named('itemValueOnce'),
    before:
      'def f(xs):\n    out = []\n    for n in range(3):\n        for line in xs:\n            a, b = line.split("-")\n            if int(a) <= n < int(b):\n                out.append(line)\n    return out\n',
    after:
      /values = \[\(line, line\.split\("-"\)\) for line in xs\]\n {4}for n in range\(3\):\n {8}for line, \(a, b\) in values:\n {12}if int/,
    call: '["0-2", "1-5"]',
  },
];

export const javascript: Case[] = [
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
  {
    what: 'find in a list that grows looks up what has been added',
    operator: named('growingScanToIndex'),
    before:
      'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    const known = out.find((one) => one.x === x);\n    if (known) {\n      known.n++;\n    } else {\n      out.push({ x, n: 1 });\n    }\n  }\n  return out;\n}\n',
    after: /for \(; filed < out\.length; filed\+\+\) \{\n {6}const one = out\[filed\];[\s\S]*\(byKey\.get\(x\) \?\? \[\]\)\.find/,
    call: '[2, 1, 2, 2]',
  },
  {
    what: 'find goes no further than the match',
    operator: named('firstMatchToIndex'),
    before:
      'function f(xs) {\n  return [1, 1, 2].map((id) => {\n    const one = xs.find((x) => x.id === id);\n    return one.name;\n  });\n}\n',
    after: /while \(!byKey\.has\(id\) && filed < xs\.length\) \{[\s\S]*\(byKey\.has\(id\) \? \[byKey\.get\(id\)\] : \[\]\)\.find/,
    call: '[{ id: 2, name: "b" }, { id: 1, name: "a" }, null]',
  },
  {
    what: 'the length of a filter by size comes from the sorted list',
    operator: named('countToSorted'),
    before: 'function f(xs) {\n  return xs.map((x) => xs.filter((y) => y.size <= x.size).length);\n}\n',
    after: /inOrder = Array\.from\(xs, \(y\) => y\.size\)\.sort[\s\S]*xs\.map\(\(x\) => placeOf\(x\.size\)\)/,
    call: '[{ size: 3 }, { size: 1 }, { size: 3 }]',
  },
  {
    what: 'a counting loop comes from the sorted list',
    operator: named('countToSorted'),
    before:
      'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    let n = 0;\n    for (const y of xs) {\n      if (y > x) n++;\n    }\n    out.push(n);\n  }\n  return out;\n}\n',
    after: /n \+= \(inOrder\.length - placeOf\(x\)\);/,
    call: '[3, 1, 4, 1, 5]',
  },
  {
    what: 'a counted loop over a growing list looks at the last item only',
    operator: named('scanToLast'),
    before:
      'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    let isNew = true;\n    for (let i = 0; i < out.length; i++) {\n      if (out[i] === x) isNew = false;\n    }\n    if (isNew) out.push(x);\n  }\n  return out;\n}\n',
    after: /for \(let i = Math\.max\(0, out\.length - 1\); i < out\.length; i\+\+\)/,
    call: '[1, 1, 2, 3, 3]',
  },
  {
    what: 'what an inner loop works out of each item is worked out once',
    operator: named('itemValueOnce'),
    before:
      "function f(xs) {\n  const out = [];\n  for (let n = 0; n < 3; n++) {\n    for (const line of xs) {\n      const [a, b] = line.split('-');\n      if (a <= n && n < b) out.push(line);\n    }\n  }\n  return out;\n}\n",
    after:
      /const values = Array\.from\(xs, \(line\) => \[line, line\.split\('-'\)\]\);\n {2}for \(let n[\s\S]*for \(const \[line, \[a, b\]\] of values\) \{\n {6}if/,
    call: "['0-2', '1-5']",
  },
  {
    what: 'what a callback works out of each item is worked out once',
    operator: named('itemValueOnce'),
    before:
      'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    for (const y of xs) {\n      const sum = y.reduce((a, b) => a + b, 0);\n      if (sum > x[0]) out.push(sum);\n    }\n  }\n  return out;\n}\n',
    after: /Array\.from\(xs, \(y\) => \[y, y\.reduce\(\(a, b\) => a \+ b, 0\)\]\)/,
    call: '[[1, 2], [4]]',
  },
  {
    what: 'an item is pushed in place of a concatenation',
    operator: named('copyToAppend'),
    before:
      "function f(xs) {\n  let out = [];\n  for (const x of xs) {\n    out = out.concat([x[0] ?? '']);\n  }\n  return out;\n}\n",
    after: /out\.push\(x\[0\] \?\? ''\);/,
    call: '[[1], [], [2]]',
  },
  {
    what: 'what is added to a list may be a list itself',
    operator: named('copyToAppend'),
    before: 'function f(xs) {\n  let out = [];\n  for (const x of xs) {\n    out = out.concat(x);\n  }\n  return out;\n}\n',
    after: /out\.push\(\.\.\.\[x\]\.flat\(\)\);/,
    call: '[[1, [2]], 3, []]',
  },
];
