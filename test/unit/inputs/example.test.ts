/** The call that a user who types inputs begins with. */
import assert from 'node:assert/strict';
import { likeliestCall } from '../../../daemon/judging/inputs/seeds.ts';
import { entrySource } from '../../../daemon/judging/inputs/source.ts';
import { asWritten } from '../../../shared/judging.ts';

const item = 'interface Item { name: string; price: number; sold: boolean }';

describe('a call to begin with', () => {
  for (const [language, fn, source, wanted] of [
    ['python', 'f', 'def f(a: str, b: "int", c: float, d: bool):\n    return a', ['a', 7, 0.25, false]],
    ['python', 'f', 'def f(rows: list[dict[str, int]], key: str | None = None):\n    return rows', [[{ a: 7 }], 'a']],
    ['python', 'f', 'def f(x: Optional[List[int]] = None, *rest, **more):\n    return x', [[0]]],
    ['python', 'f', '@cache(maxsize=3)\ndef f(n=2, sep=", "):\n    return n', [2, ', ']],
    ['python', 'net', 'def net(price):\n    for part in price:\n        pass', [[2]]],
    ['python', 'f', 'def f():\n    return 1', []],
    ['javascript', 'g', 'function g(items, min = -1) { return items.filter((item) => item > min) }', [[2], -1]],
    ['javascript', 'g', "const g = (mode = 'fast', n) => n", ['fast', 3]],
    ['javascript', 'g', 'function g(line) { return line.length }', ['b']],
    [
      'typescript',
      'g',
      `${item}\nfunction g(items: Item[]) { return items }`,
      [[{ name: 'Hello, World', price: 0, sold: true }]],
    ],
  ] as const) {
    it(`of ${source.split('\n').at(source.startsWith('@') ? 1 : 0)}`, async () => {
      const entry = await entrySource(language, source, fn);
      assert.ok(entry !== undefined);
      assert.deepEqual(asWritten(likeliestCall(entry)), wanted);
    });
  }

  it('makes the object of a method first', async () => {
    const text =
      'class Box:\n    def __init__(self, size: int):\n        self.size = size\n\n    def put(self, item: str):\n        return item\n';
    const entry = await entrySource('python', text, 'Box.put');
    assert.ok(entry !== undefined);
    assert.deepEqual(asWritten(likeliestCall(entry)), { args: ['a'], init: { args: [7], kwargs: {} } });
  });
});
