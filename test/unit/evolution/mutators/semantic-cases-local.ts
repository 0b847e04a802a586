/** Examples of the operators for functions of the file, spans, copies, dates and parts of a list; and what they leave alone. */
import { type Case, named } from './semantic-cases.ts';

export const pythonLocal: Case[] = [
  {
    what: 'a function that gets the same list each time is brought in',
    operator: named('localHelper'),
    before:
      'def f(rows):\n    return [depth(row["name"], rows) for row in rows]\n\n\ndef depth(name, all_rows):\n    for row in all_rows:\n        if row["name"] == name and row["boss"] != name:\n            return 1 + depth(row["boss"], all_rows)\n    return 0\n',
    after:
      /def depth_here\(name\):\n {8}for row in rows:\n[\s\S]*return 1 \+ depth_here\(row\["boss"\]\)\n[\s\S]*return \[depth_here\(row\["name"\]\) for row in rows\]/,
    call: '[{"name": "a", "boss": ""}, {"name": "b", "boss": "a"}]',
  },
  {
    what: 'arguments before and between others are dropped',
    operator: named('localHelper'),
    before:
      'def f(xs, n):\n    out = 0\n    for x in xs:\n        out += add(n, x, xs, 2)\n    return out\n\n\ndef add(a, b, c, d):\n    return a + b + len(c) + d\n',
    after: /def add_here\(b, d\):\n {8}return n \+ b \+ len\(xs\) \+ d\n {4}for x in xs:\n {8}out \+= add_here\(x, 2\)/,
    call: '[1, 2], 3',
  },
  {
    what: 'a recursion remembers what it has returned, and forgets the path that it only checks',
    operator: named('rememberingHelper'),
    before:
      'def f(tasks):\n    return [end_of(tasks, task, []) for task in tasks]\n\n\ndef end_of(tasks, task, path):\n    if task["name"] in path:\n        raise ValueError(task["name"])\n    start = 0\n    for other in tasks:\n        if other["name"] in task["after"]:\n            start = max(start, end_of(tasks, other, path + [task["name"]]))\n    return start + task["days"]\n',
    after:
      /known_end_of = \{\}\n {4}def end_of_here\(task, path\):\n {8}key = id\(task\)\n {8}if key not in known_end_of:\n {12}known_end_of\[key\] = \(work_out_end_of\(task, path\), task\)\n {8}return known_end_of\[key\]\[0\]/,
    call: '[{"name": "a", "after": [], "days": 2}, {"name": "b", "after": ["a"], "days": 3}, {"name": "c", "after": ["a", "b"], "days": 1}]',
  },
  {
    what: 'a function of the file is copied without its description',
    operator: named('rememberingHelper'),
    before:
      'def f(parts, orders):\n    return [cost(order, parts) * 2 for order in orders]\n\n\ndef cost(key, parts):\n    """Cost of a part,\n\n    with all it contains.\n    """\n    part = parts[key]\n    return part["price"] + sum(cost(inner, parts) for inner in part["of"])\n',
    after:
      /def work_out_cost\(key\):\n {8}part = parts\[key\]\n {8}return part\["price"\] \+ sum\(cost_here\(inner\) for inner in part\["of"\]\)/,
    call: '{"a": {"price": 1, "of": ["b", "b"]}, "b": {"price": 2, "of": []}}, ["a", "b"]',
  },
  {
    what: 'a function of values is remembered by them',
    operator: named('rememberingHelper'),
    before:
      'def f(xs, ys):\n    return sorted(xs, key=lambda x: [gap(x, y) for y in ys])\n\n\ndef gap(a, b):\n    return sum(1 for c in str(a) if c in str(b))\n',
    after: /key = \(a, b\)\n {8}if key not in known_gap:\n {12}known_gap\[key\] = work_out_gap\(a, b\)/,
    call: '["ab", "bc", "ab"], ["b", "c"]',
  },
  {
    what: 'spans around a value are found between the values that are asked for',
    operator: named('scanToSpans'),
    before:
      'def f(spans, minutes):\n    out = []\n    for minute in minutes:\n        out.append([b for b in spans if b[0] <= minute and minute < b[1]])\n    return out\n',
    after:
      /cuts = sorted\(\{minute for minute in minutes\}\)[\s\S]*for at in range\(bisect_left\(cuts, b\[0\]\), bisect_right\(cuts, b\[1\]\)\):[\s\S]*for b in \(spanning\[bisect_right\(cuts, minute\) - 1\] if spanning else spans\)/,
    call: '[(1, 4), (2, 3), (5, 9), (3, 3)], [0, 1, 2, 3, 4, 7, 12]',
  },
  {
    what: 'spans that start before and end behind an item with a name of its own',
    operator: named('scanToSpans'),
    before:
      'def f(xs):\n    best = 0\n    for x in xs:\n        start = x["s"]\n        count = 0\n        for y in xs:\n            if not y["w"]:\n                continue\n            if y["s"] <= start <= y["e"]:\n                count += y["w"]\n        best = max(best, count)\n    return best\n',
    after:
      /cuts = sorted\(\{x\["s"\] for x in xs\}\)[\s\S]*for y in \(spanning\[bisect_right\(cuts, start\) - 1\] if spanning else xs\):/,
    call: '[{"s": 1, "e": 4, "w": 1}, {"s": 3, "e": 3, "w": 2}, {"s": 4, "e": 9, "w": 0}]',
  },
  {
    what: 'spans that do not hold a value are left out',
    operator: named('scanToSpans'),
    before:
      'def f(spans, xs):\n    count = 0\n    for x in sorted(xs):\n        for s, e in spans:\n            if x < s or e < x:\n                continue\n            count += 1\n    return count\n',
    after: /spanning\[at\]\.append\(\(s, e\)\)/,
    call: '[(1, 4), (2, 3), (5, 9)], [0, 1, 2, 3, 4, 7, 12]',
  },
  {
    what: 'copies of lists and dictionaries',
    operator: named('deepCopyToNested'),
    before:
      'import copy\n\n\ndef f(xs):\n    out = []\n    for x in xs:\n        own = copy.deepcopy(x)\n        own["n"] = copy.deepcopy(xs)\n        out.append(own)\n    return out\n',
    after:
      /return copy\.deepcopy\(value\)\n {4}out = \[\]\n {4}for x in xs:\n {8}own = copy_of\(x\)\n {8}own\["n"\] = copy_of\(xs\)/,
    call: '[{"a": [1, (2, [3])]}, {"b": None, "c": {"d": 1.5}}]',
  },
  {
    what: 'dates in the form of ISO',
    operator: named('parsedToIso'),
    before:
      'from datetime import datetime\n\n\ndef f(xs):\n    return sorted(xs, key=lambda x: datetime.strptime(x, "%Y-%m-%d"))\n',
    after:
      /\(datetime\.fromisoformat\(x\) if len\(x\) == 10 and x\[4\] == x\[7\] == "-" else datetime\.strptime\(x, "%Y-%m-%d"\)\)/,
    call: '["2024-01-02", "2023-1-5", "2023-12-31"]',
  },
  {
    what: 'dates in the form of ISO that a constant names, of texts that are put together',
    operator: named('parsedToIso'),
    before:
      'from datetime import datetime\n\nFORM = "%Y-%m-%d %H:%M"\n\n\ndef f(xs, time):\n    return [datetime.strptime(x + " " + time, FORM).hour for x in xs]\n',
    after:
      /\(datetime\.fromisoformat\(x \+ " " \+ time\) if len\(\(x \+ " " \+ time\)\) == 16 and .* else datetime\.strptime\(x \+ " " \+ time, FORM\)\)/,
    call: '["2024-01-02", "2023-1-5", "2023-12-31"], "10:30"',
  },
  {
    what: 'a function that calls another one again and again',
    operator: named('localHelper'),
    before:
      'def f(xs):\n    return [[same(x, y) for y in xs] for x in xs]\n\n\ndef same(a, b):\n    return norm(a) == norm(b)\n\n\ndef norm(text):\n    return " ".join(sorted(text.lower().split()))\n',
    after:
      /^def f\(xs\):\n {4}def same_here\(a, b\):\n {8}return norm\(a\) == norm\(b\)\n {4}return \[\[same_here\(x, y\) for y in xs\] for x in xs\]\n/,
    call: '["A b", "b a", "c"]',
  },
  {
    what: 'a function that a local function calls',
    operator: named('rememberingHelper'),
    before:
      'def f(xs):\n    def same(a, b):\n        return norm(a) == norm(b)\n    return [[same(x, y) for y in xs] for x in xs]\n\n\ndef norm(text):\n    return " ".join(sorted(text.lower().split()))\n',
    after:
      /known_norm = \{\}\n {4}def norm_here\(text\):[\s\S]*\n {4}def same\(a, b\):\n {8}return norm_here\(a\) == norm_here\(b\)\n/,
    call: '["A b", "b a", "c"]',
  },
  {
    what: 'sums of a part of the first items',
    operator: named('slicedSumToPrefix'),
    before:
      'def f(xs):\n    out = []\n    for i, x in enumerate(xs):\n        out.append(sum(y["n"] for y in xs[: i + 1] if y["n"] > 1))\n    return out\n',
    after:
      /values = \[y\["n"\] if y\["n"\] > 1 else 0 for y in xs\]\n {4}except Exception:\n {8}values = \[None\]\n[\s\S]*\(prefix\[i \+ 1\] if prefix and 0 <= i \+ 1 < len\(prefix\) else sum\(/,
    call: '[{"n": 1}, {"n": 4}, {"n": 3}]',
  },
  {
    what: 'a loop that adds up the items before one',
    operator: named('slicedSumToPrefix'),
    before:
      'def f(xs):\n    out = []\n    for n, x in enumerate(xs, start=1):\n        total = 0\n        for each in xs[: n - 1]:\n            total += each[0] * 2\n        out.append(total)\n    return out\n',
    after: /values = \[each\[0\] \* 2 for each in xs\][\s\S]*total \+= \(prefix\[n - 1\] if /,
    call: '[[1], [4], [3]]',
  },
  {
    what: 'the least part of the first items',
    operator: named('sliceExtremeToList'),
    before: 'def f(xs):\n    return [min(y["n"] for y in xs[: i + 1]) for i in range(len(xs))]\n',
    after: /values = \[y\["n"\] for y in xs\][\s\S]*lowest_of = list\(accumulate\(values, min\)\)/,
    call: '[{"n": 3}, {"n": 4}, {"n": 1}]',
  },
  {
    what: 'a condition with a choice next to what must be equal',
    operator: named('scanToIndex'),
    before:
      'def f(xs, ys):\n    out = []\n    for x in xs:\n        for y in ys:\n            if y[0] == x and (y[1] > 2 or y[1] < x):\n                out.append(y)\n    return out\n',
    after: /for y in \(by_key\.get\(x, \(\)\) if by_key else ys\):/,
    call: '[1, 2, 3], [[1, 0], [1, 2], [2, 5]]',
  },
  {
    what: 'the most frequent item by a count of its own',
    operator: named('countKeyToCounter'),
    before: 'def f(xs, ys):\n    return max(ys, key=xs.count) if ys else None\n',
    after: /from collections import Counter\n {4}return max\(ys, key=Counter\(xs\)\.__getitem__\)/,
    call: '[1, 2, 2, 3, 3], [3, 2, 9]',
  },
  {
    what: 'a list that is sorted again by a key',
    operator: named('sortInLoop'),
    before:
      'def f(xs):\n    out = []\n    seen = []\n    for x in xs:\n        out.append(x)\n        out.sort(key=lambda pair: -pair[0])\n        seen.append(out[0])\n    return seen, out\n',
    after: /insort\(out, x, key=lambda pair: -pair\[0\]\)/,
    call: '[[2, 1], [4, 2], [2, 3], [4, 4]]',
  },
  {
    what: 'edges are found by either end where all others are passed over',
    operator: named('scanToKeys'),
    before:
      'def f(edges, xs):\n    out = []\n    for x in xs:\n        for a, b in edges:\n            if a == x:\n                other = b\n            elif b == x:\n                other = a\n            else:\n                continue\n            out.append(other)\n    return out\n',
    after: /for a, b in \(by_key\.get\(x, \(\)\) if by_key else edges\):/,
    call: '[(1, 2), (2, 3), (3, 3)], [1, 2, 3, 4]',
  },
  {
    what: 'sets of lists are remembered by the lists',
    operator: named('rememberByValue'),
    before:
      'def f(xs):\n    out = []\n    for a in xs:\n        for b in xs:\n            out.append(len(set(a["t"]) & set(b["t"])))\n    return out\n',
    after:
      /len\(\(seen\[id\(a\["t"\]\)\] if id\(a\["t"\]\) in seen else seen\.setdefault\(id\(a\["t"\]\), \(a\["t"\], set\(a\["t"\]\)\)\)\)\[1\]/,
    call: '[{"t": [1, 2]}, {"t": [2, 3]}, {"t": [2, 3]}]',
  },
  {
    what: 'the steps that make something of a text',
    operator: named('rememberSteps'),
    before:
      'def f(rows):\n    out = {}\n    for day, n in rows:\n        year, month = day.split("-")\n        half = int(year) * 2 + (int(month) - 1) // 6\n        out[half] = out.get(half, 0) + n\n    return out\n',
    after:
      /known_half = \{\}\n {4}for day, n in rows:\n {8}if day not in known_half:\n {12}year, month = day\.split\("-"\)\n {12}half = [^\n]*\n {12}known_half\[day\] = half\n {8}half = known_half\[day\]/,
    call: '[("2024-01", 3), ("2024-08", 1), ("2024-01", 2)]',
  },
  {
    what: 'either of two names is asked for as a list',
    operator: named('scanToKeys'),
    before: 'def f(games, teams):\n    return [len([g for g in games if team in (g["home"], g["away"])]) for team in teams]\n',
    after: /for key in dict\.fromkeys\(\[g\["home"\], g\["away"\]\]\):/,
    call: '[{"home": "a", "away": "b"}, {"home": "b", "away": "b"}], ["a", "b", "c"]',
  },
  {
    what: 'what begins with a text that ends with a sign',
    operator: named('scanToKeys'),
    before:
      'def f(files, folders):\n    out = []\n    for folder in folders:\n        out.append(sum(x["n"] for x in files if x["path"].startswith(folder + "/")))\n    return out\n',
    after:
      /for key in dict\.fromkeys\(\(x\["path"\]\[: end \+ 1\] for end, sign in enumerate\(x\["path"\]\) if sign == "\/"\)\):[\s\S]*by_key\.get\(folder \+ "\/", \(\)\)/,
    call: '[{"path": "a/b/c", "n": 2}, {"path": "a/c", "n": 3}, {"path": "b", "n": 4}], ["a", "a/b", "b", ""]',
  },
  {
    what: 'what begins with any text',
    operator: named('scanToKeys'),
    before: 'def f(words, starts):\n    return {s: [w for w in words if w.startswith(s)] for s in starts}\n',
    after: /for key in dict\.fromkeys\(\(w\[:end\] for end in range\(len\(w\) \+ 1\)\)\):/,
    call: '["abc", "abd", "b", ""], ["a", "ab", "", "c"]',
  },
  {
    what: 'parts of the items of a list that grows',
    operator: named('earlierToSet'),
    before:
      'def f(xs):\n    rows = []\n    for x in xs:\n        if x not in [row["id"] for row in rows]:\n            rows.append({"id": x})\n    return rows\n',
    after: /while filed < len\(rows\) and x not in rows_by_id:[\s\S]*if x not in rows_by_id:/,
    call: '[1, 2, 1, 3, 2]',
  },
  {
    what: 'a function in the function remembers what it has returned',
    operator: named('rememberingInner'),
    before:
      'def f(xs, n):\n    def ways(i, left):\n        if i == len(xs):\n            return 1 if left == 0 else 0\n        return ways(i + 1, left) + ways(i + 1, left - xs[i])\n\n    return [ways(0, k) for k in range(n)]\n',
    after:
      /def work_out_ways\(i, left\):\n[\s\S]*return ways\(i \+ 1, left\) \+ ways\(i \+ 1, left - xs\[i\]\)\n {4}known_ways = \{\}\n {4}def ways\(i, left\):\n {8}key = \(i, left\)\n/,
    call: '[1, 2, 1], 4',
  },
  {
    what: 'counts in a function in the function are made around it',
    operator: named('countToTable'),
    before:
      'def f(rows, ids):\n    def count(k):\n        found = len([row for row in rows if row["k"] == k])\n        return found\n\n    return [count(each) for each in ids]\n',
    after: /^ {4}counts = \{\}\n {4}for row in rows:[\s\S]*def count\(k\):\n {8}found = counts\.get\(k, 0\)/m,
    call: '[{"k": 1}, {"k": 2}, {"k": 1}], [1, 2, 3]',
  },
];

export const javascriptLocal: Case[] = [
  {
    what: 'a function that a local function calls, which is declared behind its calls',
    operator: named('rememberingHelper'),
    before:
      "export function f(xs) {\n  const out = xs.map((x) => xs.filter((y) => same(x, y)).length);\n  return out;\n  function same(a, b) {\n    return norm(a) === norm(b);\n  }\n}\n\nfunction norm(text) {\n  return text.toLowerCase().split(' ').sort().join(' ');\n}\n",
    after:
      /^export function f\(xs\) \{\n {2}function workOutNorm\(text\) \{[\s\S]*const knownNorm = new Map\(\);[\s\S]*const out = [\s\S]*return normHere\(a\) === normHere\(b\);/,
    call: "['A b', 'b a', 'c']",
  },
  {
    what: 'a function that gets the same list each time is brought in',
    operator: named('localHelper'),
    before:
      'export function f(rows) {\n  return build(rows, 0);\n}\nfunction build(list, parent) {\n  return list.filter((row) => row.parent === parent).map((row) => [row.id, build(list, row.id)]);\n}\n',
    after:
      /function buildHere\(parent\) \{\n {4}return rows\.filter\(\(row\) => row\.parent === parent\)\.map\(\(row\) => \[row\.id, buildHere\(row\.id\)\]\);\n {2}\}\n {2}return buildHere\(0\);/,
    call: '[{ id: 1, parent: 0 }, { id: 2, parent: 1 }]',
  },
  {
    what: 'a recursion remembers what it has returned',
    operator: named('rememberingHelper'),
    before:
      'export function f(xs) {\n  return xs.map((x) => ways(x, 3));\n}\nfunction ways(n, k) {\n  if (n <= 0 || k <= 0) return n <= 0 ? 1 : 0;\n  return ways(n - k, k) + ways(n, k - 1);\n}\n',
    after:
      /const knownWays = new Map\(\);\n {2}function waysHere\(n, k\) \{\n {4}const key = JSON\.stringify\(\[n, k\]\);\n\s*const found = knownWays\.get\(key\);/,
    call: '[3, 5, 3]',
  },
  {
    what: 'spans around an hour',
    operator: named('scanToSpans'),
    before:
      'function f(shifts, open, close) {\n  const out = [];\n  for (let hour = open; hour < close; hour++) {\n    out.push(shifts.filter((s) => s.from <= hour && s.to > hour).length);\n  }\n  return out;\n}\n',
    after:
      /Array\.from\(\{ length: Math\.max\(0, close - open\) \|\| 0 \}, \(_, i\) => open \+ i\)[\s\S]*\(spanning\.length > 0 \? spanning\[placeOf\(hour\) - 1\] \?\? \[\] : shifts\)\.filter\(/,
    call: '[{ from: 1, to: 4 }, { from: 3, to: 3 }, { from: 2, to: 8 }], 0, 10',
  },
  {
    what: 'copies by text',
    operator: named('deepCopyToNested'),
    before: 'function f(xs) {\n  return xs.map((x) => [x, JSON.parse(JSON.stringify(x))]);\n}\n',
    after: /xs\.map\(\(x\) => \[x, copyOf\(x\)\]\)/,
    call: '[{ a: [1, "b", null, { c: undefined, d: NaN }] }, [true, undefined], 2, new Date(0)]',
  },
  {
    what: 'a structured clone',
    operator: named('deepCopyToNested'),
    before: 'function f(x) {\n  const own = structuredClone(x);\n  own.n = 1;\n  return [x, own];\n}\n',
    after: /const own = copyOf\(x\);/,
    call: '{ a: [1, "b", null, { c: 2 }], when: new Map() }',
  },
  {
    what: 'sums and greatest parts of the first items',
    operator: named('slicedSumToPrefix'),
    before: 'function f(xs) {\n  return xs.map((x, i) => xs.slice(0, i + 1).reduce((sum, y) => sum + y.n, 0));\n}\n',
    after:
      /const values = xs\.map\(\(y\) => y\.n\);[\s\S]*xs\.map\(\(x, i\) => \(prefix\[i \+ 1\] !== undefined \? prefix\[i \+ 1\] : /,
    call: '[{ n: 1 }, { n: 4 }, { n: -3 }]',
  },
  {
    what: 'the greatest part of the first items',
    operator: named('sliceExtremeToList'),
    before: 'function f(xs) {\n  return xs.map((x, i) => Math.max(...xs.slice(0, i + 1).map((y) => y.n)));\n}\n',
    after: /const values = xs\.map\(\(y\) => y\.n\);[\s\S]*\(highestOf\[i \+ 1 - 1\] \?\? Math\.max\(/,
    call: '[{ n: 1 }, { n: 4 }, { n: -3 }]',
  },
  {
    what: 'what begins with any text',
    operator: named('scanToKeys'),
    before: 'function f(words, starts) {\n  return starts.map((s) => words.filter((w) => w.startsWith(s)).length);\n}\n',
    after: /for \(const key of new Set\(Array\.from\(\{ length: w\.length \+ 1 \}, \(_, end\) => w\.slice\(0, end\)\)\)\) \{/,
    call: "['abc', 'abd', 'b', ''], ['a', 'ab', '', 'c']",
  },
  {
    what: 'either of two names is asked for as a list',
    operator: named('scanToKeys'),
    before: 'function f(edges, xs) {\n  return xs.map((x) => edges.filter((e) => [e.a, e.b].includes(x)).length);\n}\n',
    after: /for \(const key of new Set\(\[e\.a, e\.b\]\)\) \{/,
    call: '[{ a: 1, b: 2 }, { a: 2, b: 2 }], [1, 2, 3]',
  },
  {
    what: 'the first of items with equal keys, by their places',
    operator: named('firstsToSet'),
    before: 'function f(xs) {\n  return xs.filter((x, i, all) => all.findIndex((y) => y.id === x.id) === i);\n}\n',
    after: /return \(\(seen\) => xs\.filter\(\(x\) => !seen\.has\(x\.id\) && seen\.add\(x\.id\)\)\)\(new Set\(\)\);/,
    call: '[{ id: 1, n: 1 }, { id: 2 }, { id: 1, n: 2 }]',
  },
  {
    what: 'the first of items with equal keys, collected one by one',
    operator: named('firstsToSet'),
    before:
      'function f(xs) {\n  return xs.reduce((kept, x) => {\n    if (kept.some((y) => y.id === x.id)) return kept;\n    return [...kept, x];\n  }, []);\n}\n',
    after: /\(\(seen\) => xs\.filter\(\(x\) => !seen\.has\(x\.id\) && seen\.add\(x\.id\)\)\)\(new Set\(\)\)/,
    call: '[{ id: 1, n: 1 }, { id: 2 }, { id: 1, n: 2 }]',
  },
  {
    what: 'the first of equal items, collected in an expression',
    operator: named('firstsToSet'),
    before: 'function f(xs) {\n  return xs.reduce((kept, x) => (kept.includes(x) ? kept : [...kept, x]), []);\n}\n',
    after: /return \[\.\.\.new Set\(xs\)\];/,
    call: '[1, 2, 1, 3]',
  },
  {
    what: 'an object that a callback returns copied',
    operator: named('copyToAppend'),
    before:
      'function f(xs) {\n  return xs.reduce((groups, x) => {\n    const key = x % 3;\n    return { ...groups, [key]: [...(groups[key] ?? []), x] };\n  }, {});\n}\n',
    after: /return \(\(groups\[key\] = \[\.\.\.\(groups\[key\] \?\? \[\]\), x\]\), groups\);/,
    call: '[1, 2, 4, 6]',
  },
  {
    what: 'a function in the function remembers what it has returned',
    operator: named('rememberingInner'),
    before:
      'function f(grid) {\n  function least(r, c) {\n    if (r >= grid.length || c >= grid[0].length) return 99;\n    const own = grid[r][c];\n    return r === grid.length - 1 && c === grid[0].length - 1 ? own : own + Math.min(least(r + 1, c), least(r, c + 1));\n  }\n  return grid.length === 0 ? 0 : least(0, 0);\n}\n',
    after: /function workOutLeast\(r, c\) \{[\s\S]*const knownLeast = new Map\(\);\n {2}function least\(r, c\) \{/,
    call: '[[1, 2, 3], [4, 1, 1]]',
  },
];

export const untouchedLocal: { what: string; operator: Case['operator']; path: string; text: string }[] = [
  {
    what: 'a function that is handed over by its name',
    operator: named('localHelper'),
    path: 'a.py',
    text: 'def f(xs):\n    return [add(x, xs) for x in xs] + list(map(add, xs, xs))\n\n\ndef add(x, xs):\n    return x + len(xs)\n',
  },
  {
    what: 'a function whose argument gets another value',
    operator: named('localHelper'),
    path: 'a.py',
    text: 'def f(xs):\n    while has(xs, 1):\n        xs = xs[1:]\n    return xs\n\n\ndef has(xs, x):\n    return x in xs\n',
  },
  {
    what: 'a function that changes what it is given',
    operator: named('rememberingHelper'),
    path: 'a.py',
    text: 'def f(xs):\n    return [put(xs, x) for x in (1, 2)]\n\n\ndef put(xs, x):\n    xs.append(x)\n    return sum(xs)\n',
  },
  {
    what: 'a function that is called once for each argument',
    operator: named('rememberingHelper'),
    path: 'a.py',
    text: 'def f(a, b):\n    return norm(a) == norm(b)\n\n\ndef norm(text):\n    return " ".join(sorted(text.lower().split()))\n',
  },
  {
    what: 'a result that takes the place of its argument',
    operator: named('rememberingHelper'),
    path: 'a.py',
    text: 'def f(n):\n    while n > 1:\n        n = step(n)\n    return n\n\n\ndef step(n):\n    return sum(int(c) for c in str(n)) % 7 + len(str(n)) - 1\n',
  },
  {
    what: 'spans that change in the loop',
    operator: named('scanToSpans'),
    path: 'a.py',
    text: 'def f(spans, xs):\n    out = 0\n    for x in xs:\n        out += sum(1 for s, e in spans if s <= x < e)\n        spans.append((x, x + 2))\n    return out\n',
  },
  {
    what: 'a date in another form',
    operator: named('parsedToIso'),
    path: 'a.py',
    text: 'from datetime import datetime\n\n\ndef f(xs):\n    return [datetime.strptime(x, "%d.%m.%Y") for x in xs]\n',
  },
  {
    what: 'a condition of a loop that is asked again with another value',
    operator: named('earlierToSet'),
    path: 'a.mjs',
    text: 'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    let n = x;\n    while (out.map((each) => each.n).includes(n)) {\n      n++;\n    }\n    out.push({ n });\n  }\n  return out;\n}\n',
  },
  {
    what: 'what is made of a list that grows',
    operator: named('rememberByValue'),
    path: 'a.mjs',
    text: 'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    for (const y of xs) {\n      if (out.map((each) => each.n).join() === String(y)) out.push({ n: x });\n    }\n  }\n  return out;\n}\n',
  },
  {
    what: 'a function in the function that depends on what changes between its calls',
    operator: named('rememberingInner'),
    path: 'a.py',
    text: 'def f(xs):\n    seen = []\n\n    def deep(n):\n        return 0 if n in seen else 1 + deep(n // 2)\n\n    for x in xs:\n        seen.append(deep(x))\n    return seen\n',
  },
  {
    what: 'a list that is sorted downwards again',
    operator: named('sortInLoop'),
    path: 'a.py',
    text: 'def f(xs):\n    out = []\n    for x in xs:\n        out.append(x)\n        out.sort(key=abs, reverse=True)\n    return out\n',
  },
  {
    what: 'steps by a number that the loop counts',
    operator: named('rememberSteps'),
    path: 'a.py',
    text: 'def f(xs):\n    out = []\n    for i in range(len(xs)):\n        part = sorted(xs[max(0, i - 2) : i + 2])\n        middle = float(str(part[0]))\n        out.append(middle)\n    return out\n',
  },
  {
    what: 'steps that go on from the last pass',
    operator: named('rememberSteps'),
    path: 'a.py',
    text: 'def f(rows):\n    last = 0\n    for row in rows:\n        now = int(row.strip().lower()) + last\n        last = int(str(now)[0])\n    return last\n',
  },
  {
    what: 'the sum of the first items of a list that grows',
    operator: named('slicedSumToPrefix'),
    path: 'a.py',
    text: 'def f(n):\n    xs = [1]\n    for i in range(n):\n        xs.append(sum(x for x in xs[:i]))\n    return xs\n',
  },
];
