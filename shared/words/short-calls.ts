/** How fast a program is on the given calls alone, where longer ones made from them decide with them. */
import type { Best } from '../run.ts';
import { ratioFigure, times } from './ratio.ts';

type Given = NonNullable<Best['given']>;

/** Whether it is slower there, however much it gains on longer calls. */
export function isSlowerOnShort(given: Given | undefined): given is Given {
  return given !== undefined && given.high < 1;
}

/** `1.25× slower (95 % interval 1.20 to 1.31): it gains on longer calls only`. */
export function shortCallsText({ ratio, low, high }: Given): string {
  const interval = (from: number, to: number) => `(95 % interval ${ratioFigure(from)} to ${ratioFigure(to)})`;
  if (high < 1) return `${times(1 / ratio)} slower ${interval(1 / high, 1 / low)}: it gains on longer calls only`;
  if (low > 1) return `${times(ratio)} faster ${interval(low, high)}`;
  return `as fast, as far as can be measured ${interval(low, high)}`;
}
