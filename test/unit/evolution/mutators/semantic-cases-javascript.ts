/** The examples in JavaScript. */
import { type Case, named } from './semantic-cases.ts';

export const javascript: Case[] = [
  {
    what: 'what a callback works out of the kind of an item is remembered by the kind',
    operator: named('rememberSteps'),
    before:
      'function f(rows) {\n  return rows.map((row) => {\n    const same = rows.filter((other) => other.kind === row.kind);\n    const sorted = same.map((other) => other.value).sort((a, b) => a - b);\n    return sorted.indexOf(row.value) + sorted[0];\n  });\n}\n',
    after:
      /const knownSorted = new Map\(\);\n {2}return rows\.map\(\(row\) => \{\n {4}if \(!knownSorted\.has\(row\.kind\)\) \{\n {6}const same = [^\n]*\n {6}const sorted = [^\n]*\n {6}knownSorted\.set\(row\.kind, sorted\);\n {4}\}\n {4}const sorted = knownSorted\.get\(row\.kind\);/,
    call: "[{ kind: 'a', value: 3 }, { kind: 'b', value: 1 }, { kind: 'a', value: 2 }]",
  },
  {
    what: 'the least of a list that is sorted again for each item is taken out without sorting',
    operator: named('sortedShiftToLeast'),
    before:
      'function f(xs) {\n  const left = [...xs];\n  const order = [0];\n  while (left.length > 0) {\n    const last = order[order.length - 1];\n    left.sort((a, b) => Math.abs(last - a) - Math.abs(last - b) || a - b);\n    order.push(left.shift());\n  }\n  return order;\n}\n',
    after:
      /order\.push\(left\.splice\(left\.reduce\(\(least, each, at\) => \(\(Math\.abs\(last - each\) - Math\.abs\(last - left\[least\]\) \|\| each - left\[least\]\) < 0 \? at : least\), 0\), 1\)\[0\]\);/,
    call: '[5, 1, 3, 9, 4]',
  },
  {
    what: 'what two loops make of each text is remembered by it, also where a third stands before them',
    operator: named('rememberByValue'),
    before:
      'function f(texts) {\n  const words = [...new Set(texts.flatMap((text) => text.match(/[a-z]+/g) ?? []))];\n  return words.map((word) => [\n    texts.filter((text) => (text.match(/[a-z]+/g) ?? []).includes(word)).length,\n    texts.map((text) => (text.match(/[a-z]+/g) ?? []).lastIndexOf(word)),\n  ]);\n}\n',
    after: /const seen = new Map\(\);\n {2}return words\.map\([\s\S]*seen\.get\(text\)[\s\S]*seen\.get\(text\)/,
    call: "['a b', 'b c b', '']",
  },
  {
    what: 'what a sort compares by is worked out once for each item',
    operator: named('sortKeysOnce'),
    before:
      'function f(xs) {\n  return [...xs].sort((a, b) => a.name.trim().localeCompare(b.name.trim()) || Date.parse(b.at) - Date.parse(a.at) || a.id - b.id);\n}\n',
    after:
      /\[\.\.\.xs\]\.map\(\(each\) => \(\{ each, key1: each\.name\.trim\(\), key2: Date\.parse\(each\.at\) \}\)\)\.sort\(\(a, b\) => a\.key1\.localeCompare\(b\.key1\) \|\| b\.key2 - a\.key2 \|\| a\.each\.id - b\.each\.id\)\.map\(\(\{ each \}\) => each\)/,
    call: "[{ name: 'b ', at: '2024-01-02', id: 1 }, { name: ' b', at: '2024-01-03', id: 2 }, { name: 'a', at: '2024-01-02', id: 3 }]",
  },
  {
    what: 'a list that is sorted in place by a function of the file keeps its identity',
    operator: named('sortKeysOnce'),
    before:
      'function f(xs) {\n  const same = xs;\n  xs.sort(byParts);\n  return same;\n}\n\nexport function byParts(left, right) {\n  const a = left.split(".");\n  const b = right.split(".");\n  if (a.length !== b.length) {\n    return a.length - b.length;\n  }\n  return Number(a[0]) - Number(b[0]);\n}\n',
    after:
      /xs\.map\(\(each\) => \(\{ each, key: each\.split\("\."\) \}\)\)\.sort\(\(left, right\) => \{\n {4}const a = left\.key;\n {4}const b = right\.key;[\s\S]*\n {2}\}\)\.forEach\(\(\{ each \}, at\) => \{ xs\[at\] = each; \}\);/,
    call: "['3.1', '2', '1.5', '1']",
  },
  {
    what: 'what compares texts with options is made once',
    operator: named('formatterOnce'),
    before: "function f(xs) {\n  return xs.toSorted((a, b) => a.localeCompare(b, 'en', { sensitivity: 'base' }));\n}\n",
    after:
      /const collator = new Intl\.Collator\('en', \{ sensitivity: 'base' \}\);\n {2}return xs\.toSorted\(\(a, b\) => collator\.compare\(a, b\)\)/,
    call: "['b', 'A', 'a', 'B']",
  },
  {
    what: 'what formats numbers with options is made once',
    operator: named('formatterOnce'),
    before: "function f(xs) {\n  return xs.map((x) => x.toLocaleString('en-US', { minimumFractionDigits: 2 }));\n}\n",
    after:
      /const formatter = new Intl\.NumberFormat\('en-US', \{ minimumFractionDigits: 2 \}\);\n {2}return xs\.map\(\(x\) => formatter\.format\(x\)\)/,
    call: '[1, 2.5, 1234567.891]',
  },
  {
    what: 'a value that is read in several ways is remembered by itself',
    operator: named('rememberByValue'),
    before:
      'function f(rows, keys) {\n  return rows.map((row) => keys.map((key) => row[key].padEnd(Math.max(key.length, ...rows.map((each) => each[key].length)))));\n}\n',
    after: /seen\.get\(key\) \?\? seen\.set\(key, Math\.max\(key\.length, \.\.\.rows\.map/,
    call: "[{ a: 'x', b: 'yy' }, { a: 'xxx', b: '' }], ['a', 'b']",
  },
  {
    what: 'what a function in the function makes of a text is remembered by it',
    operator: named('rememberByValue'),
    before:
      'function f(xs) {\n  function both(a, b) {\n    const first = new Set(a.split(" "));\n    const second = new Set(b.split(" "));\n    return [...first].filter((word) => second.has(word)).length;\n  }\n  return xs.map((x) => xs.map((y) => both(x, y)));\n}\n',
    after:
      /const seen = new Map\(\);\n {2}function both\(a, b\) \{\n {4}const first = \(seen\.get\(a\) \?\? seen\.set\(a, new Set\(a\.split\(" "\)\)\)\.get\(a\)\);/,
    call: "['a b', 'b c', 'a c', '']",
  },
  {
    what: 'what a function in the function works out of the same list each time is worked out before it',
    operator: named('workOutOnce'),
    before:
      'function f(xs, steps) {\n  function stepOf(x) {\n    const sorted = [...steps].sort((a, b) => a - b);\n    return sorted.filter((step) => step <= x).length;\n  }\n  return xs.map((x) => stepOf(x));\n}\n',
    after: /const sorted = \[\.\.\.steps\]\.sort\(\(a, b\) => a - b\);\n {2}function stepOf\(x\) \{\n {4}return sorted\.filter/,
    call: '[1, 5, 3], [4, 2, 1]',
  },
  {
    what: 'a function that the file exports is brought in as well, and reads a parameter that never changes',
    operator: named('localHelper'),
    before:
      'export function least(x, steps) {\n  return steps.toSorted((a, b) => a - b).find((step) => step >= x) ?? null;\n}\nexport function f(xs, steps) {\n  return xs.map((x) => least(x, steps));\n}\nexport function g(steps) {\n  return least(0, steps);\n}\n',
    after:
      /function leastHere\(x\) \{\n {4}return steps\.toSorted\(\(a, b\) => a - b\)\.find\(\(step\) => step >= x\) \?\? null;\n {2}\}\n {2}return xs\.map\(\(x\) => leastHere\(x\)\)/,
    call: '[1, 5, 3], [4, 2, 1]',
  },
  {
    what: 'a list that is made in a loop for a test is a set that is made once',
    operator: named('membershipToSet'),
    before: 'function f(xs, ys) {\n  return xs.filter((x) => !ys.map((y) => y[0]).includes(x));\n}\n',
    after: /const knownSet = new Set\(ys\.map\(\(y\) => y\[0\]\)\);\n {2}return xs\.filter\(\(x\) => !knownSet\.has\(x\)\);/,
    call: '[1, 2, 3], [[2, 1], [4, 1]]',
  },
  {
    what: 'workers are found by a skill',
    operator: named('scanToKeys'),
    before:
      'function f(workers, jobs) {\n  return jobs.map((job) => workers.filter((each) => each.skills.includes(job)).length);\n}\n',
    after:
      /for \(const key of new Set\(\[\.\.\.each\.skills\]\)\) \{[\s\S]*\(byKey\.size > 0 \? byKey\.get\(job\) \?\? \[\] : workers\)\.filter\(/,
    call: "[{ skills: ['a', 'b'] }, { skills: ['b', 'b'] }], ['b', 'a', 'c']",
  },
  {
    what: 'edges are found by either end',
    operator: named('scanToKeys'),
    before:
      'function f(edges, xs) {\n  const out = [];\n  for (const x of xs) {\n    for (const [a, b] of edges) {\n      if (a === x) {\n        out.push(b);\n      } else if (b === x) {\n        out.push(a);\n      }\n    }\n  }\n  return out;\n}\n',
    after:
      /for \(const key of new Set\(\[a, b\]\)\) \{[\s\S]*\} catch \{\n {4}byKey\.clear\(\);\n {2}\}[\s\S]*for \(const \[a, b\] of \(byKey\.size > 0 \? byKey\.get\(x\) \?\? \[\] : edges\)\) \{/,
    call: '[[1, 2], [2, 3], [3, 3]], [1, 2, 3, 4]',
  },
  {
    what: 'a sorted list of which only the first is asked for',
    operator: named('sortToFirst'),
    before:
      'function f(xs) {\n  const able = xs.filter((x) => x > 1).sort((a, b) => (a % 3) - (b % 3));\n  return able[0] ?? null;\n}\n',
    after: /const able = \[xs\.filter\(\(x\) => x > 1\)\.reduce\(/,
    call: '[1, 2, 3, 6]',
  },
  {
    what: 'a filter for the first item',
    operator: named('madeToFirst'),
    before: 'function f(xs) {\n  return [xs.filter((x) => x > 1)[0] ?? 0, xs.filter((x) => x > 2).length === 0];\n}\n',
    after: /xs\.find\(\(x\) => x > 1\)|!xs\.some\(\(x\) => x > 2\)/,
    call: '[1, 2, 3]',
  },
  {
    what: 'includes in a loop becomes a set',
    operator: named('membershipToSet'),
    before:
      'function f(xs) {\n  const seen = [];\n  for (const x of xs) {\n    if (seen.indexOf(x) === -1) {\n      seen.push(x);\n    }\n  }\n  return seen;\n}\n',
    after: /const seenSet = new Set\(\);[\s\S]*if \(!seenSet\.has\(x\)\) \{\n {6}seen\.push\(x\);\n {6}seenSet\.add\(x\);/,
    call: '[1, 2, 1]',
  },
  {
    what: 'find in a callback looks up in a map',
    operator: named('scanToIndex'),
    before: 'function f(xs) {\n  return xs.map((x) => xs.find((y) => y.id === x.next)?.id);\n}\n',
    after: /\(xsById\.size > 0 \? xsById\.get\(x\.next\) \?\? \[\] : xs\)\.find\(/,
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
    operator: named('firstMatchToIndex'),
    before:
      'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    const known = out.find((one) => one.x === x);\n    if (known) {\n      known.n++;\n    } else {\n      out.push({ x, n: 1 });\n    }\n  }\n  return out;\n}\n',
    after: /for \(const one of out\.slice\(filed\)\) \{[\s\S]*filed = out\.length;\n {4}const known = outByX\.get\(x\);/,
    call: '[2, 1, 2, 2]',
  },
  {
    what: 'find goes no further than the match',
    operator: named('firstMatchToIndex'),
    before:
      'function f(xs) {\n  return [1, 1, 2].map((id) => {\n    const one = xs.find((x) => x.id === id);\n    return one.name;\n  });\n}\n',
    after: /while \(filed < xs\.length && !xsById\.has\(id\)\) \{[\s\S]*const one = xsById\.get\(id\);/,
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
  {
    what: 'a value that no round changes is worked out the first time',
    operator: named('workOutOnce'),
    before: 'function f(xs) {\n  return xs.map((x) => x / Math.max(...xs));\n}\n',
    after: /let known;\n {2}return xs\.map\(\(x\) => x \/ \(known \?\?= Math\.max\(\.\.\.xs\)\)\);/,
    call: '[1, 2]',
  },
  {
    what: 'what a comparison of a sort parses is remembered',
    operator: named('rememberByValue'),
    before: 'function f(xs) {\n  return xs.sort((a, b) => new Date(a.at) - new Date(b.at));\n}\n',
    after: /seen\.get\(a\.at\) \?\? seen\.set\(a\.at, new Date\(a\.at\)\)\.get\(a\.at\)\) - \(seen\.get\(b\.at\)/,
    call: '[{ at: "2024-02-01" }, { at: "2024-01-01" }]',
  },
  {
    what: 'a loop that leaves out what is not equal looks up',
    operator: named('scanToIndex'),
    before:
      'function f(xs, ys) {\n  const out = [];\n  for (const x of xs) {\n    for (const y of ys) {\n      if (y.id !== x.id) continue;\n      out.push([x.n, y.n]);\n    }\n  }\n  return out;\n}\n',
    after:
      /for \(const y of \(ysById\.size > 0 \? ysById\.get\(x\.id\) \?\? \[\] : ys\)\) \{\n {6}if \(y\.id !== x\.id\) continue;/,
    call: '[{ id: 1, n: 1 }], [{ id: 2, n: 2 }, { id: 1, n: 3 }]',
  },
  {
    what: 'the place of the first equal item is looked up',
    operator: named('firstMatchToIndex'),
    before:
      'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    const at = out.findIndex((y) => y.id === x.id);\n    if (at === -1) out.push(x);\n    else out[at].n += x.n;\n  }\n  return out;\n}\n',
    after: /const at = \(outById\.get\(x\.id\) \?\? -1\);/,
    call: '[{ id: 1, n: 1 }, { id: 2, n: 2 }, { id: 1, n: 3 }]',
  },
  {
    what: 'equal items are counted once',
    operator: named('countToTable'),
    before: 'function f(xs) {\n  return xs.map((x) => xs.filter((y) => y === x).length);\n}\n',
    after: /counts\.set\(y, \(counts\.get\(y\) \?\? 0\) \+ 1\);[\s\S]*xs\.map\(\(x\) => \(counts\.get\(x\) \?\? 0\)\)/,
    call: '[1, 2, 1]',
  },
  {
    what: 'the first of equal items is kept by a set',
    operator: named('firstsToSet'),
    before: 'function f(xs) {\n  return xs.map((x) => x.k).filter((k, i, all) => all.indexOf(k) === i);\n}\n',
    after: /return \[\.\.\.new Set\(xs\.map\(\(x\) => x\.k\)\)\];/,
    call: '[{ k: 1 }, { k: 2 }, { k: 1 }]',
  },
  {
    what: 'find in a list that stays as it is looks up in a table',
    operator: named('findToTable'),
    before:
      'function f(xs, ys) {\n  return xs.map((x) => {\n    const one = ys.find((y) => y.id === x.id);\n    return one === undefined ? 0 : one.n;\n  });\n}\n',
    after:
      /if \(!ysById\.has\(y\.id\)\) ysById\.set\(y\.id, y\);[\s\S]*const one = \(ysById\.size > 0 \? ysById\.get\(x\.id\) : ys\.find\(/,
    call: '[{ id: 1, n: 1 }, { id: 3, n: 1 }], [{ id: 2, n: 2 }, { id: 1, n: 3 }, { id: 1, n: 4 }]',
  },
  {
    what: 'whether one is equal is asked of a set',
    operator: named('findToTable'),
    before: 'function f(xs, ys) {\n  return xs.filter((x) => !ys.some((y) => y.id === x.id));\n}\n',
    after:
      /for \(const y of ys\) ysIds\.add\(y\.id\);[\s\S]*filter\(\(x\) => !\(ysIds\.size > 0 \? ysIds\.has\(x\.id\) : ys\.some\(/,
    call: '[{ id: 1 }, { id: 3 }], [{ id: 2 }, { id: 1 }]',
  },
  {
    what: 'the first in order needs no sorting',
    operator: named('sortToFirst'),
    before: 'function f(xs) {\n  const last = [...xs].sort((a, b) => b.day - a.day)[0];\n  return last?.n;\n}\n',
    after: /xs\.reduce\(\(first, each\) => \(first === undefined \|\| first\.day - each\.day < 0 \? each : first\), undefined\)/,
    call: '[{ day: 1, n: 1 }, { day: 3, n: 2 }, { day: 3, n: 3 }]',
  },
  {
    what: 'the rest of a text is read by a position',
    operator: named('restToPosition'),
    before:
      "function f(text) {\n  const out = [];\n  while (text.length > 0) {\n    if (text.startsWith('ab')) {\n      out.push('ab');\n      text = text.slice(2);\n    } else {\n      out.push(text[0]);\n      text = text.slice(1);\n    }\n  }\n  return out;\n}\n",
    after: /while \(position < text\.length\) \{\n {4}if \(text\.startsWith\('ab', position\)\)[\s\S]*text\[position\]/,
    call: '"aabab"',
  },
  {
    what: 'a value of equal parts is kept by the part',
    operator: named('rememberByValue'),
    before:
      'function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    for (let i = 0; i < 2; i++) {\n      const most = Math.max(...xs.map((each) => each[i]));\n      out.push(x[i] === most);\n    }\n  }\n  return out;\n}\n',
    after: /let most = mostByI\.get\(i\);\n {6}if \(most === undefined\) \{\n {8}most = Math/,
    call: '[[1, 2], [3, 0]]',
  },
];
