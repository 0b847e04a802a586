/** The schema of the configuration, as `peagen config schema` prints it. */
import assert from 'node:assert/strict';
import * as z from 'zod';
import { configSchema, descriptions } from '../../../shared/config-schema.ts';
import { readTracked, trackedFiles } from '../../prose.ts';

const Node = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional(), description: z.string().optional() });

/** Paths of all keys, with their descriptions. */
function keysOf(schema: unknown, path: readonly string[] = []): [string, string | undefined][] {
  const node = Node.parse(schema);
  const own = Object.entries(node.properties ?? {}).flatMap(([key, value]): [string, string | undefined][] => {
    const here = [...path, key];
    return [[here.join('.'), Node.parse(value).description], ...keysOf(value, here)];
  });
  const items = node['items'] === undefined ? [] : keysOf(node['items'], [...path, '[]']);
  const choices = z.array(z.unknown()).parse(node['anyOf'] ?? node['oneOf'] ?? []);
  return [...own, ...items, ...choices.flatMap((one) => keysOf(one, path))];
}

/** Without comments, and without the declaration of the schema itself. */
function codeOf(path: string): string {
  if (path === 'shared/config-schema.ts') return '';
  const text = readTracked(path).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  return path === 'shared/config.ts' ? text.slice(text.indexOf('export type Config =')) : text;
}

/**
 * Whether the code takes the key out of its table: `mutate.backend`, `{ backend } = config.mutate`, `({ mutate: { backend } })`
 * or `({ backend }: Config['mutate'])`. Entries of a list, and tables that a run takes over whole, have other names in the code: of
 * them a key must be taken out of something.
 */
function isRead(path: string, code: string): boolean {
  const names = path.split('.');
  const key = names.at(-1);
  const table = names.at(-2) ?? 'config';
  if (names.includes('[]') || table === 'islands' || table === 'objectives')
    return new RegExp(`\\.${key}\\b|\\{[^{}]*\\b${key}\\b[^{};]*\\}\\s*[=:]`).test(code);
  return [
    `\\b${table}\\??\\.${key}\\b`,
    `\\{[^{}]*\\b${key}\\b[^{};]*\\}\\s*=\\s*[^;]*\\b${table}\\s*[;)?]`,
    `\\b${table}:\\s*\\{[^{}]*\\b${key}\\b[^{}]*\\}[^{};]*\\}\\s*[:=,)]`,
    `\\b${key}\\b[^{}]*\\}:[^;]*Config\\['[^;]*${table}`,
  ].some((pattern) => new RegExp(pattern).test(code));
}

describe('the schema of the configuration', () => {
  const keys = keysOf(configSchema());

  it('describes every key in a sentence', () => {
    assert.ok(keys.length > 90, `${keys.length}`);
    const without = keys.filter(([, text]) => text === undefined || !text.endsWith('.'));
    assert.deepEqual(without, []);
  });

  it('has no key that nothing reads', () => {
    const code = trackedFiles('daemon', 'extension', 'shared')
      .filter((path) => path.endsWith('.ts'))
      .map(codeOf)
      .join('\n');
    const idle = keys.filter(([path]) => !isRead(path, code));
    assert.deepEqual(idle, []);
  });

  it('describes no key that there is not', () => {
    const known = new Set(keys.map(([path]) => path));
    assert.deepEqual(
      Object.keys(descriptions).filter((path) => !known.has(path)),
      [],
    );
  });
});
