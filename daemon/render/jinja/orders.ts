/**
 * Remembers in which order the keys of mappings were inserted. The embedded engine sorts them; a mapping that comes back
 * from it is known again by its keys, and by its values where several mappings have the same keys in other orders.
 */
import { isDeepStrictEqual } from 'node:util';

interface Known {
  readonly keys: readonly string[];
  /** Absent for a mapping that is written in a template. */
  readonly value: object | undefined;
}

export class Orders {
  private readonly context: unknown;
  private readonly literals: readonly (readonly string[])[];
  private known: Map<string, Known[]> | undefined;

  constructor(context: unknown, literals: readonly (readonly string[])[]) {
    this.context = context;
    this.literals = literals;
  }

  /** The keys of `map` in their order of insertion. */
  keys(map: ReadonlyMap<unknown, unknown>): readonly unknown[] {
    const keys = [...map.keys()];
    this.known ??= this.index();
    const candidates = this.known.get(nameOf(keys.map(String))) ?? [];
    const [first, ...others] = candidates;
    if (first === undefined) return keys;
    const agreed = others.every((other) => other.keys.join('\0') === first.keys.join('\0'));
    const chosen = agreed ? first : candidates.find(({ value }) => value !== undefined && isDeepStrictEqual(plain(map), value));
    const order = new Map(keys.map((key) => [String(key), key]));
    return (chosen ?? first).keys.map((key) => order.get(key));
  }

  private index(): Map<string, Known[]> {
    const known = new Map<string, Known[]>();
    const add = (keys: readonly string[], value: object | undefined) => {
      const name = nameOf(keys);
      known.set(name, [...(known.get(name) ?? []), { keys, value }].slice(-64));
    };
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      const keys = Array.isArray(value) ? [] : Object.keys(value);
      if (keys.length > 1) add(keys, value);
      for (const inner of Object.values(value)) walk(inner);
    };
    walk(this.context);
    for (const keys of this.literals) add([...new Set(keys)], undefined);
    return known;
  }
}

function nameOf(keys: readonly string[]): string {
  return [...keys].sort().join('\0');
}

/** What came from the engine, as plain objects: the only mappings that it takes back. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, inner]) => [String(key), plain(inner)]));
  return value;
}
