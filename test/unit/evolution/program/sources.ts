/** Targets in the shapes that real code has, for the tests of everything that edits programs. */

export interface Source {
  readonly name: string;
  readonly target: { readonly path: string; readonly text: string; readonly entry_fn?: string };
}

const python = `"""Modul für Größen. 😀"""
import os

CONSTANT = 3  # außen


def décor(f):
    return f


@décor
def sort(items, *rest, key=None, **options):
    """Sortiert — mit Überfluss.

    Two lines.
    """
    result = list(items)  # copy 😀
    if not result: return result
    a = 1; b = 2
    for i in range(len(result)):
        copy = result[:]
        # comment
        for j in range(0, len(result) - 1):
            if key is not None and key(result[j]) > key(result[j + 1]):
                result[j], result[j + 1] = result[j + 1], result[j]
            elif result[j] > result[j + 1] or "ä" in options:
                result[j], result[j + 1] = (result[j + 1], result[j])
            else:
                continue
        try:
            assert len(copy) == len(result), f"{len(copy)} {'ö'}"
        except AssertionError:
            raise
        finally:
            a += b
    text = """
  a string
    over lines"""
    total = sum(x * 2 for x in result if x) if a else len(text)

    def nested(value):
        while value > 0:
            value -= 1
            if value == 2:
                break
        return value

    return [value for value in result if nested(total) == 0]


after = sort([2, 1])
`;

const asyncMethod = `class Box:
	class Inner:
		# tabs below
		async def collect(self, source, limit: int = 10) -> list:
			found = []
			async for item in source:
				if len(found) >= limit:
					break
				async with self.lock:
					found.append(await self.load(item))
			await self.close()
			return sorted(found, key=lambda each: each.size)

	other = 1
`;

const javascript = `import { readFile } from 'node:fs';

export class Table extends Map {
  #rows = [];
  static empty = 1;

  // sorts
  async sort({ by, limit = 10 }, ...rest) {
    const copy = [...this.#rows];
    let swapped = true;
    for (let i = 0, n = copy.length; i < n && swapped; i++) {
      swapped = false;
      for (let j = 0; j < copy.length - 1; j++) {
        const text = \`\${copy[j].name}  –
        \${by ?? "x"}\`;
        if (copy[j][by] > copy[j + 1][by] || text === '') {
          [copy[j], copy[j + 1]] = [copy[j + 1], copy[j]];
          swapped = !false;
        } else if (rest.length) continue;
      }
    }
    do { await null; } while (copy.length < 0);
    switch (limit) {
      case 1:
        copy.reverse();
        break;
      default:
        copy.slice();
    }
    for (const key in copy) { if (/[a-z]+/.test(key)) delete copy[key]; }
    label: for (const row of copy) { for (;;) { if (row) break label; } }
    return copy.filter((row) => row !== undefined).map(function (row) { return { ...row, n: row.n ** 2 }; });
  }
}
`;

const typescript = `type Row<T> = { readonly value: T };

export const total = <T extends number>(rows: readonly Row<T>[], start: number = 0): number => {
  let sum: number = start;
  const values = rows.map((row) => row.value as number).slice();
  for (const value of values.slice()) {
    if (value !== undefined && value! > 0) {
      sum += value;
    }
  }
  const unused = rows.length;
  while (sum > 100 && unused > 0) {
    sum -= 1;
  }
  return sum satisfies number;
};

export const other = 1;
`;

const tsx = `import * as React from 'react';

export function List({ items }: { items: string[] }) {
  const copy = [...items];
  const shown: string[] = [];
  for (let i = 0; i < copy.length; i++) {
    if (shown.length < 10) shown.push(copy[i] ?? '–');
  }
  const label = \`\${shown.length} of \${items.length}\`;
  return (
    <ul className="list" data-n={shown.length}>
      {shown.map((item) => (
        <li key={item}>  text  {item.trim()} </li>
      ))}
      <p>{label}</p>
    </ul>
  );
}
`;

export const sources: readonly Source[] = [
  { name: 'a decorated Python function', target: { path: 'a.py', text: python, entry_fn: 'sort' } },
  { name: 'Python with CRLF', target: { path: 'a.py', text: python.replaceAll('\n', '\r\n'), entry_fn: 'sort' } },
  { name: 'an async method indented by tabs', target: { path: 'a.py', text: asyncMethod, entry_fn: 'Box.Inner.collect' } },
  { name: 'a whole Python file', target: { path: 'a.py', text: python } },
  { name: 'a JavaScript method', target: { path: 'a.js', text: javascript, entry_fn: 'Table.sort' } },
  { name: 'a TypeScript arrow function', target: { path: 'a.ts', text: typescript, entry_fn: 'total' } },
  { name: 'TSX', target: { path: 'a.tsx', text: tsx, entry_fn: 'List' } },
  { name: 'TSX with CRLF', target: { path: 'a.tsx', text: tsx.replaceAll('\n', '\r\n'), entry_fn: 'List' } },
];
