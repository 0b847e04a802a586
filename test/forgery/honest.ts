/** Honest ways to sort faster than `original`: what such changes do that a rule against cheats could take for one. */

interface Honest {
  readonly what: string;
  readonly language: 'python' | 'javascript' | 'typescript';
  readonly code: string;
}

const py = (what: string, code: string): Honest => ({ what, language: 'python', code });
const js = (what: string, code: string): Honest => ({ what, language: 'javascript', code });
const ts = (what: string, code: string): Honest => ({ what, language: 'typescript', code });

export const honest: readonly Honest[] = [
  py(
    'remembers within a call',
    'def sort(items):\n    seen = {}\n    for item in items: seen[item] = seen.get(item, 0) + 1\n    return [item for item in sorted(seen) for _ in range(seen[item])]',
  ),
  py('draws from a generator', 'def sort(items):\n    def drawn():\n        yield from sorted(items)\n    return list(drawn())'),
  py(
    'imports within the function',
    'def sort(items):\n    from bisect import insort\n    result = []\n    for item in items: insort(result, item)\n    return result',
  ),
  py(
    'goes through the items from behind',
    'import bisect\ndef sort(items):\n    result = []\n    for item in reversed(items): result.insert(bisect.bisect_left(result, item), item)\n    return result',
  ),
  py(
    'returns early',
    'def sort(items):\n    if all(a <= b for a, b in zip(items, items[1:])): return list(items)\n    return sorted(items)',
  ),
  py(
    'is led by exceptions',
    'def sort(items):\n    heap = sorted(items, reverse=True)\n    result = []\n    try:\n        while True: result.append(heap.pop())\n    except IndexError:\n        return result',
  ),
  py(
    'has constants of its module',
    'LEAST, MOST = 0, 2048\ndef sort(items):\n    counts = [0] * MOST\n    for item in items: counts[item] += 1\n    return [value for value in range(LEAST, MOST) for _ in range(counts[value])]',
  ),
  py(
    'has a table that is made when it is loaded',
    'DIGITS = [(value >> 5, value & 31) for value in range(2048)]\ndef sort(items):\n    return sorted(items, key=DIGITS.__getitem__)',
  ),
  py(
    'makes a small table when it is first called',
    'table = []\ndef sort(items):\n    if not table: table.extend(range(64))\n    return sorted(items, key=lambda item: item + table[0])',
  ),
  py(
    'has a helper with a cache',
    'from functools import lru_cache\n@lru_cache(None)\ndef key(item): return (item >> 5, item)\ndef sort(items):\n    return sorted(items, key=key)',
  ),
  py(
    'has a class',
    'import heapq\nclass Heap:\n    __slots__ = ("items",)\n    def __init__(self, items):\n        self.items = list(items)\n        heapq.heapify(self.items)\n    def __iter__(self):\n        while self.items: yield heapq.heappop(self.items)\ndef sort(items): return list(Heap(items))',
  ),
  py(
    'calls itself',
    'def sort(items):\n    if len(items) < 2: return list(items)\n    half = len(items) // 2\n    left, right = sort(items[:half]), sort(items[half:])\n    result, i, j = [], 0, 0\n    while i < len(left) and j < len(right):\n        if left[i] <= right[j]: result.append(left[i]); i += 1\n        else: result.append(right[j]); j += 1\n    return result + left[i:] + right[j:]',
  ),
  py(
    'draws pivots by chance',
    'import random\nchance = random.Random(1)\ndef sort(items):\n    if len(items) < 9: return sorted(items)\n    pivot = chance.choice(items)\n    return sort([i for i in items if i < pivot]) + [i for i in items if i == pivot] + sort([i for i in items if i > pivot])',
  ),
  py(
    'runs a coroutine to its end',
    'import asyncio\nasync def later(items): return sorted(items)\ndef sort(items): return asyncio.run(later(items))',
  ),

  js(
    'remembers within a call',
    'function sort(items) { const seen = new Map(); for (const item of items) seen.set(item, (seen.get(item) ?? 0) + 1); return [...seen.keys()].sort((a, b) => a - b).flatMap((item) => Array(seen.get(item)).fill(item)); }',
  ),
  js(
    'draws from a generator',
    'function* drawn(items) { yield* items.toSorted((a, b) => a - b); }\nfunction sort(items) { return [...drawn(items)]; }',
  ),
  js(
    'goes through the items from behind',
    'const sort = (items) => { const result = []; for (let i = items.length - 1; i >= 0; i--) { let low = 0, high = result.length; while (low < high) { const mid = (low + high) >> 1; if (result[mid] < items[i]) low = mid + 1; else high = mid; } result.splice(low, 0, items[i]); } return result; };',
  ),
  js('uses a typed array', 'function sort(items) { return Array.from(Float64Array.from(items).sort()); }'),
  js(
    'returns early',
    'function sort(items) { if (items.every((item, i) => i === 0 || items[i - 1] <= item)) return [...items]; return [...items].sort((a, b) => a - b); }',
  ),
  js(
    'is led by exceptions',
    'function next(heap) { if (heap.length === 0) throw new RangeError(); return heap.pop(); }\nfunction sort(items) { const heap = [...items].sort((a, b) => b - a); const result = []; try { for (;;) result.push(next(heap)); } catch (error) { if (!(error instanceof RangeError)) throw error; return result; } }',
  ),
  js(
    'has a table that is made when it is loaded',
    'const digits = Uint16Array.from({ length: 2048 }, (_, i) => i * 2);\nfunction sort(items) { return [...items].sort((a, b) => digits[a] - digits[b]); }',
  ),
  js(
    'makes a table when it is first called',
    'let table;\nfunction sort(items) { table ??= Array.from({ length: 2048 }, (_, i) => i * 2); return [...items].sort((a, b) => table[a] - table[b]); }',
  ),
  js(
    'keeps an array to work in',
    'const counts = new Uint32Array(2048);\nfunction sort(items) { counts.fill(0); for (const item of items) counts[item]++; const result = []; for (let value = 0; value < 2048; value++) for (let n = counts[value]; n > 0; n--) result.push(value); return result; }',
  ),
  js(
    'has a class with private fields',
    'class Counts { #counts = new Map(); add(item) { this.#counts.set(item, (this.#counts.get(item) ?? 0) + 1); } get items() { return [...this.#counts].sort(([a], [b]) => a - b).flatMap(([item, n]) => Array(n).fill(item)); } }\nfunction sort(items) { const counts = new Counts(); items.forEach((item) => counts.add(item)); return counts.items; }',
  ),
  js(
    'calls itself',
    'function sort(items) { if (items.length < 2) return [...items]; const half = items.length >> 1; const [left, right] = [sort(items.slice(0, half)), sort(items.slice(half))]; const result = []; let i = 0, j = 0; while (i < left.length && j < right.length) result.push(left[i] <= right[j] ? left[i++] : right[j++]); return result.concat(left.slice(i), right.slice(j)); }',
  ),
  js(
    'draws pivots by chance',
    'let state = 1;\nconst draw = () => (state = (state * 48271) % 2147483647) / 2147483647;\nfunction sort(items) { if (items.length < 9) return [...items].sort((a, b) => a - b); const pivot = items[Math.floor(draw() * items.length)]; return [...sort(items.filter((i) => i < pivot)), ...items.filter((i) => i === pivot), ...sort(items.filter((i) => i > pivot))]; }',
  ),

  ts(
    'has types, an enum and a generic helper',
    'enum Order { Up = 1, Down = -1 }\nfunction by<T>(key: (item: T) => number, order: Order): (a: T, b: T) => number { return (a, b) => (key(a) - key(b)) * order; }\nexport function sort(items: number[]): number[] { return [...items].sort(by((item) => item, Order.Up)); }',
  ),
  ts(
    'has a class with a private field',
    'class Heap { private items: number[]; constructor(items: readonly number[]) { this.items = [...items].sort((a, b) => b - a); } *[Symbol.iterator](): Generator<number> { while (this.items.length > 0) yield this.items.pop() as number; } }\nexport function sort(items: number[]): number[] { return [...new Heap(items)]; }',
  ),
];

