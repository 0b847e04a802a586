/** Calls that are like known ones: what was in order, equal or a name of a field still is, and nothing of it can be remembered. */
import assert from 'node:assert/strict';
import { twinsOf } from '../../../daemon/judging/forgery/twins.ts';
import { createRandom } from '../../../daemon/random.ts';
import type { Call } from '../../../shared/judging.ts';

const callOf = (...args: Call['args']): Call => ({ args, kwargs: {} });
const twins = (calls: Call[], rounds: number, language: 'python' | 'node' = 'node'): Call[] =>
  twinsOf(calls, rounds, createRandom('twins'), language);
const textOf = (call: Call): string => JSON.stringify(call);

describe('twins of calls', () => {
  it('are none of the known calls, and no two of them are equal', () => {
    const known = [callOf([3, 1, 2]), callOf([9, 9], 'key'), callOf(5)];
    const made = twins(known, 40).map(textOf);
    assert.ok(made.length > 20, `${made.length}`);
    assert.equal(new Set([...made, ...known.map(textOf)]).size, made.length + known.length);
  });

  it('are made once in each round of a call that comes several times', () => {
    const call = callOf([100, 200, 300]);
    assert.equal(twins([call, call, call], 1).length, 1);
  });

  it('are the same for the same seed, and leave the known calls as they are', () => {
    const known = [callOf([{ name: 'ann', age: 31 }], [1, 2])];
    const before = textOf(known[0] ?? callOf());
    assert.deepEqual(twins(known, 9), twins(known, 9));
    assert.equal(textOf(known[0] ?? callOf()), before);
  });

  it('keep what is in order in order, and what is equal equal, or exchange two items', () => {
    for (const { args } of twins([callOf([1, 4, 4, 90])], 30)) {
      const [items] = args;
      assert.ok(Array.isArray(items) && items.length === 4);
      const numbers = items.map(Number);
      const sorted = numbers.toSorted((a, b) => a - b);
      assert.ok(sorted[1] === sorted[2], `${numbers}`);
      const gaps = sorted.slice(1).map((value, at) => value - (sorted[at] ?? 0));
      assert.deepEqual(gaps, [3, 0, 86]);
      assert.ok(numbers.filter((value, at) => value !== sorted[at]).length <= 3, `${numbers}`);
    }
  });

  it('keep the names of fields, and the length and case of a text', () => {
    for (const { args } of twins([callOf({ name: 'Ann-7', age: 3 })], 20)) {
      const [record] = args;
      assert.ok(typeof record === 'object' && record !== null && !Array.isArray(record));
      assert.deepEqual(Object.keys(record), ['name', 'age']);
      assert.match(String(record['name']), /^[A-Z][a-z]{2}-7$/);
      assert.ok(Number.isInteger(record['age']));
    }
  });

  it('keep a float of Python a float', () => {
    for (const { args } of twins([callOf({ float: '2.0' })], 10, 'python'))
      assert.doesNotMatch(textOf(callOf(...args)), /\[\d+\]/);
  });

  it('are none of a call in which nothing can be changed', () => {
    assert.deepEqual(twins([callOf(), callOf(true), callOf(null, [])], 5), []);
  });
});
