import assert from 'node:assert/strict';
import { exampleCall, writeCalls } from '../../../extension/judging/example.ts';
import { Calls } from '../../../shared/judging.ts';

describe('the example of a call', () => {
  for (const [source, params, wanted] of [
    ['def word_report(text, limit=10):\n    return text[:limit]', ['text', 'limit'], ['some text', 10]],
    ['def f(a: str, b: "int", c: float, d: bool):', ['a', 'b', 'c', 'd'], ['some text', 5, 1.5, true]],
    ['def f(rows: list[dict[str, int]], key: str | None = None):', ['rows', 'key'], [[{ key: 5 }], 'some text']],
    [
      'def f(\n    pairs: Sequence[Tuple[str, float]],\n    sep=", ",\n) -> dict[str, int]:',
      ['pairs', 'sep'],
      [[['some text', 1.5]], ', '],
    ],
    ['def f(x: Optional[List[int]] = None, *rest, **more):', ['x', '*rest', '**more'], [[3, 1, 2]]],
    ['function g(items, min = -1) {', ['items', 'min'], [[3, 1, 2], -1]],
    [
      'export function g(words: readonly string[], by?: (a: string) => number, n = 3): string[] {',
      ['words', 'by', 'n'],
      [['b', 'a', 'b'], 5, 3],
    ],
    [
      'function g(m: Record<string, number[]>, s: Set<string>, ok: boolean) {',
      ['m', 's', 'ok'],
      [{ key: [3, 1, 2] }, ['b', 'a', 'b'], true],
    ],
    ["const g = (mode = 'fast', n) => n", ['mode', 'n'], ['fast', 5]],
    ['@cache(maxsize=3)\ndef f(n=2):', ['n'], [2]],
    ['def net(price):\n    for part in price:\n        pass', ['price'], [[3, 1, 2]]],
    ['function g(line) { return line.length }', ['line'], ['some text']],
    ['def f():', [], []],
  ] as const) {
    it(`of ${source.split('\n')[0]}`, () => {
      assert.deepEqual(exampleCall(source, params), wanted);
    });
  }

  it('is written with one call in a line, as it is read back', () => {
    const text = writeCalls([
      ['some text', 10],
      [[1, 2], { key: 'a' }],
    ]);
    assert.equal(text, '[\n  ["some text", 10],\n  [[1, 2], {"key": "a"}]\n]\n');
    assert.equal(Calls.parse(JSON.parse(text)).length, 2);
  });
});
