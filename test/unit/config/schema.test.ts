/** The schema of the configuration, as `peagen config schema` prints it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { configSchema, descriptions } from '../../../shared/config-schema.ts';

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

describe('the schema of the configuration', () => {
  const keys = keysOf(configSchema());

  it('describes every key in a sentence', () => {
    assert.ok(keys.length > 90, `${keys.length}`);
    const without = keys.filter(([, text]) => text === undefined || !text.endsWith('.'));
    assert.deepEqual(without, []);
  });

  it('has no key that nothing reads', () => {
    const daemon = join(import.meta.dirname, '..', '..', '..', 'daemon');
    const files = readdirSync(daemon, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const words = new Set(files.flatMap((path) => readFileSync(join(daemon, path), 'utf8').match(/\w+/g) ?? []));
    const idle = keys.filter(([path]) => !words.has(path.split('.').at(-1) ?? ''));
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
