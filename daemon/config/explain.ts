/** Turns a validation issue into a sentence: the key, where it stands, what was expected, the nearest valid name. */
import * as z from 'zod';
import { nearest, PeagenError } from '../../shared/errors.ts';

export interface Location {
  file: string;
  text: string;
  fromFile: unknown;
  fromEnv: unknown;
  fromFlags: unknown;
}

export function explainIssue(issue: z.core.$ZodIssue, where: Location, schema: z.ZodType): PeagenError {
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0] ?? '';
    const known = keysAt(schema, path);
    const near = nearest(key, known);
    return new PeagenError('invalid_config', `${place([...path, key], where)} is not a known key.`, {
      hint: near === undefined ? `Known there: ${known.join(', ')}.` : `Did you mean "${near}"?`,
    });
  }
  const value = at(where.fromFlags, path) ?? at(where.fromEnv, path) ?? at(where.fromFile, path);
  // TOML has numbers that JSON has not.
  const isEndless = typeof value === 'number' && !Number.isFinite(value);
  const shown = isEndless ? String(value) : JSON.stringify(value);
  const expected = isEndless ? 'expected a finite number' : expectation(issue);
  const wrong =
    value === undefined ? `${place(path.slice(0, -1), where)} lacks "${path.at(-1)}"` : `${place(path, where)} = ${shown}`;
  return new PeagenError('invalid_config', `${wrong}: ${expected}.`, {
    hint: 'Run "peagen config schema" for all keys and types.',
  });
}

function expectation(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return `expected ${issue.expected}`;
  return issue.message.replace(/^Invalid input: /, '');
}

/** `evolve.population (line 12 of .peagen.toml)`, or the environment variable's name. */
function place(path: string[], where: Location): string {
  const key = path.join('.');
  if (at(where.fromFlags, path) !== undefined) return `${key} (from the command line)`;
  if (at(where.fromEnv, path) !== undefined) return `${key} (from PEAGEN__${path.join('__').toUpperCase()})`;
  if (at(where.fromFile, path) === undefined) return key;
  const line = lineOf(where.text, path);
  return `${key} (${where.file}${line === undefined ? '' : `:${line}`})`;
}

function at(tree: unknown, path: string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    tree,
  );
}

/** Line (from 1) where a key stands in TOML text, or of its innermost table or parent that can be found. */
function lineOf(text: string, path: readonly string[]): number | undefined {
  let best: { depth: number; line: number } | undefined;
  let table: string[] = [];
  const arrays = new Map<string, number>();
  for (const [index, line] of text.split('\n').entries()) {
    const header = /^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?/.exec(line);
    let here: string[];
    if (header?.[2] === undefined) {
      const key = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/.exec(line)?.[1];
      if (key === undefined) continue;
      here = [...table, ...parts(key)];
    } else {
      table = parts(header[2]);
      if (header[1] === '[[') {
        const name = table.join('.');
        arrays.set(name, (arrays.get(name) ?? -1) + 1);
        table = [...table, String(arrays.get(name))];
      }
      here = table;
    }
    const depth = here.every((part, i) => path[i] === part) ? here.length : 0;
    if (depth > (best?.depth ?? 0)) best = { depth, line: index + 1 };
  }
  return best?.line;
}

function parts(key: string): string[] {
  return key.split('.').map((part) => part.trim().replaceAll(/^["']|["']$/g, ''));
}

/** The valid keys of the object schema at a path. */
function keysAt(schema: z.ZodType, path: readonly string[]): string[] {
  let node: z.core.$ZodType = unwrap(schema);
  for (const key of path) {
    if (node instanceof z.ZodObject) node = unwrap(node.shape[key]);
    else if (node instanceof z.ZodArray) node = unwrap(node.element);
    else return [];
  }
  return node instanceof z.ZodObject ? Object.keys(node.shape) : [];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  let node = schema;
  while (node instanceof z.ZodOptional || node instanceof z.ZodDefault || node instanceof z.ZodPrefault)
    node = node.def.innerType;
  return node;
}
