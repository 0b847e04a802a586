/** Parsers of numeric options; commander prints their message with the option's name and value. */
import { InvalidArgumentError } from 'commander';
import { MOST_PER_GENERATION } from '../../shared/run-spec.ts';

export const whole = integer(1, Number.MAX_SAFE_INTEGER, 'Expected a whole number, 1 or more.');
export const count = integer(0, Number.MAX_SAFE_INTEGER, 'Expected a whole number, 0 or more.');
export const population = integer(1, MOST_PER_GENERATION, `Expected a whole number from 1 to ${MOST_PER_GENERATION}.`);
export const seed = integer(0, 0xffffffff, 'Expected a whole number from 0 to 4294967295.');

export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

function integer(least: number, most: number, expected: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most) throw new InvalidArgumentError(expected);
    return value;
  };
}
