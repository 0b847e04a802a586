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
    what: 'a list that is made in a loop for a test is a set that is made once',
    operator: named('membershipToSet'),
    before: 'def f(xs, ys):\n    return [x for x in xs if x not in [y[0] for y in ys]]\n',
    after: / {4}known_set = \{y\[0\] for y in ys\}\n {4}return \[x for x in xs if x not in known_set\]/,
    call: '[1, 2, 3], [(2, 1), (4, 1)]',
  },
  {
    what: 'edges are found by either end',
    operator: named('scanToKeys'),
    before:
      'def f(edges, start):\n    found = [start]\n    for at in found:\n        for a, b in edges:\n            if a == at and b not in found:\n                found.append(b)\n            elif b == at and a not in found:\n                found.append(a)\n    return found\n',
    after:
      /for key in dict\.fromkeys\(\[a, b\]\):\n {16}by_key\.setdefault\(key, \[\]\)\.append\(\(a, b\)\)\n {4}except Exception:\n {8}by_key\.clear\(\)[\s\S]*for a, b in \(by_key\.get\(at, \(\)\) if by_key else edges\):/,
    call: '[(1, 2), (2, 3), (5, 6), (3, 3), (1, 2)], 1',
  },
  {
    what: 'one of two keys is looked up',
    operator: named('scanToKeys'),
    before: 'def f(edges, xs):\n    return [[e for e in edges if e[0] == x or e[1] == x] for x in xs]\n',
    after: /for key in dict\.fromkeys\(\[e\[0\], e\[1\]\]\):/,
    call: '[(1, 2), (2, 3), (3, 3)], [1, 2, 3, 4]',
  },
  {
    what: 'articles are found by a tag',
    operator: named('scanToKeys'),
    before:
      'def f(articles, tags):\n    out = {}\n    for tag in tags:\n        out[tag] = sum(1 for each in articles if tag in each["tags"])\n    return out\n',
    after: /for key in dict\.fromkeys\(each\["tags"\]\):/,
    call: '[{"tags": ["a", "b"]}, {"tags": ["b", "b"]}], ["b", "a", "c"]',
  },
  {
    what: 'the first of a list that is sorted in place',
    operator: named('sortedToFirst'),
    before: 'def f(xs, k):\n    out = [x * 2 for x in xs]\n    out.sort(key=lambda x: x % 5, reverse=True)\n    return out[:k]\n',
    after: /from heapq import nlargest[\s\S]*out = nlargest\(k, out, key=lambda x: x % 5\)/,
    call: '[3, 1, 2, 6, 8], 2',
  },
  {
    what: 'the least of a sorted copy',
    operator: named('sortedToFirst'),
    before: 'def f(xs):\n    if not xs:\n        return None\n    inorder = sorted(xs)\n    return inorder[0]\n',
    after: /inorder = nsmallest\(1, xs\)/,
    call: '[3, 1, 2]',
  },
  {
    what: 'a search for any item ends with the first',
    operator: named('madeToFirst'),
    before: 'def f(xs):\n    return len([x for x in xs if x > 2]) == 0, any([x > 1 for x in xs])\n',
    after: /not any\(True for x in xs if x > 2\)|any\(x > 1 for x in xs\)/,
    call: '[1, 2, 3]',
  },
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
    after: /by_key\.setdefault\(b\[0\], \[\]\)\.append\(b\)[\s\S]*for b in \(by_key\.get\(a\[1\], \(\)\) if by_key else xs\):/,
    call: '[(1, 2), (2, 3), (2, 1), (5, 5)]',
  },
  {
    what: 'a sum of two items is looked up by the difference',
    operator: named('scanToIndex'),
    before:
      'def f(xs):\n    for i in range(len(xs)):\n        for j in range(i + 1, len(xs)):\n            if xs[i] + xs[j] == 10:\n                return i, j\n',
    after: /by_key\.get\(10 - xs\[i\], \(\)\) if by_key else range\(len\(xs\)\)\) if j >= i \+ 1/,
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
    after: /\(prefix\[i \+ 2\] - prefix\[i\] if prefix and /,
    call: '[1, 2, 3, 4]',
  },
  {
    what: 'sums of slices of a list that has just been made come from prefix sums',
    operator: named('slicedSumToPrefix'),
    before:
      'def f(xs):\n    ys = [x for x in xs]\n    out = []\n    for i in range(len(ys)):\n        out.append(sum(ys[: i + 1]))\n    return out\n',
    after: /prefix\[i \+ 1\] if prefix and 0 <= i \+ 1 < len\(prefix\) else/,
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
    after: /while filed < len\(xs\) and x not in by_key:\n {12}key, value = xs\[filed\]/,
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
  {
    what: 'a value that no round changes is worked out the first time',
    operator: named('workOutOnce'),
    before:
      'def f(xs):\n    out = []\n    for x in xs:\n        mean = sum(xs) / len(xs)\n        out.append(x - mean)\n    return out\n',
    after: /known = None\n {4}for x in xs:\n {8}if known is None:\n {12}known = sum\(xs\) \/ len\(xs\)\n {8}mean = known\n/,
    call: '[1, 2, 6]',
  },
  {
    what: 'what a name stands for is worked out once with it',
    operator: named('workOutOnce'),
    before:
      'def f(xs):\n    out = []\n    for x in xs:\n        low = min(xs)\n        if x - low > sum(y - low for y in xs) / 2:\n            out.append(x)\n    return out\n',
    after: /known if known is not None else \(known := sum\(y - low for y in xs\) \/ 2\)/,
    call: '[1, 2, 60]',
  },
  {
    what: 'a sum that no round changes is built up the first time',
    operator: named('buildOnce'),
    before:
      'def f(xs):\n    out = []\n    for x in xs:\n        t = 0\n        for y in xs:\n            t += y\n        out.append(x / t)\n    return out\n',
    after: /if known_t is None:\n {12}t = 0\n {12}for y in xs:\n {16}t \+= y\n {12}known_t = t\n {8}t = known_t\n/,
    call: '[1, 2, 5]',
  },
  {
    what: 'a call that inner loops repeat is remembered by what it is of',
    operator: named('rememberByValue'),
    before:
      'def f(xs):\n    n = 0\n    for a in xs:\n        for b in xs:\n            if a["d"].split("-") < b["d"].split("-"):\n                n += 1\n    return n\n',
    after: /seen\[b\["d"\]\] if b\["d"\] in seen else seen\.setdefault\(b\["d"\], b\["d"\]\.split\("-"\)\)/,
    call: '[{"d": "1-2"}, {"d": "1-1"}]',
  },
  {
    what: 'the earlier items of a list are kept in a set that grows',
    operator: named('earlierToSet'),
    before:
      'def f(xs):\n    out = []\n    for i, x in enumerate(xs):\n        if x not in xs[:i]:\n            out.append(x)\n    return out\n',
    after: /while filed < i and x not in by_key:[\s\S]*if x not in by_key:/,
    call: '[1, 2, 1, 3, 2]',
  },
  {
    what: 'a search of the places before this one looks up in an index that grows',
    operator: named('growingScanToIndex'),
    before:
      'def f(xs):\n    out = []\n    for i in range(len(xs)):\n        for j in range(i):\n            if xs[j] != xs[i]:\n                continue\n            out.append((j, i))\n    return out\n',
    after: /for j in range\(filed, i\):[\s\S]*for j in by_key\.get\(xs\[i\], \(\)\):/,
    call: '[1, 2, 1, 1]',
  },
  {
    what: 'a question whether any item is equal looks up',
    operator: named('firstMatchToIndex'),
    before:
      'def f(xs, ys):\n    out = []\n    for x in xs:\n        if not any(y[0] == x for y in ys):\n            out.append(x)\n    return out\n',
    after: /any\(y\[0\] == x for y in \(\[by_key\[x\]\] if x in by_key else \(\)\)\)/,
    call: '[1, 2, 3], [(2, 1), (3, 3)]',
  },
  {
    what: 'equal items are counted once',
    operator: named('countToTable'),
    before: 'def f(xs, ys):\n    return [sum(1 for y in ys if y["k"] == x) for x in xs]\n',
    after: /counts\[y\["k"\]\] = counts\.get\(y\["k"\], 0\) \+ 1\n[\s\S]*\[counts\.get\(x, 0\) for x in xs\]/,
    call: '[1, 2, 1], [{"k": 1}, {"k": 1}]',
  },
  {
    what: 'sums of a window with a name come from prefix sums, where all items are whole numbers',
    operator: named('slicedSumToPrefix'),
    before:
      'def f(xs, k):\n    out = []\n    for i in range(len(xs)):\n        window = xs[max(0, i - k + 1):i + 1]\n        out.append(sum(window) / len(window))\n    return out\n',
    after: /if all\(type\(each\) is int for each in xs\):[\s\S]*else sum\(window\)\)/,
    call: '[1, 2, 3, 4], 2',
  },
  {
    what: 'items are put at the end, and the list is reversed once',
    operator: named('prependToAppend'),
    before: 'def f(xs):\n    out = []\n    for x in xs:\n        out.insert(0, x)\n    return out\n',
    after: /out\.append\(x\)\n {4}out\.reverse\(\)\n/,
    call: '[1, 2, 3]',
  },
  {
    what: 'a search for divisors ends at half',
    operator: named('divisorsToHalf'),
    before: 'def f(n):\n    return [d for d in range(1, n) if n % d == 0]\n',
    after: /range\(1, n \/\/ 2 \+ 1\)/,
    call: '28',
  },
  {
    what: 'a scan that skips by a flag and then asks for two equal parts looks up both',
    operator: named('scanToIndex'),
    before:
      'def f(xs, ys):\n    used = []\n    for x in xs:\n        for i, y in enumerate(ys):\n            if i in used:\n                continue\n            if y["a"] == x["a"] and y["b"] == x["b"]:\n                used.append(i)\n                break\n    return used\n',
    after:
      /by_key\.setdefault\(\(y\["a"\], y\["b"\]\), \[\]\)\.append\(\(i, y\)\)\n[\s\S]*by_key\.get\(\(x\["a"\], x\["b"\]\), \(\)\)/,
    call: '[{"a": 1, "b": 2}, {"a": 1, "b": 2}], [{"a": 1, "b": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 2}]',
  },
  {
    what: 'a scan that names its items first looks up',
    operator: named('scanToIndex'),
    before:
      'def f(xs):\n    out = []\n    for i in range(len(xs)):\n        for j in range(i + 1, len(xs)):\n            one = xs[i]\n            two = xs[j]\n            if one["k"] != two["k"]:\n                continue\n            if one["n"] < two["n"]:\n                out.append((i, j))\n    return out\n',
    after: /by_key|xs_by_k\.setdefault\(xs\[j\]\["k"\], \[\]\)\.append\(j\)/,
    call: '[{"k": 1, "n": 1}, {"k": 2, "n": 1}, {"k": 1, "n": 2}]',
  },
  {
    what: 'whether any is equal is asked of a set',
    operator: named('findToTable'),
    before: 'def f(xs, ys):\n    return [x for x in xs if not any(y["k"] == x["k"] for y in ys)]\n',
    after:
      /ys_ks\.update\(y\["k"\] for y in ys\)[\s\S]*if not \(x\["k"\] in ys_ks if ys_ks else any\(y\["k"\] == x\["k"\] for y in ys\)\)\]/,
    call: '[{"k": 1}, {"k": 2}], [{"k": 2}]',
  },
  {
    what: 'the first that is equal comes from a table',
    operator: named('findToTable'),
    before:
      'def f(xs, ys):\n    out = []\n    for x in xs:\n        out.append(next((y for y in ys if y["k"] == x), None))\n    return out\n',
    after: /ys_by_k\.setdefault\(y\["k"\], y\)\n[\s\S]*out\.append\(\(ys_by_k\.get\(x, None\) if ys_by_k else next\(/,
    call: '[1, 2, 3], [{"k": 2, "n": 1}, {"k": 2, "n": 2}]',
  },
  {
    what: 'the rest of a text is read by a position',
    operator: named('restToPosition'),
    before:
      'def f(s):\n    out = []\n    while s:\n        if s.startswith("ab"):\n            out.append("ab")\n            s = s[2:]\n        else:\n            out.append(s[0])\n            s = s[1:]\n    return out\n',
    after: /while position < len\(s\):\n {8}if s\.startswith\("ab", position\):[\s\S]*s\[position\]/,
    call: '"aabab"',
  },
  {
    what: 'a value that does not change is worked out before the loop',
    operator: named('workOutOnce'),
    before: 'def f(xs):\n    out = []\n    for x in xs:\n        most = max(xs)\n        out.append(x == most)\n    return out\n',
    after: / {4}most = max\(xs\)\n {4}for x in xs:\n {8}out/,
    call: '[1, 3, 2]',
  },
];
