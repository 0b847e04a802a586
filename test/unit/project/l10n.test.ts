import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const texts = (path: string): Record<string, string> => JSON.parse(read(path));
const sources = globSync('extension/**/*.ts', { cwd: root }).sort();

/** `l10n.t('…'` or `l10n.t("…"`, with any white space. */
const CALL = /l10n\.t\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")?/g;
/** Keys under which the manifest holds what a user reads. */
const READ = ['title', 'shortTitle', 'name', 'contextualTitle', 'contents', 'label', 'displayName', 'altText', 'tooltip'];
const DESCRIBED = ['description', 'markdownDescription', 'userDescription', 'deprecationMessage', 'markdownDeprecationMessage'];
/** Names, the same in every language. */
const NAMES = ['Peagen'];

/** The text of each call, or undefined where it is not one literal. */
function calls(path: string): { text: string | undefined; line: number }[] {
  const source = read(path);
  return [...source.matchAll(CALL)].map((match) => {
    const literal = match[1] ?? match[2];
    const line = source.slice(0, match.index).split('\n').length;
    return { text: literal?.replaceAll(/\\(.)/g, (_, each: string) => (each === 'n' ? '\n' : each)), line };
  });
}

/** Every text of the manifest that a user reads, with the way to it. What a tool says to a model is not for people. */
function* manifestTexts(value: unknown, way: string): Generator<{ way: string; text: string }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'inputSchema' || key === 'modelDescription') continue;
    const here = `${way}.${key}`;
    const isText = [...READ, ...DESCRIBED].includes(key) && !(key === 'name' && !way.includes('.views.'));
    if (typeof inner === 'string' && isText) yield { way: here, text: inner };
    else if (/[eE]numDescriptions$|enumItemLabels$/.test(key) && Array.isArray(inner))
      for (const [i, text] of inner.entries()) yield { way: `${here}[${i}]`, text: String(text) };
    else yield* manifestTexts(inner, here);
  }
}

describe('the texts of the extension', () => {
  const inSource = sources.flatMap((path) => calls(path).map(({ text, line }) => ({ text, at: `${path}:${line}` })));

  it('are found by their literal in the source', () => {
    assert.deepEqual(
      inSource.filter(({ text }) => text === undefined).map(({ at }) => at),
      [],
    );
    assert.ok(inSource.length > 50);
  });

  it('are there for every text of the manifest, and for no other', () => {
    const { contributes, capabilities, description } = JSON.parse(read('package.json'));
    const found = [...manifestTexts({ contributes, capabilities, description }, '')].filter(({ text }) => !NAMES.includes(text));
    assert.ok(found.length > 50);
    const keys = found.map(({ way, text }) => ({ way, key: /^%([\w.-]+)%$/.exec(text)?.[1] }));
    assert.deepEqual(
      keys.filter(({ key }) => key === undefined).map(({ way }) => way),
      [],
      'to be a %key% of package.nls.json',
    );
    const wanted = [...new Set(keys.map(({ key }) => key ?? ''))].sort();
    assert.deepEqual(Object.keys(texts('media/l10n/package.nls.json')).sort(), wanted);
  });
});
