/** Examples of the operators that bring functions in, remember what they return and write them out; and what they leave alone. */
import { type Case, named } from './semantic-cases.ts';

export const pythonFunctions: Case[] = [
  {
    what: 'what stands in a text with expressions is worked out once as well',
    operator: named('workOutOnce'),
    before: 'def f(xs, names):\n    return [f"{x} of {len(sorted(names)):>3}" for x in xs]\n',
    after: / {4}known = len\(sorted\(names\)\)\n {4}return \[f"\{x\} of \{known:>3\}" for x in xs\]/,
    call: '[1, 2], ["a", "b"]',
  },
  {
    what: 'a function is remembered by the members that it reads',
    operator: named('rememberingHelper'),
    before:
      'def f(orders, rates):\n    return [rate_of(order, rates) for order in orders]\n\n\ndef rate_of(order, rates):\n    fitting = [each for each in rates if each["zone"] == order["zone"] and each["from"] <= order["weight"]]\n    return max(each["price"] for each in fitting) if fitting else 0\n',
    after: /def rate_of_here\(order\):\n {8}key = \(order\["zone"\], order\["weight"\]\)\n {8}if key not in known_rate_of:/,
    call: '[{"zone": "a", "weight": 2}, {"zone": "b", "weight": 2}, {"zone": "a", "weight": 2}], [{"zone": "a", "from": 1, "price": 5}, {"zone": "b", "from": 1, "price": 7}]',
  },
  {
    what: 'a function that others call too is brought in as well',
    operator: named('localHelper'),
    before:
      'def above(x, steps):\n    order = sorted(steps)\n    return [step for step in order if step > x]\n\n\ndef f(xs, steps):\n    return [above(x, steps) for x in xs]\n\n\ndef g(steps):\n    return above(0, steps)\n',
    after: /def above_here\(x\):\n {8}order = sorted\(steps\)\n[\s\S]*return \[above_here\(x\) for x in xs\]/,
    call: '[1, 5, 3], [4, 2, 1]',
  },
  {
    what: 'what a function in the function works out of the same list each time is worked out before it',
    operator: named('workOutOnce'),
    before:
      'def f(xs, steps):\n    def above(x):\n        order = sorted(steps)\n        return [step for step in order if step > x]\n    return [above(x) for x in xs]\n',
    after: /order = sorted\(steps\)\n {4}def above\(x\):\n {8}return \[step for step in order if step > x\]/,
    call: '[1, 5, 3], [4, 2, 1]',
  },
  {
    what: 'a function in the function with parameters that may be left out',
    operator: named('rememberingInner'),
    before:
      'def f(xs, ys):\n    def count(low=None, high=None):\n        return sum(1 for x in xs if (low is None or x >= low) and (high is None or x < high))\n    return [(count(), count(y), count(high=y), count(low=y, high=9)) for y in ys]\n',
    after:
      /def work_out_count\(low=None, high=None\):\n[\s\S]*known_count = \{\}\n {4}def count\(low=None, high=None\):\n {8}key = \(low, high\)\n[\s\S]*return \[\(count\(\), count\(y\)/,
    call: '[1, 2, 5, 5, 8], [2, 5, 2]',
  },
  {
    what: 'a function of the file with parameters that may be left out',
    operator: named('rememberingHelper'),
    before:
      'def f(xs):\n    return [[spread(x), spread(x, wide=True)] for x in xs]\n\n\ndef spread(text: str, wide: bool = False) -> int:\n    return len(set(text.lower())) + (wide and text.count("a"))\n',
    after: /def spread_here\(text: str, wide: bool = False\):\n {8}key = \(text, wide\)\n/,
    call: '["Aba", "b", "", "Aba"]',
  },
  {
    what: 'a function that reads a dictionary by a name it is given',
    operator: named('rememberingHelper'),
    before:
      'def f(rows, names):\n    return [[name for name in names if "a" in values_of(row, name)] for row in rows]\n\n\ndef values_of(row, name):\n    value = row.get(name)\n    return [str(item) for item in value] if isinstance(value, list) else [str(value)]\n',
    after:
      /key = \(id\(row\), name\)\n {8}if key not in known_values_of:\n {12}known_values_of\[key\] = \(work_out_values_of\(row, name\), row\)/,
    call: '[{"p": ["a", "b"], "q": "a"}, {"p": []}], ["p", "q"]',
  },
  {
    what: 'a function that gives what it is given to one that reads a dictionary',
    operator: named('rememberByValue'),
    before:
      'def f(rows, limits):\n    out = []\n    for limit in limits:\n        for row in rows:\n            if is_above(row, limit):\n                out.append(limit)\n    return out\n\n\ndef is_above(row, limit):\n    return total_of(row) > limit\n\n\ndef total_of(row):\n    return sum(row["n"])\n',
    after:
      /\(seen\[\(id\(row\), limit\)\] if \(id\(row\), limit\) in seen else seen\.setdefault\(\(id\(row\), limit\), \(row, is_above\(row, limit\)\)\)\)\[1\]/,
    call: '[{"n": [1, 2]}, {"n": []}, {"n": [7]}], [0, 2, 2, 9]',
  },
  {
    what: 'what a function in the function works out of one parameter',
    operator: named('rememberByValue'),
    before:
      'import re\n\n\ndef f(xs, ys):\n    def same(one, other):\n        return re.sub(r"b+", "b", one).strip() == re.sub(r"b+", "b", other).strip()\n    return [[same(x, y) for y in ys] for x in xs]\n',
    after:
      /seen = \{\}\n {4}def same\(one, other\):\n {8}return \(seen\[one\] if one in seen else [^\n]* == \(seen\[other\] if other in seen else /,
    call: '["abba", "abb ", "ab"], ["ab", "abb", ""]',
  },
  {
    what: 'what a function in the function works out of a list',
    operator: named('rememberByValue'),
    before:
      'from statistics import mean\n\n\ndef f(table):\n    def gap(xs, ys):\n        return mean(xs) - mean(ys) if xs and ys else None\n    return [[gap(xs, ys) for ys in table] for xs in table]\n',
    after: /\(seen\[id\(xs\)\] if id\(xs\) in seen else seen\.setdefault\(id\(xs\), \(xs, mean\(xs\)\)\)\)\[1\]/,
    call: '[[1, 2], [3], [], [4, 6]]',
  },
  {
    what: 'a function that is given the same list in one pass of a loop is brought into the loop',
    operator: named('localHelper'),
    before:
      'def f(groups, at):\n    out = []\n    for group in groups:\n        points = sorted(group)\n        out.append([before(points, each) for each in at])\n    return out\n\n\ndef before(points, each):\n    return [p for p in points if p <= each][-1:]\n',
    after:
      /points = sorted\(group\)\n {8}def before_here\(each\):\n {12}return \[p for p in points if p <= each\]\[-1:\]\n {8}out\.append\(\[before_here\(each\) for each in at\]\)/,
    call: '[[3, 1, 2], [], [5, 5]], [0, 2, 5, 9]',
  },
  {
    what: 'a function with calls whose results can be remembered is brought in',
    operator: named('localHelper'),
    before:
      'from statistics import median\n\n\ndef f(table):\n    return [[gap(xs, ys) for ys in table] for xs in table]\n\n\ndef gap(xs, ys):\n    return median(xs) - median(ys) if xs and ys else None\n',
    after:
      /^ {4}def gap_here\(xs, ys\):\n {8}return median\(xs\) - median\(ys\) if xs and ys else None\n {4}return \[\[gap_here\(xs, ys\)/m,
    call: '[[1, 2], [3], []]',
  },
  {
    what: 'what is worked out of an item that a dictionary may lack',
    operator: named('rememberByValue'),
    before:
      'from datetime import date\n\n\ndef f(rows, days):\n    out = []\n    for day in days:\n        for row in rows:\n            if date.fromisoformat(row.get("day") or "2024-01-01") > date.fromisoformat(day):\n                out.append(row["n"])\n    return out\n',
    after:
      /\(seen\[row\.get\("day"\)\] if row\.get\("day"\) in seen else seen\.setdefault\(row\.get\("day"\), date\.fromisoformat/,
    call: '[{"day": "2024-02-03", "n": 1}, {"n": 2}, {"day": None, "n": 3}], ["2024-01-05", "2023-12-31", "2024-03-01"]',
  },
  {
    what: 'a function that only returns an expression is written out',
    operator: named('inlineFunction'),
    before:
      'LIMITS = {"a": 2}\n\n\ndef f(rows, low):\n    return [n for n, row in enumerate(rows) if is_above(row, low + 1) and not is_above(row, row["n"])]\n\n\ndef is_above(row, low):\n    """Whether it is above both."""\n    return row["n"] > LIMITS.get(row["kind"], 1) and row["n"] > low\n',
    after:
      /if \(row\["n"\] > LIMITS\.get\(row\["kind"\], 1\) and row\["n"\] > \(low \+ 1\)\) and not \(row\["n"\] > LIMITS\.get\(row\["kind"\], 1\) and row\["n"\] > row\["n"\]\)/,
    call: '[{"kind": "a", "n": 2}, {"kind": "b", "n": 2}, {"kind": "a", "n": 7}], 0',
  },
  {
    what: 'a function that returns one of several expressions is written out',
    operator: named('inlineFunction'),
    before:
      'def f(xs, ys, loose):\n    out = 0\n    for i in range(len(xs)):\n        for j in range(len(ys)):\n            if same(xs[i], ys[j], loose):\n                out += 1\n    return out\n\n\ndef same(one, other, loose):\n    if loose:\n        return one.lower() == other.lower()\n    return one == other\n',
    after: /if \(xs\[i\]\.lower\(\) == ys\[j\]\.lower\(\) if loose else xs\[i\] == ys\[j\]\):/,
    call: '["a", "A", "b"], ["a", "B"], True',
  },
  {
    what: 'a function in the function is written out',
    operator: named('inlineFunction'),
    before:
      'def f(rows):\n    total = sum(row["n"] for row in rows)\n    def share(row):\n        return round(row["n"] / total, 2) if total else 0\n    rows.sort(key=lambda each: share(each))\n    return [share(row) for row in rows]\n',
    after:
      /key=lambda each: \(round\(each\["n"\] \/ total, 2\) if total else 0\)\)\n {4}return \[\(round\(row\["n"\] \/ total, 2\) if total else 0\) for row in rows\]/,
    call: '[{"n": 3}, {"n": 1}, {"n": 0}]',
  },
  {
    what: 'a list of which only the last item is asked for, and one of which only the first',
    operator: named('filteredToFirst'),
    before:
      'def f(points, times):\n    out = []\n    for time in times:\n        before = [p for p in points if p[0] <= time]\n        after = [p for p in points if p[0] >= time]\n        if not before or not after:\n            out.append(None)\n        else:\n            out.append((before[-1], after[0]))\n    return out\n',
    after: /before = list\(islice\(\(p for p in reversed\(points\) if p\[0\] <= time\), 1\)\)\n/,
    call: '[(1, "a"), (3, "b"), (3, "c"), (7, "d")], [0, 1, 3, 4, 9]',
  },
  {
    what: 'a list of which only the first item is asked for',
    operator: named('filteredToFirst'),
    before: 'def f(xs, n):\n    large = [x * 2 for x in xs if x > n]\n    return large[0] + 1 if large else None\n',
    after: /large = list\(islice\(\(x \* 2 for x in xs if x > n\), 1\)\)\n/,
    call: '[1, 5, 2, 7], 2',
  },
  {
    what: 'the last in order of a list that is sorted for it',
    operator: named('sortedToFirst'),
    before:
      'def f(rates, day):\n    known = [r for r in rates if r[0] <= day]\n    if not known:\n        return None\n    known.sort(key=lambda r: r[0])\n    return known[-1]\n',
    after: /known = nlargest\(1, reversed\(known\), key=lambda r: r\[0\]\)\n {4}return known\[-1\]/,
    call: '[(3, "a"), (1, "b"), (3, "c"), (7, "d")], 4',
  },
  {
    what: 'the last of equal items in order',
    operator: named('sortedToExtreme'),
    before: 'def f(xs):\n    return sorted(xs, key=lambda x: x[0])[-1]\n',
    after: /max\(reversed\(list\(xs\)\), key=lambda x: x\[0\]\)/,
    call: '[(3, "a"), (1, "b"), (3, "c")]',
  },
  {
    what: 'items in order up to a value',
    operator: named('scanToStretch'),
    before:
      'def f(points, times):\n    out = []\n    for time in times:\n        before = [p for p in points if p[0] <= time]\n        out.append(before[-1:])\n    return out\n',
    after:
      /from bisect import bisect_right\n {4}keys = \[\]\n {4}try:\n {8}if type\(points\) is list:\n[\s\S]*for p in \(points\[:bisect_right\(keys, time\)\] if keys else points\) if p\[0\] <= time\]/,
    call: '[(1, "a"), (3, "b"), (3, "c"), (7, "d")], [0, 1, 3, 4, 9]',
  },
  {
    what: 'items in order between two values',
    operator: named('scanToStretch'),
    before:
      'def f(rows, spans):\n    out = []\n    for low, high in spans:\n        total = 0\n        for row in rows:\n            if not row["n"] or row["at"] < low or high <= row["at"]:\n                continue\n            total += row["n"]\n        out.append(total)\n    return out\n',
    after: /for row in \(rows\[bisect_left\(keys, low\):bisect_left\(keys, high\)\] if keys else rows\):\n/,
    call: '[{"at": 1, "n": 2}, {"at": 2, "n": 0}, {"at": 5, "n": 3}, {"at": 5, "n": 4}], [(1, 5), (5, 6), (3, 2), (0, 9)]',
  },
  {
    what: 'the methods of an object that the function makes',
    operator: named('localMethods'),
    before:
      'class Grid:\n    """Rows of letters."""\n\n    def __init__(self, rows):\n        self.rows = rows\n        self.asked = 0\n\n    def inside(self, row, column):\n        return 0 <= row < len(self.rows) and 0 <= column < len(self.rows[row])\n\n    def read(self, row, column, step=1):\n        """The letter there."""\n        self.asked += 1\n        return self.rows[row][column] if self.inside(row, column) else f"-{self.asked}"\n\n    def all(self):\n        for row in range(len(self.rows)):\n            yield self.read(row, row, step=2)\n\n\ndef f(rows, places):\n    grid = Grid(rows)\n    out = [grid.read(row, column) for row, column in places]\n    return out, list(grid.all()), grid.asked\n',
    after:
      /grid = Grid\(rows\)\n {4}def read_here\(row, column, step=1\):\n {8}grid\.asked \+= 1\n {8}return grid\.rows\[row\]\[column\] if inside_here\(row, column\) else f"-\{grid\.asked\}"\n {4}def all_here\(\):\n {8}for row in range\(len\(grid\.rows\)\):\n {12}yield read_here\(row, row, step=2\)\n {4}def inside_here\(row, column\):\n[\s\S]*out = \[read_here\(row, column\) for row, column in places\]\n {4}return out, list\(all_here\(\)\), grid\.asked/,
    call: '["abc", "de", ""], [(0, 1), (1, 5), (2, 0), (7, 7)]',
  },
  {
    what: 'rows of a table that the inner loop reads and writes',
    operator: named('rowsOnce'),
    before:
      'def f(old, new):\n    lengths = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]\n    for i in range(len(old) - 1, -1, -1):\n        for j in range(len(new) - 1, -1, -1):\n            if old[i] == new[j]:\n                lengths[i][j] = lengths[i + 1][j + 1] + 1\n            else:\n                lengths[i][j] = max(lengths[i + 1][j], lengths[i][j + 1])\n    return lengths\n',
    after:
      / {8}row = lengths\[i\]\n {8}row_2 = lengths\[i \+ 1\]\n {8}for j in range\(len\(new\) - 1, -1, -1\):\n[\s\S]*row\[j\] = row_2\[j \+ 1\] \+ 1\n[\s\S]*row\[j\] = max\(row_2\[j\], row\[j \+ 1\]\)/,
    call: '[1, 2, 3, 2], [2, 3, 1]',
  },
];

export const javascriptFunctions: Case[] = [
  {
    what: 'a function that is called in a text with expressions is remembered',
    operator: named('rememberingHelper'),
    before:
      'function f(folders, files) {\n  return files.map((file) => `${pathOf(folders, file.folder)}/${file.name}`);\n}\n\nfunction pathOf(folders, id) {\n  const folder = folders.find((each) => each.id === id);\n  if (folder === undefined) return "";\n  return `${pathOf(folders, folder.parent)}/${folder.name}`;\n}\n',
    after:
      /function pathOfHere\(id\) \{[\s\S]*return files\.map\(\(file\) => `\$\{pathOfHere\(file\.folder\)\}\/\$\{file\.name\}`\);/,
    call: "[{ id: 1, parent: 0, name: 'a' }, { id: 2, parent: 1, name: 'b' }], [{ folder: 2, name: 'x' }, { folder: 1, name: 'y' }]",
  },
  {
    what: 'a function is remembered by the members that it reads',
    operator: named('rememberingHelper'),
    before:
      'function f(orders, rates) {\n  return orders.map((order) => rateOf(order, rates));\n}\n\nfunction rateOf(order, rates) {\n  const fitting = rates.filter((each) => each.zone === order.zone && each.from <= order.weight);\n  return fitting.map((each) => each.price).sort((a, b) => a - b)[0] ?? null;\n}\n',
    after:
      /const knownRateOf = new Map\(\);\n {2}function rateOfHere\(order\) \{\n {4}const knownRateOf1 = knownRateOf\.get\(order\.zone\) \?\? knownRateOf\.set\(order\.zone, new Map\(\)\)\.get\(order\.zone\);\n {4}const key = order\.weight;/,
    call: "[{ zone: 'a', weight: 2 }, { zone: 'b' }, { zone: 'a', weight: 2 }], [{ zone: 'a', from: 1, price: 5 }, { zone: 'b', from: 1, price: 7 }]",
  },
  {
    what: 'a function of the file that is called in a function of the function, with a list and a name',
    operator: named('rememberingHelper'),
    before:
      "export function f(names, rows, other) {\n  return names.map((name) => of(rows, name).length + of(name === 'a' ? other : rows, name).length);\n}\n\nfunction of(list, name) {\n  const found = [];\n  for (const row of list) if (row.name === name) found.push(row);\n  return found;\n}\n",
    after:
      /function ofHere\(list, name\) \{\n {4}const knownOf1 = knownOf\.get\(list\) \?\? knownOf\.set\(list, new Map\(\)\)\.get\(list\);\n {4}const key = name;\n {4}const found = knownOf1\.get\(key\);/,
    call: "['a', 'b', 'a'], [{ name: 'a' }], [{ name: 'a' }, { name: 'a' }]",
  },
  {
    what: 'a function of the file that is given the same in a function of the function',
    operator: named('localHelper'),
    before:
      'export function f(names, rows) {\n  const all = rows.filter((row) => row.name);\n  return names.map((name) => countOf(all, name));\n}\n\nfunction countOf(list, name) {\n  return list.filter((row) => row.name === name).length;\n}\n',
    after: /const all = [\s\S]*function countOfHere\(name\) \{\n {4}return all\.filter\([\s\S]*countOfHere\(name\)/,
    call: "['a', 'b'], [{ name: 'a' }, { name: 'a' }, {}]",
  },
  {
    what: 'a constant arrow function of the file, whose results are remembered',
    operator: named('rememberingHelper'),
    before:
      "export function f(xs) {\n  return xs.map((x) => xs.filter((y) => keyOf(y) === keyOf(x)).length);\n}\n\nconst keyOf = (text) =>\n  text\n    .normalize('NFD')\n    .replace(/[^a-z]/g, '')\n    .trim();\n",
    after:
      /const workOutKeyOf = \(text\) =>\n {4}text\n[\s\S]*function keyOfHere\(text\) \{[\s\S]*keyOfHere\(y\) === keyOfHere\(x\)/,
    call: '["a-b", "ab", "a", "b a"]',
  },
  {
    what: 'a constant arrow function of one parameter without parentheses, in the function',
    operator: named('rememberingInner'),
    before:
      'function f(xs) {\n  const digits = text => {\n    return String(text).replace(/[^0-9]/g, "").slice(-3);\n  };\n  return xs.map((x) => xs.filter((y) => digits(x) === digits(y)).length);\n}\n',
    after: /const workOutDigits = text => \{[\s\S]*function digits\(text\) \{/,
    call: '["1-2", 12, "4 12", ""]',
  },
  {
    what: 'a constant arrow function that is given the same each time',
    operator: named('localHelper'),
    before:
      'export function f(xs, table) {\n  const out = [];\n  for (const x of xs) out.push(found(table, x));\n  return out;\n}\n\nconst found = (rows, x) => rows.find((row) => row.name === x.name)?.value ?? null;\n',
    after: /const foundHere = \(x\) => table\.find\([\s\S]*foundHere\(x\)/,
    call: '[{ name: "a" }, { name: "b" }], [{ name: "a", value: 1 }]',
  },
];

export const untouchedFunctions = [
  {
    what: 'what an inner loop builds up of a list that it changes',
    operator: named('rememberBuilt'),
    path: 'a.py',
    text: 'def f(xs):\n    out = []\n    for x in xs:\n        for y in xs:\n            swaps = 0\n            for j in range(len(xs) - 1):\n                xs[j] = xs[j + 1]\n                swaps = swaps + 1\n            out.append(swaps)\n    return out\n',
  },
  {
    what: 'what is remembered by its identity and changed between calls',
    operator: named('rememberingHelper'),
    path: 'a.py',
    text: 'def f(rows, names):\n    out = []\n    for row in rows:\n        for name in names:\n            out.append(size_of(row))\n            row[name] = 1\n    return out\n\n\ndef size_of(row):\n    return sum(len(str(value)) for value in row.values())\n',
  },
  {
    what: 'a function that reads a name that means something else where it is called',
    operator: named('inlineFunction'),
    path: 'a.py',
    text: 'rate = 2\n\n\ndef f(xs):\n    return [times(x, rate) for x in xs for rate in xs]\n\n\ndef times(x, n):\n    return x * n * rate\n',
  },
  {
    what: 'a function that uses what it is given twice, where that is worked out',
    operator: named('inlineFunction'),
    path: 'a.py',
    text: 'def f(xs):\n    return [square(sum(xs) - x) for x in xs]\n\n\ndef square(x):\n    return x * x\n',
  },
  {
    what: 'a function whose own loop has the name of what it is given',
    operator: named('inlineFunction'),
    path: 'a.py',
    text: 'def f(xs, ys):\n    return [count(x, ys) for x in xs]\n\n\ndef count(value, ys):\n    return sum(1 for x in ys if x == value)\n',
  },
  {
    what: 'steps of a list, which cannot be a key',
    operator: named('rememberSteps'),
    path: 'a.py',
    text: 'def f(xs):\n    out = []\n    for i in range(len(xs)):\n        window = xs[i : i + 3]\n        low = min([value for _, value in window])\n        high = max([abs(value - low) for _, value in window])\n        out.append(round(high))\n    return out\n',
  },
  {
    what: 'a list of which another item is asked for as well',
    operator: named('filteredToFirst'),
    path: 'a.py',
    text: 'def f(xs):\n    large = [x for x in xs if x > 2]\n    return large[0] + large[-1] if large else 0\n',
  },
  {
    what: 'a list whose items the loop changes',
    operator: named('scanToStretch'),
    path: 'a.py',
    text: 'def f(rows, xs):\n    for x in xs:\n        for row in rows:\n            if row["at"] <= x:\n                row["at"] += 3\n    return rows\n',
  },
  {
    what: 'a value that may be missing, where that is asked first',
    operator: named('scanToStretch'),
    path: 'a.py',
    text: 'def f(rows, xs):\n    return [[row for row in rows if x is not None and row["at"] <= x] for x in xs]\n',
  },
  {
    what: 'the methods of an object whose class inherits',
    operator: named('localMethods'),
    path: 'a.py',
    text: 'class A:\n    pass\n\n\nclass B(A):\n    def size(self, x):\n        return x\n\n\ndef f(xs):\n    b = B()\n    return [b.size(x) for x in xs]\n',
  },
  {
    what: 'a method that reads a name that the function gives another value',
    operator: named('localMethods'),
    path: 'a.py',
    text: 'rate = 2\n\n\nclass A:\n    def size(self, x):\n        return x * rate\n\n\ndef f(xs):\n    a = A()\n    rate = 3\n    return [a.size(x) * rate for x in xs]\n',
  },
  {
    what: 'the methods of one of several objects with a name',
    operator: named('localMethods'),
    path: 'a.py',
    text: 'class A:\n    def __init__(self, n):\n        self.n = n\n\n    def size(self, x):\n        return x * self.n\n\n\ndef f(xs):\n    a = A(1)\n    if xs:\n        a = A(2)\n    return [a.size(x) for x in xs]\n',
  },
  {
    what: 'what is worked out of a list that is made for it',
    operator: named('rememberByValue'),
    path: 'a.py',
    text: 'def f(xs):\n    out = []\n    for i in range(len(xs)):\n        for j in range(i):\n            part = xs[j:i]\n            out.append(middle(part, 1))\n    return out\n\n\ndef middle(values, n):\n    return values[len(values) // 2] + n\n',
  },
  {
    what: 'rows of a table in which the loop puts others',
    operator: named('rowsOnce'),
    path: 'a.py',
    text: 'def f(table, n):\n    for i in range(n):\n        for j in range(n):\n            if table[i][j] > table[i][0]:\n                table[i] = table[j]\n    return table\n',
  },
  {
    what: 'rows of a table that the loop gives to a function',
    operator: named('rowsOnce'),
    path: 'a.py',
    text: 'def f(table, n):\n    for i in range(n):\n        for j in range(n):\n            if table[i][j] > table[i][0]:\n                turn(table)\n    return table\n\n\ndef turn(table):\n    table.reverse()\n',
  },
];
