/** Examples of scans in helper functions, callbacks and sort keys, of what is remembered, and of programs that are left alone. */
import { type Case, named } from './semantic-cases.ts';

export const pythonScans: Case[] = [
  {
    what: 'items of a kind, or all where none is asked for',
    operator: named('scanToIndex'),
    before:
      'def f(xs, kinds):\n    out = []\n    for kind in kinds:\n        found = [x["n"] for x in xs if kind is None or x["kind"] == kind]\n        for x in xs:\n            if kind is not None and x["kind"] != kind:\n                continue\n            found.append(x["n"])\n        out.append(found)\n    return out\n',
    after:
      /for x in \(xs if kind is None else \(xs_by_kind\.get\(kind, \(\)\) if xs_by_kind else xs\)\) if kind is None[\s\S]*for x in \(xs if not \(kind is not None\) else /,
    call: '[{"n": 1, "kind": "a"}, {"n": 2, "kind": "b"}, {"n": 3, "kind": None}], ["a", None, "c"]',
  },
  {
    what: 'a scan in a local function looks up in an index that is made before the function',
    operator: named('scanToIndex'),
    before:
      'def f(rows):\n    out = []\n\n    def children_of(parent):\n        return [row for row in rows if row["parent"] == parent]\n\n    def visit(row):\n        out.append(row["id"])\n        for child in children_of(row["id"]):\n            visit(child)\n\n    for row in children_of(0):\n        visit(row)\n    return out\n',
    after: / {8}rows_by_parent\.clear\(\)\n {4}def children_of\(parent\):/,
    call: '[{"id": 1, "parent": 0}, {"id": 2, "parent": 1}, {"id": 3, "parent": 0}, {"id": 4, "parent": 2}]',
  },
  {
    what: 'scans by one key share an index',
    operator: named('scanToIndex'),
    before:
      'def f(xs, ys):\n    out = []\n    for x in xs:\n        n = sum(y["n"] for y in ys if y["k"] == x)\n        m = sum(one["m"] if one["k"] == x else 0 for one in ys)\n        out.append((n, m))\n    return out\n',
    after:
      /for y in \(ys_by_k\.get\(x, \(\)\) if ys_by_k else ys\)[\s\S]*for one in \(ys_by_k\.get\(x, \(\)\) if ys_by_k else ys\)\)/,
    call: '[1, 2], [{"k": 1, "n": 1, "m": 2}, {"k": 1, "n": 3, "m": 1}]',
  },
  {
    what: 'a scan in the key of a sort looks up',
    operator: named('scanToIndex'),
    before: 'def f(xs, ys):\n    return sorted(xs, key=lambda x: (len([y for y in ys if y[0] == x]), x))\n',
    after: /by_key\.clear\(\)\n {4}return sorted\(xs, key=lambda x: \(len\(\[y for y in \(by_key\.get\(x, \(\)\)/,
    call: '[3, 1, 2], [(1, 2), (1, 3), (3, 3)]',
  },
  {
    what: 'items without the key are searched as before',
    operator: named('scanToIndex'),
    before:
      'def f(xs, ys):\n    out = []\n    for x in xs:\n        for y in ys:\n            if y["k"] == x:\n                out.append(y)\n    return out\n',
    after: /except Exception:\n {8}ys_by_k\.clear\(\)/,
    call: '[], [{"k": 1}, {"n": 1}]',
  },
  {
    what: 'the name of the item may be that of another behind the scan',
    operator: named('growingScanToIndex'),
    before:
      'def f(xs):\n    out = []\n    for x in xs:\n        found = None\n        for one in out:\n            if one[0] == x:\n                found = one\n        if found is None:\n            found = [x, 0]\n            out.append(found)\n        found[1] += 1\n    out.sort(key=lambda one: one[1])\n    return out\n',
    after: /for one in out\[filed:\]:[\s\S]*for one in by_key\.get\(x, \(\)\):/,
    call: '[1, 2, 1, 3, 2, 1]',
  },
  {
    what: 'pairs are kept in a set as tuples',
    operator: named('membershipToSet'),
    before:
      'def f(xs):\n    out = []\n    for x in xs:\n        pair = [x, x % 3]\n        if pair not in out and [x % 3, x] not in out:\n            out.append(pair)\n    return out\n',
    after: /if tuple\(pair\) not in out_set and tuple\(\[x % 3, x\]\) not in out_set:[\s\S]*out_set\.add\(tuple\(pair\)\)/,
    call: '[1, 4, 1, 2, 0]',
  },
  {
    what: 'a part of the first that is equal comes from a table',
    operator: named('findToTable'),
    before: 'def f(xs, ys):\n    return [next((y["n"] for y in ys if y["k"] == x), None) for x in xs]\n',
    after: /ys_by_k\.setdefault\(y\["k"\], y\["n"\]\)/,
    call: '[1, 2, 3], [{"k": 2, "n": 1}, {"k": 2, "n": 2}]',
  },
  {
    what: 'a place is remembered, and what has none is searched as before',
    operator: named('tableOfCounts'),
    before: 'def f(xs, ys):\n    return [ys.index(x) for x in xs]\n',
    after: /\(positions\[x\] if x in positions else ys\.index\(x\)\)/,
    call: '[1, 2], [2, 1, 2]',
  },
  {
    what: 'what a function of the file returns is remembered by both of its arguments',
    operator: named('rememberByValue'),
    before:
      'def f(xs, ys):\n    out = []\n    for x in xs:\n        near = [y for y in ys if distance(x, y) < 3]\n        near.sort(key=lambda y: (distance(x, y), y))\n        out.append(near)\n    return out\n\n\ndef distance(a, b):\n    return abs(a - b)\n',
    after: /seen\[\(x, y\)\] if \(x, y\) in seen else seen\.setdefault\(\(x, y\), distance\(x, y\)\)/,
    call: '[1, 5, 1], [2, 3, 4, 8]',
  },
  {
    what: 'the greatest so far is found once for each place',
    operator: named('sliceExtremeToList'),
    before: 'def f(xs):\n    return [max(xs[:i + 1]) for i in range(len(xs))]\n',
    after: /highest_of = list\(accumulate\(xs, max\)\)[\s\S]*if 0 < i \+ 1 <= len\(highest_of\) else max\(xs\[:i \+ 1\]\)/,
    call: '[1, 3, 2, 5]',
  },
  {
    what: 'the least that is left is found once for each place',
    operator: named('sliceExtremeToList'),
    before: 'def f(xs):\n    out = []\n    for i in range(len(xs)):\n        out.append(xs[i] - min(xs[i:]))\n    return out\n',
    after: /lowest_of\[-1 - \(i\)\] if 0 <= i < len\(lowest_of\) else min\(xs\[i:\]\)/,
    call: '[4, 3, 5, 1]',
  },
  {
    what: 'what an inner loop builds up of one value is remembered by the value',
    operator: named('rememberBuilt'),
    before:
      'def f(xs, bounds):\n    out = []\n    for bound in bounds:\n        for x in xs:\n            best = 0\n            for each in bounds:\n                if each <= x:\n                    best = each\n            if best == bound:\n                out.append(x)\n    return out\n',
    after: /if x not in known_best:\n {16}best = 0\n[\s\S]*known_best\[x\] = best\n {12}best = known_best\[x\]/,
    call: '[1, 7, 4, 1], [0, 2, 5]',
  },
];

export const javascriptScans: Case[] = [
  {
    what: 'items of a kind, or all where none is asked for, in a function',
    operator: named('scanToIndex'),
    before:
      'function f(xs, kinds) {\n  const of = (kind) => xs.filter((x) => !kind || x.kind === kind).map((x) => x.n);\n  return kinds.map((kind) => of(kind));\n}\n',
    after: /const of = \(kind\) => \(!kind \? xs : \(xsByKind\.size > 0 \? xsByKind\.get\(kind\) \?\? \[\] : xs\)\)\.filter/,
    call: "[{ n: 1, kind: 'a' }, { n: 2, kind: 'b' }, { n: 3 }], ['a', '', 'c', null]",
  },
  {
    what: 'callbacks that skip or add nothing look up in one index',
    operator: named('scanToIndex'),
    before:
      'function f(xs, ys) {\n  return xs.map((x) => {\n    let n = 0;\n    ys.forEach((y) => {\n      if (y.k !== x) return;\n      n += y.n;\n    });\n    const m = ys.reduce((sum, one) => (one.k === x ? sum + one.n : sum), 0);\n    const p = ys.reduce((sum, y) => sum + (y.k === x ? y.n : 0), 0);\n    return [n, m, p, ys.filter((y) => {\n      return y.k === x;\n    }).length];\n  });\n}\n',
    after:
      /: ys\)\.forEach\(\(y\)[\s\S]*: ys\)\.reduce\(\(sum, one\)[\s\S]*: ys\)\.reduce\(\(sum, y\)[\s\S]*: ys\)\.filter\(\(y\) => \{/,
    call: '[1, 2], [{ k: 1, n: 1 }, { k: 1, n: 3 }, { k: 3, n: 1 }]',
  },
  {
    what: 'a scan in a local function looks up',
    operator: named('scanToIndex'),
    before:
      'function f(rows) {\n  const childrenOf = (id) => rows.filter((row) => row.parent === id);\n  const depth = (id) => (id > 9 ? 0 : 1 + Math.max(0, ...childrenOf(id).map((row) => depth(row.id))));\n  return depth(0);\n}\n',
    after: /rowsByParent\.clear\(\);\n {2}\}\n {2}const childrenOf = \(id\) => \(rowsByParent\.size > 0/,
    call: '[{ id: 1, parent: 0 }, { id: 2, parent: 1 }]',
  },
  {
    what: 'the place of the first that is equal comes from a table',
    operator: named('findToTable'),
    before: 'function f(xs) {\n  return xs.filter((x, i) => xs.findIndex((y) => y.id === x.id) === i);\n}\n',
    after: /if \(!xsById\.has\(y\.id\)\) xsById\.set\(y\.id, at\);[\s\S]*xsById\.get\(x\.id\) \?\? -1/,
    call: '[{ id: 1, n: 1 }, { id: 1, n: 2 }, { id: 2, n: 1 }]',
  },
  {
    what: 'items that are nothing are searched as before',
    operator: named('findToTable'),
    before: 'function f(xs, ys) {\n  return xs.filter((x) => !ys.some((y) => y.id === x.id));\n}\n',
    after: /\} catch \{\n {4}ysIds\.clear\(\);/,
    call: '[], [null, { id: 1 }]',
  },
  {
    what: 'a list is not copied, also where the statement stands in no block',
    operator: named('copyToAppend'),
    before: 'function f(xs) {\n  let out = [];\n  for (const x of xs) if (x > 1) out = [...out, x];\n  return out;\n}\n',
    after: /if \(x > 1\) out\.push\(x\);/,
    call: '[1, 2, 3]',
  },
  {
    what: 'what a function of the file returns is remembered',
    operator: named('rememberByValue'),
    before:
      'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    const size = weight(x.k);\n    out.push(size * x.n);\n  }\n  return out;\n}\nfunction weight(k) {\n  return String(k).repeat(3).length;\n}\n',
    after: /let size = sizeByK\.get\(x\.k\);/,
    call: '[{ k: 1, n: 2 }, { k: 12, n: 1 }, { k: 1, n: 3 }]',
  },
  {
    what: 'the greatest so far is found once for each place',
    operator: named('sliceExtremeToList'),
    before: 'function f(xs) {\n  return xs.map((x, i) => x - Math.max(...xs.slice(0, i + 1)) + Math.min(...xs.slice(i)));\n}\n',
    after: /highestOf\[i \+ 1 - 1\] \?\? Math\.max/,
    call: '[1, 3, 2, 5]',
  },
  {
    what: 'what an inner loop builds up of one value is remembered by the value',
    operator: named('rememberBuilt'),
    before:
      'function f(xs, bounds) {\n  const out = [];\n  for (const bound of bounds) {\n    for (const x of xs) {\n      let best = 0;\n      for (const each of bounds) {\n        if (each <= x.n) best = each;\n      }\n      if (best === bound) out.push(x.n);\n    }\n  }\n  return out;\n}\n',
    after: /let best = bestBy\.get\(x\.n\);\n {6}if \(best === undefined\) \{\n {8}best = 0;/,
    call: '[{ n: 1 }, { n: 7 }, { n: 4 }, { n: 1 }], [0, 2, 5]',
  },
];

/** Programs in which the operator must find nothing to do. */
export const untouched: { what: string; operator: Case['operator']; path: string; text: string }[] = [
  {
    what: 'the sequence that a comprehension runs over, which is evaluated once as it is',
    operator: named('workOutOnce'),
    path: 'a.py',
    text: 'def f(xs):\n    return [x for x in sorted(xs, key=abs)]\n',
  },
  {
    what: 'a scan in a local function of a list that grows afterwards',
    operator: named('scanToIndex'),
    path: 'a.py',
    text: 'def f(xs):\n    rows = []\n\n    def of(k):\n        return [row for row in rows if row[0] == k]\n\n    for x in xs:\n        rows.append(x)\n        of(x[0])\n    return [of(1), of(2)]\n',
  },
  {
    what: 'a scan in a local function that is called once',
    operator: named('scanToIndex'),
    path: 'a.mjs',
    text: 'function f(rows) {\n  const of = (k) => rows.filter((row) => row.k === k);\n  return of(1);\n}\n',
  },
  {
    what: 'a scan in a function that is called before it is declared',
    operator: named('scanToIndex'),
    path: 'a.mjs',
    text: 'function f(rows) {\n  const all = [of(1), of(2)];\n  function of(k) {\n    return rows.filter((row) => row.k === k);\n  }\n  return all;\n}\n',
  },
  {
    what: 'a sum that adds something for the other items too',
    operator: named('scanToIndex'),
    path: 'a.py',
    text: 'def f(xs, ys):\n    return [sum(y[1] if y[0] == x else 1 for y in ys) for x in xs]\n',
  },
  {
    what: 'a reduction that changes what it has for the other items too',
    operator: named('scanToIndex'),
    path: 'a.mjs',
    text: 'function f(xs, ys) {\n  return xs.map((x) => ys.reduce((n, y) => (y.k === x ? n + 1 : n - 1), 0));\n}\n',
  },
  {
    what: 'the part of an item that the loop adds to',
    operator: named('membershipToSet'),
    path: 'a.py',
    text: 'def f(xs, one):\n    for x in xs:\n        if x not in one["seen"]:\n            one["seen"].append(x)\n    return one\n',
  },
  {
    what: 'a set that is one',
    operator: named('membershipToSet'),
    path: 'a.py',
    text: 'def f(xs, ys):\n    known = set(ys)\n    return [x for x in xs if x not in known]\n',
  },
  {
    what: 'a function that depends on what the loop changes',
    operator: named('rememberByValue'),
    path: 'a.mjs',
    text: 'function f(xs) {\n  const hours = new Map();\n  const hoursOf = (x) => hours.get(x.name) ?? 0;\n  for (const x of xs) {\n    hours.set(x.name, hoursOf(x) + 1);\n  }\n  return [...hours];\n}\n',
  },
  {
    what: 'a function that is called for what it does',
    operator: named('rememberByValue'),
    path: 'a.py',
    text: 'def f(xs):\n    out = []\n\n    def note(x):\n        out.append(x)\n\n    for x in xs:\n        note(x)\n    return out\n',
  },
  {
    what: 'a recursion that returns nothing',
    operator: named('memoiseRecursion'),
    path: 'a.py',
    text: 'def f(n, out):\n    if n > 0:\n        out.append(n)\n        f(n - 1, out)\n',
  },
  {
    what: 'a list that each pass keeps',
    operator: named('buildOnce'),
    path: 'a.py',
    text: 'def f(n, m):\n    table = []\n    for i in range(n):\n        row = []\n        for j in range(m):\n            row.append(0)\n        table.append(row)\n    return table\n',
  },
  {
    what: 'what an inner loop builds up of one value in one loop',
    operator: named('rememberBuilt'),
    path: 'a.py',
    text: 'def f(xs, ys):\n    out = []\n    for x in xs:\n        n = 0\n        for y in ys:\n            n += x * y\n        out.append(n)\n    return out\n',
  },
  {
    what: 'the greatest of a window',
    operator: named('sliceExtremeToList'),
    path: 'a.py',
    text: 'def f(xs):\n    return [max(xs[i:i + 3]) for i in range(len(xs))]\n',
  },
];
