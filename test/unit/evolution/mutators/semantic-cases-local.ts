/** Examples of the operators for functions of the file, spans, copies, dates and parts of a list; and what they leave alone. */
import { type Case, named } from './semantic-cases.ts';

export const pythonLocal: Case[] = [
  {
    what: 'a condition with a choice next to what must be equal',
    operator: named('scanToIndex'),
    before:
      'def f(xs, ys):\n    out = []\n    for x in xs:\n        for y in ys:\n            if y[0] == x and (y[1] > 2 or y[1] < x):\n                out.append(y)\n    return out\n',
    after: /for y in \(by_key\.get\(x, \(\)\) if by_key else ys\):/,
    call: '[1, 2, 3], [[1, 0], [1, 2], [2, 5]]',
  },
];

export const javascriptLocal: Case[] = [];

export const untouchedLocal: { what: string; operator: Case['operator']; path: string; text: string }[] = [];
