import assert from 'node:assert/strict';
import { selectedFunctions } from '../../../extension/commands/selection/functions.ts';
import type { FunctionInfo } from '../../../shared/protocol/targets.ts';

const source = [
  'def one(x):',
  '    return x',
  '',
  'def two(x):',
  '    return x',
  '',
  'class Box(Base):',
  '    size = 1',
  '    def open(self):',
  '        return 1',
  '',
  '    def close(self):',
  '        return 2',
  '',
  'print(one(1))',
];
const fn = (name: string, start_line: number, end_line: number): FunctionInfo => ({
  name,
  start: 0,
  end: 0,
  start_line,
  end_line,
  params: [],
});
const functions = [fn('one', 0, 1), fn('two', 3, 4), fn('Box.open', 8, 9), fn('Box.close', 11, 12)];

/** In words: what lines `start` to `end` mean. */
function meant(start: number, end = start): string {
  const found = selectedFunctions(functions, start, end, source);
  if (found === undefined) return 'none';
  if (found.kind === 'one') return found.function.name;
  return `${found.inClass ?? 'several'}: ${found.functions.map(({ name }) => name).join(', ')}`;
}

describe('what a selection means', () => {
  it('is the function around the cursor', () => {
    assert.deepEqual([meant(1), meant(3), meant(9)], ['one', 'two', 'Box.open']);
  });

  it('is the one function that it touches, or all that it touches', () => {
    assert.equal(meant(2, 4), 'two');
    assert.equal(meant(1, 3), 'several: one, two');
  });

  it('is a class, from its first line or between its methods', () => {
    const box = 'Box: Box.open, Box.close';
    assert.deepEqual([meant(6), meant(7), meant(10)], [box, box, box]);
  });

  it('is none in particular elsewhere', () => {
    assert.deepEqual([meant(2), meant(14)], ['none', 'none']);
  });
});