/** Another function, whose short calls are made many times in a pass and return objects: what shows outputs works for longer than it. */
export const ranking = {
  language: 'javascript',
  fn: 'rank',
  original: `
function rank(entries) {
  const rows = entries.map(({ name, score }) => ({ name, score }));
  for (let round = 0; round < rows.length; round++) {
    const before = [...rows];
    for (let at = 0; at + 1 < rows.length; at++)
      if (rows[at].score > rows[at + 1].score) [rows[at], rows[at + 1]] = [rows[at + 1], rows[at]];
    if (!before.every((row) => rows.includes(row))) throw new Error('a row was lost');
  }
  return rows;
}
`,
  calls: [1, 2, 3, 4, 5, 6, 8, 10].map((length) => ({ args: [entries(length)] })),
  longer: [64, 80, 128].map((length) => ({ args: [entries(length)] })),
  honest: {
    'ends when nothing moves': `
function rank(entries) {
  const rows = entries.map(({ name, score }) => ({ name, score }));
  for (let moved = true; moved; ) {
    moved = false;
    for (let at = 0; at + 1 < rows.length; at++)
      if (rows[at].score > rows[at + 1].score) {
        [rows[at], rows[at + 1]] = [rows[at + 1], rows[at]];
        moved = true;
      }
  }
  return rows;
}
`,
    'leaves sorting to the engine': `
function rank(entries) {
  return entries.map(({ name, score }) => ({ name, score })).sort((a, b) => a.score - b.score);
}
`,
  },
} as const;

/** Nearly in order. */
function entries(length: number): { name: string; score: number }[] {
  return Array.from({ length }, (_, at) => ({ name: `n${at}`, score: at - (at % 7 === 0 ? 3 : 0) }));
}
