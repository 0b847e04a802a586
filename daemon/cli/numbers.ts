/** Parsers of numeric options; commander prints their message with the option's name and value. */
import { InvalidArgumentError } from 'commander';

export function whole(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('Expected a whole number, 1 or more.');
  return value;
}

export function seed(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new InvalidArgumentError('Expected a whole number from 0 to 4294967295.');
  }
  return value;
}

export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new InvalidArgumentError('Expected a number above 0.');
  return value;
}

export function count(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('Expected a whole number, 0 or more.');
  return value;
}
