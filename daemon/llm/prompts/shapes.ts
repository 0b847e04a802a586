/**
 * Describes the arguments of a call by shape and size, so that a model knows whether a list has ten numbers or a million
 * strings. Short values are written out; long ones are summarised. Pure; looks at no more than `SAMPLE` elements of a list.
 */
import { type Call, showBefore } from '../../../shared/judging.ts';

/** Characters up to which a value is written out. */
const SHORT = 60;
/** Elements of a list that are looked at. */
const SAMPLE = 200;
/** Levels of nesting that are described. */
const DEPTH = 3;

/** `total([3, 1, 2], limit=5)`, or `total(list of 1,000 integers from 0 to 9,999, 5)`. */
export function describeCall(fn: string, call: Call): string {
  const { args, kwargs, init } = call;
  const named = Object.entries(kwargs).map(([name, value]) => `${name}=${describeValue(value)}`);
  const member = fn.lastIndexOf('.');
  const values = [...args.map((value) => describeValue(value)), ...named].join(', ');
  if (init === undefined || member < 0) return `${fn}(${values})`;
  const made = [
    ...init.args.map((value) => describeValue(value)),
    ...Object.entries(init.kwargs).map(([name, value]) => `${name}=${describeValue(value)}`),
  ];
  return `${fn.slice(0, member)}(${made.join(', ')})${fn.slice(member)}(${values})${showBefore(call, (value) => describeValue(value))}`;
}

function describeValue(value: unknown, depth = DEPTH): string {
  const text = JSON.stringify(value) ?? 'null';
  if (text.length <= SHORT) return text;
  if (typeof value === 'string')
    return `string of ${count(value.length)} characters such as ${JSON.stringify(value.slice(0, 20))}`;
  if (Array.isArray(value)) return `list of ${count(value.length)} ${elements(value, depth)}`;
  if (typeof value === 'object' && value !== null) return describeObject(value, depth);
  return `${text.slice(0, SHORT)}…`;
}

/** Runners tag what JSON lacks: `{"tuple": […]}`, `{"set": […]}` and `{"dict": [[key, value], …]}`. */
function describeObject(value: object, depth: number): string {
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined && Array.isArray(first[1])) {
    const [tag, items] = first;
    if (tag === 'tuple' || tag === 'set') return `${tag} of ${count(items.length)} ${elements(items, depth)}`;
    if (tag === 'dict') {
      const pairs = items.filter((item): item is unknown[] => Array.isArray(item));
      return mapping(
        pairs.map(([key]) => key),
        pairs.map(([, item]) => item),
        depth,
      );
    }
  }
  return mapping(Object.keys(value), Object.values(value), depth);
}

function mapping(keys: readonly unknown[], values: readonly unknown[], depth: number): string {
  return `dictionary of ${count(keys.length)} entries, keys ${elements(keys, depth)}, values ${elements(values, depth)}`;
}

/** What the elements have in common: `integers from 0 to 9`, `strings of 3 to 8 characters`, or one of them as an example. */
function elements(all: readonly unknown[], depth: number): string {
  const some = all.slice(0, SAMPLE);
  if (some.every((one) => typeof one === 'number')) {
    const low = Math.min(...some);
    const high = Math.max(...some);
    return `${some.every(Number.isInteger) ? 'integers' : 'numbers'} from ${number(low)} to ${number(high)}`;
  }
  if (some.every((one) => typeof one === 'string')) {
    const lengths = some.map((one) => one.length);
    const [low, high] = [Math.min(...lengths), Math.max(...lengths)];
    return `strings of ${low === high ? count(low) : `${count(low)} to ${count(high)}`} characters`;
  }
  if (some.every((one) => typeof one === 'boolean')) return 'booleans';
  const example = some[0];
  return depth === 0 ? 'nested values' : `elements such as ${describeValue(example, depth - 1)}`;
}

const count = (n: number): string => n.toLocaleString('en');
const number = (n: number): string => (Number.isInteger(n) ? count(n) : String(Number(n.toPrecision(4))));
