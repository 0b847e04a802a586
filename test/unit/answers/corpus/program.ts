/** The program that the corpus of answers is about: two functions, of which the second may change. */
import type { Program } from '../../../../shared/program.ts';

export const TEXT = `import math


def helper(x):
    return x * 2


def total(items, limit):
    """Sums the items up to a limit."""
    result = 0
    for i in range(len(items)):
        value = items[i]
        if value > limit:
            value = limit
        result = result + value

    count = 0
    for i in range(len(items)):
        count = count + 1
    if count == 0:
        return 0
    return result / count


print(total([1, 2, 3], 2))
`;

/** `total`, from its `def` to the end of its last line, as loadTarget makes it. */
export function programOf(text: string, path = 'src/stats.py'): Program {
  const start = text.indexOf('def total');
  const end = text.indexOf('return result / count') + 'return result / count'.length;
  return { language: 'python', files: [{ path, text }], spans: [{ path, start, end }] };
}

export const ENTRY = { path: 'src/stats.py', fn: 'total' };

/** A change that is right: what to look for, what to put there, and the hunk that a diff would have. */
export interface Change {
  readonly name: string;
  readonly search: string;
  readonly replace: string;
}

export const changes: readonly Change[] = [
  {
    name: 'count at once',
    search: '    count = 0\n    for i in range(len(items)):\n        count = count + 1\n',
    replace: '    count = len(items)\n',
  },
  { name: 'augmented sum', search: '        result = result + value\n', replace: '        result += value\n' },
  {
    name: 'iterate over values',
    search: '    result = 0\n    for i in range(len(items)):\n        value = items[i]\n',
    replace: '    result = 0\n    for value in items:\n',
  },
  {
    name: 'two lines in place of one',
    search: '    if count == 0:\n',
    replace: '    # Nothing to divide.\n    if not items:\n',
  },
  {
    name: 'use min',
    search: '        if value > limit:\n            value = limit\n        result = result + value\n',
    replace: '        result = result + min(value, limit)\n',
  },
];

export function changed(change: Change): string {
  return TEXT.replace(change.search, change.replace);
}
