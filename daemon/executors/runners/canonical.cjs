/** A JavaScript value as plain JSON in which different values differ: see daemon/judging/function/values.ts. */

'use strict';

const { types } = require('node:util');

const { isProxy } = types;
const { isFinite: finite } = Number;
// What a value itself, or its class, says of how it is read could do the work of a call now, long after it.
const call = Function.prototype.call;
const getterOf = call.bind(Object.prototype.__lookupGetter__);
const eachOfMap = call.bind(Map.prototype.forEach);
const eachOfSet = call.bind(Set.prototype.forEach);
const DEEPEST = 1000;
const MOST = 2_000_000;
const { stringify } = JSON;

/** `hidden`: reads the private fields of an object of a class, which are part of its state then. */
function canonical(value, { most = MOST, hidden } = {}) {
  let count = 0;
  const ancestors = new Set();
  const walk = (item) => {
    if (item === null || typeof item === 'boolean' || typeof item === 'string') return item;
    if (typeof item === 'number')
      return finite(item) && !Object.is(item, -0) ? item : { float: Object.is(item, -0) ? '-0' : String(item) };
    if (item === undefined) return { undefined: 1 };
    if (typeof item === 'bigint') return { int: String(item) };
    if (typeof item === 'symbol') return { opaque: String(item) };
    if (typeof item === 'function') return { opaque: item.name };
    count += 1;
    if (count > most) throw new RangeError(`the output has more than ${most} parts`);
    if (ancestors.has(item)) return { cycle: ancestors.size };
    if (ancestors.size >= DEEPEST) throw new RangeError(`the output is nested deeper than ${DEEPEST} levels`);
    ancestors.add(item);
    const result = compound(item);
    ancestors.delete(item);
    return result;
  };
  const field = (item, key) => (getterOf(item, key) === undefined ? walk(item[key]) : { getter: key });
  const fields = (item) => Object.keys(item).map((key) => [key, field(item, key)]);
  const itemsOf = (item) => {
    const items = [];
    for (let at = 0; at < item.length; at++) items.push(at in item ? field(item, at) : { hole: 1 });
    return items;
  };
  const compound = (item) => {
    if (isProxy(item)) return { proxy: 1 };
    if (Array.isArray(item) && Object.getPrototypeOf(item) === Array.prototype) return itemsOf(item);
    if (ArrayBuffer.isView(item) && !(item instanceof DataView))
      return { array: item.constructor.name, items: Array.from({ length: item.length }, (_, at) => walk(item[at])) };
    if (item instanceof Map) {
      const dict = [];
      eachOfMap(item, (entry, key) => dict.push([walk(key), walk(entry)]));
      return { dict, map: 1 };
    }
    if (item instanceof Set) {
      const set = [];
      eachOfSet(item, (entry) => set.push(walk(entry)));
      return { set: set.sort((a, b) => (stringify(a) < stringify(b) ? -1 : 1)) };
    }
    if (item instanceof Date) return { date: item.getTime() };
    // One that looks for all matches remembers where it stopped.
    if (item instanceof RegExp)
      return item.global || item.sticky ? { regexp: String(item), at: item.lastIndex } : { regexp: String(item) };
    if (item instanceof Error) return { object: item.constructor.name, message: item.message };
    const prototype = Object.getPrototypeOf(item);
    if (prototype === Object.prototype || prototype === null) return { dict: fields(item) };
    if (Array.isArray(item)) return { object: prototype.constructor?.name ?? '', items: itemsOf(item) };
    const privates = (hidden?.(item) ?? []).map(([name, field]) => [name, walk(field)]);
    return { object: prototype.constructor?.name ?? '', state: { dict: [...fields(item), ...privates] } };
  };
  return walk(value);
}

const numbers = { inf: Infinity, '-inf': -Infinity, Infinity, '-Infinity': -Infinity, nan: NaN, NaN, '-0': -0 };
/** The value that `canonical` wrote. Throws a TypeError for what only a program can make. */
function untagged(tagged) {
  if (Array.isArray(tagged)) return tagged.map(untagged);
  if (typeof tagged !== 'object' || tagged === null) return tagged;
  if ('float' in tagged) return numbers[tagged.float] ?? Number(tagged.float);
  if ('int' in tagged) return BigInt(tagged.int);
  if ('undefined' in tagged) return undefined;
  if ('date' in tagged) return new Date(tagged.date);
  if ('set' in tagged) return new Set(tagged.set.map(untagged));
  if ('dict' in tagged) {
    const pairs = tagged.dict.map(([key, item]) => [untagged(key), untagged(item)]);
    return tagged.map === 1 ? new Map(pairs) : Object.fromEntries(pairs);
  }
  throw new TypeError(`inputs can hold plain values only, not ${stringify(tagged).slice(0, 200)}`);
}

module.exports = { canonical, untagged };
