/** Values of guessed calls that are exchanged until the original goes further, in real sandboxes. */
import assert from 'node:assert/strict';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import type { Derivation } from '../../../shared/payloads.ts';
import { contextOf, programOf } from './judging.ts';

const evaluator = createFunctionEvaluator();
const extensions: Readonly<Record<string, string>> = { python: 'py', javascript: 'js', typescript: 'ts' };

async function derive(language: string, text: string, fn: string): Promise<Derivation> {
  const options = { entry: { path: `target.${extensions[language]}`, fn } };
  const how = { seed: 3, within_ms: 2000, examples: [] };
  const context = await contextOf({ deterministic: true });
  const made = await evaluator.derive?.(programOf(language, text), { name: 'function', options }, how, context);
  assert.ok(made !== undefined);
  return made;
}

const cases: readonly (readonly [what: string, language: string, fn: string, text: string])[] = [
  [
    'dates under fields whose names do not say so',
    'python',
    'nights',
    `from datetime import date

def nights(stays, gap=0):
    total = 0
    for room in sorted(set(stay["room"] for stay in stays)):
        last = None
        for stay in stays:
            if stay["room"] == room:
                start = date.fromisoformat(stay["from"])
                end = date.fromisoformat(stay.get("to") or stay["from"])
                if end < start:
                    start, end = end, start
                if last is not None and (start - last).days > gap:
                    total += 1
                total += (end - start).days
                last = end
    return total
`,
  ],
  [
    'names that another argument lists',
    'python',
    'split_bill',
    `def split_bill(items, people):
    shares = {}
    for name in people:
        shares[name] = 0
    for item in items:
        sharers = item.get("for") or people
        for name in sharers:
            if name not in shares:
                raise ValueError(name + " is not at the table")
            shares[name] += item["cents"] // len(sharers)
    return shares
`,
  ],
  [
    'a text of which only the documentation shows the format',
    'python',
    'parse_size',
    `def parse_size(text):
    """Bytes in a size such as "12 KB" or "3 MB free"."""
    number, unit = text.split(" ")[:2]
    if not number.isdigit() or len(unit) != 2 or unit[1] != "B":
        raise ValueError("bad size")
    amount = int(number)
    for sign in "KMG":
        amount = amount * 1024
        if unit[0] == sign:
            return amount
    raise ValueError("bad unit")
`,
  ],
  [
    'a tree whose nodes have no type',
    'javascript',
    'outline',
    `function outline(root, options = {}) {
  const rows = [];
  const visit = (node, trail) => {
    if (node.hidden) return 0;
    const path = trail.concat([node.title]);
    const row = [path.join(' / '), 0];
    rows.push(row);
    for (const child of node.branches ?? []) {
      row[1] += visit(child, path);
    }
    if (row[1] === 0) return 1;
    return row[1];
  };
  visit(root, []);
  return rows;
}
`,
  ],
  [
    'a table in a text, and a column of it',
    'typescript',
    'columnSum',
    `function columnSum(text: string, column: string): number {
  const rows = text.split('\\n').map((line) => line.split(';'));
  const at = rows[0].indexOf(column);
  if (at < 0) throw new RangeError('no column');
  let sum = 0;
  for (const row of rows.slice(1)) {
    const value = Number(row[at]);
    if (row[at] && !Number.isNaN(value)) {
      sum += value;
    }
  }
  return sum;
}
`,
  ],
];

describe('values of guessed calls', () => {
  for (const [what, language, fn, text] of cases) {
    it(`become ${what}`, async () => {
      const { confidence } = await derive(language, text, fn);
      assert.deepEqual(confidence.missed, []);
      assert.ok(confidence.mutants.hit * 3 > confidence.mutants.of * 2, JSON.stringify(confidence.mutants));
    });
  }
});
