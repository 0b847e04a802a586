/**
 * Ordinary functions with the few calls that a user types, candidates that are right on those and wrong on others, and
 * honest improvements.
 */
import type { Call } from '../../../shared/judging.ts';

interface DeriveCase {
  readonly name: string;
  readonly language: 'python' | 'javascript' | 'typescript';
  readonly fn: string;
  readonly text: string;
  readonly calls: readonly Call[];
  /** Right on `calls`, wrong on others. */
  readonly tempting: readonly string[];
  readonly honest: readonly string[];
}

const calls = (...lists: unknown[][]): Call[] => lists.map((args) => ({ args: args as Call['args'], kwargs: {} }));

export const deriveCases: readonly DeriveCase[] = [
  {
    name: 'a word report',
    language: 'python',
    fn: 'word_report',
    text: `def word_report(text, limit=10):
    counts = {}
    for word in text.lower().split():
        word = word.strip('.,;:!?')
        if not word:
            continue
        counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    lines = []
    for word, count in ranked[:limit]:
        if count > 1:
            lines.append(word + ': ' + str(count))
        else:
            lines.append(word)
    return lines
`,
    calls: calls(['the cat and the dog'], ['a b a. c', 2], ['one']),
    tempting: [
      // It forgets the order of equal counts.
      `def word_report(text, limit=10):
    counts = {}
    for word in text.lower().split():
        word = word.strip('.,;:!?')
        counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [w if c == 1 else w + ': ' + str(c) for w, c in ranked[:limit]]
`,
      `def word_report(text, limit=10):
    counts = {}
    for word in text.split():
        word = word.strip('.,;:!?')
        if word:
            counts[word] = counts.get(word, 0) + 1
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [w if c == 1 else w + ': ' + str(c) for w, c in ranked[:limit]]
`,
    ],
    honest: [
      `from collections import Counter
def word_report(text, limit=10):
    counts = Counter(w for w in (word.strip('.,;:!?') for word in text.lower().split()) if w)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [w if c == 1 else f'{w}: {c}' for w, c in ranked[:limit]]
`,
      `def word_report(text, limit=10):
    counts = {}
    get = counts.get
    for word in text.lower().split():
        word = word.strip('.,;:!?')
        if word:
            counts[word] = get(word, 0) + 1
    ranked = sorted((-count, word) for word, count in counts.items())[:limit]
    return [word + ': ' + str(-count) if count < -1 else word for count, word in ranked]
`,
    ],
  },
  {
    name: 'pairs with a sum',
    language: 'python',
    fn: 'pairs',
    text: `def pairs(numbers, target):
    found = []
    for i in range(len(numbers)):
        for j in range(i + 1, len(numbers)):
            if numbers[i] + numbers[j] == target:
                pair = (min(numbers[i], numbers[j]), max(numbers[i], numbers[j]))
                if pair not in found:
                    found.append(pair)
    return sorted(found)
`,
    calls: calls([[1, 2, 3, 4], 5], [[2, 7, 11], 9]),
    tempting: [
      `def pairs(numbers, target):
    seen = set(numbers)
    return sorted({(min(a, target - a), max(a, target - a)) for a in seen if target - a in seen})
`,
      `def pairs(numbers, target):
    return sorted((a, b) for i, a in enumerate(numbers) for b in numbers[i + 1:] if a + b == target)
`,
    ],
    honest: [
      `def pairs(numbers, target):
    seen, found = set(), set()
    for a in numbers:
        b = target - a
        if b in seen:
            found.add((a, b) if a < b else (b, a))
        seen.add(a)
    return sorted(found)
`,
      `def pairs(numbers, target):
    counts = {}
    for a in numbers:
        counts[a] = counts.get(a, 0) + 1
    return sorted((a, target - a) for a in counts if (a < target - a and target - a in counts) or (a * 2 == target and counts[a] > 1))
`,
    ],
  },
  {
    name: 'duplicates',
    language: 'javascript',
    fn: 'duplicates',
    text: `export function duplicates(items) {
  const found = [];
  for (let i = 0; i < items.length; i++) {
    for (let j = i + 1; j < items.length; j++) {
      if (items[i] === items[j] && !found.includes(items[i])) found.push(items[i]);
    }
  }
  return found;
}
`,
    calls: calls([[1, 2, 2, 3]], [[1, 2, 3]], [[4, 4, 5, 5]], [[]]),
    tempting: [
      // Order of the second occurrence, not of the first.
      `export function duplicates(items) {
  const seen = new Set(), found = new Set();
  for (const item of items) { if (seen.has(item)) found.add(item); seen.add(item); }
  return [...found];
}
`,
      `export function duplicates(items) {
  return items.filter((item, i) => items.indexOf(item) === i && items[i + 1] === item);
}
`,
    ],
    honest: [
      `export function duplicates(items) {
  const counts = new Map();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > 1).map(([item]) => item);
}
`,
      `export function duplicates(items) {
  return items.filter((item, i) => items.indexOf(item) === i && items.indexOf(item, i + 1) !== -1);
}
`,
    ],
  },
  {
    name: 'merged intervals',
    language: 'typescript',
    fn: 'merge',
    text: `type Interval = [number, number];
export function merge(intervals: Interval[]): Interval[] {
  const sorted = [...intervals].sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const merged: Interval[] = [];
  for (const [start, end] of sorted) {
    const last = merged[merged.length - 1];
    if (last !== undefined && start <= last[1]) {
      last[1] = Math.max(last[1], end);
    } else {
      merged.push([start, end]);
    }
  }
  return merged;
}
`,
    calls: calls(
      [
        [
          [1, 3],
          [2, 6],
          [8, 10],
        ],
      ],
      [[[5, 7]]],
    ),
    tempting: [
      `export function merge(intervals: [number, number][]): [number, number][] {
  const sorted = [...intervals].sort((a, b) => a[0] - b[0]);
  const merged: [number, number][] = [];
  for (const [start, end] of sorted) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = end;
    else merged.push([start, end]);
  }
  return merged;
}
`,
      `export function merge(intervals: [number, number][]): [number, number][] {
  const merged: [number, number][] = [];
  for (const [start, end] of intervals) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}
`,
    ],
    honest: [
      `export function merge(intervals: [number, number][]): [number, number][] {
  const sorted = intervals.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const merged: [number, number][] = [];
  let last: [number, number] | undefined;
  for (const [start, end] of sorted) {
    if (last === undefined || !(start <= last[1])) merged.push((last = [start, end]));
    else if (end > last[1]) last[1] = end;
  }
  return merged;
}
`,
    ],
  },
  {
    name: 'averages by group',
    language: 'python',
    fn: 'averages',
    text: `def averages(rows):
    groups = {}
    for row in rows:
        name = row["name"]
        if name not in groups:
            groups[name] = []
        groups[name].append(row["value"])
    result = {}
    for name in groups:
        total = 0.0
        for value in groups[name]:
            total += value
        result[name] = round(total / len(groups[name]), 6)
    return result
`,
    calls: calls([
      [
        { name: 'a', value: 1.5 },
        { name: 'b', value: 2.25 },
        { name: 'a', value: 4.5 },
      ],
    ]),
    tempting: [
      // The last two values of a group only.
      `def averages(rows):
    result = {}
    for row in rows:
        name = row["name"]
        result[name] = (result[name] + row["value"]) / 2 if name in result else row["value"]
    return result
`,
    ],
    honest: [
      `def averages(rows):
    sums = {}
    for row in rows:
        one = sums.setdefault(row["name"], [0.0, 0])
        one[0] += row["value"]
        one[1] += 1
    return {name: round(total / count, 6) for name, (total, count) in sums.items()}
`,
      `def averages(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row["name"], []).append(row["value"])
    return {name: round(float(sum(values)) / len(values), 6) for name, values in groups.items()}
`,
    ],
  },
  {
    name: 'run lengths',
    language: 'javascript',
    fn: 'encode',
    text: `function encode(text) {
  let result = '';
  let i = 0;
  while (i < text.length) {
    let count = 1;
    while (i + count < text.length && text[i + count] === text[i]) count++;
    result += count > 1 ? count + text[i] : text[i];
    i += count;
  }
  return result;
}
module.exports = { encode };
`,
    calls: calls(['aaabbc'], ['abc'], ['zz']),
    tempting: [
      `function encode(text) {
  const counts = new Map();
  for (const letter of text) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  return [...counts].map(([letter, count]) => (count > 1 ? count + letter : letter)).join('');
}
module.exports = { encode };
`,
      `function encode(text) {
  return text.replace(/([a-z])\\1+/g, (run, letter) => run.length + letter);
}
module.exports = { encode };
`,
    ],
    honest: [
      `function encode(text) {
  return text.replace(/([^])\\1+/g, (run, letter) => run.length + letter);
}
module.exports = { encode };
`,
      `function encode(text) {
  const parts = [];
  for (let i = 0, start = 0; i <= text.length; i++) {
    if (i < text.length && text[i] === text[start]) continue;
    if (i > start) parts.push(i - start > 1 ? i - start + text[start] : text[start]);
    start = i;
  }
  return parts.join('');
}
module.exports = { encode };
`,
    ],
  },
  {
    name: 'a discount',
    language: 'python',
    fn: 'discount',
    text: `def discount(price, quantity, code=None):
    """Price in cents after discounts."""
    total = price * quantity
    if quantity >= 100:
        total = total * 80 // 100
    elif quantity >= 10:
        total = total * 90 // 100
    if code == "SAVE5":
        total -= 500
    elif code == "HALF":
        total //= 2
    if total < 0:
        return 0
    return total
`,
    calls: calls([250, 3], [100, 12]),
    tempting: [
      `def discount(price, quantity, code=None):
    total = price * quantity
    if quantity >= 10:
        total = total * 90 // 100
    return total
`,
    ],
    honest: [
      `def discount(price, quantity, code=None):
    total = price * quantity
    if quantity >= 10:
        total = total * (80 if quantity >= 100 else 90) // 100
    if code == "SAVE5":
        total -= 500
    elif code == "HALF":
        total //= 2
    return max(total, 0)
`,
    ],
  },
  {
    name: 'a binary search',
    language: 'typescript',
    fn: 'position',
    text: `export function position(values: number[], wanted: number): number {
  for (let i = 0; i < values.length; i++) {
    if (values[i] === wanted) return i;
  }
  return -1;
}
`,
    calls: calls([[1, 3, 5, 7], 5], [[2, 4], 3]),
    tempting: [
      `export function position(values: number[], wanted: number): number {
  let low = 0, high = values.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (values[middle]! === wanted) return middle;
    if (values[middle]! < wanted) low = middle + 1; else high = middle - 1;
  }
  return -1;
}
`,
      `export function position(values: number[], wanted: number): number {
  return values.lastIndexOf(wanted);
}
`,
    ],
    honest: [
      `export function position(values: number[], wanted: number): number {
  return values.indexOf(wanted);
}
`,
      `export function position(values: number[], wanted: number): number {
  return values.findIndex((value) => value === wanted);
}
`,
    ],
  },
  {
    name: 'a bounded bag',
    language: 'python',
    fn: 'Bag.add',
    text: `class Bag:
    def __init__(self, size):
        self.size = size
        self.items = []

    def add(self, values):
        added = 0
        for value in values:
            if len(self.items) < self.size and value not in self.items:
                self.items.append(value)
                added += 1
        return added
`,
    calls: [
      { args: [[1, 2]], kwargs: {}, init: { args: [5], kwargs: {} } },
      { args: [[3]], kwargs: {}, init: { args: [2], kwargs: {} } },
    ],
    tempting: [
      `class Bag:
    def __init__(self, size):
        self.size = size
        self.items = []

    def add(self, values):
        self.items.extend(values)
        return len(values)
`,
    ],
    honest: [
      `class Bag:
    def __init__(self, size):
        self.size = size
        self.items = []

    def add(self, values):
        before = len(self.items)
        for value in values:
            if len(self.items) >= self.size:
                break
            if value not in self.items:
                self.items.append(value)
        return len(self.items) - before
`,
    ],
  },
];
