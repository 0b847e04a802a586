import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const texts = (path: string): Record<string, string> => JSON.parse(read(path));
const sources = globSync('extension/**/*.ts', { cwd: root }).sort();

/** `l10n.t('…'` or `l10n.t("…"`, with any white space. */
const CALL = /l10n\.t\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")?/g;
/** Keys under which the manifest holds what a person reads. */
const READ = ['title', 'shortTitle', 'name', 'contextualTitle', 'contents', 'label', 'displayName', 'altText', 'tooltip'];
const DESCRIBED = ['description', 'markdownDescription', 'userDescription', 'deprecationMessage', 'markdownDeprecationMessage'];
/** Names, the same in every language. */
const NAMES = ['Peagen'];

/** Each call's text, or undefined where it is not one literal. */
function calls(path: string): { text: string | undefined; line: number }[] {
  const source = read(path);
  return [...source.matchAll(CALL)].map((match) => {
    const literal = match[1] ?? match[2];
    const line = source.slice(0, match.index).split('\n').length;
    return { text: literal?.replaceAll(/\\(.)/g, (_, each: string) => (each === 'n' ? '\n' : each)), line };
  });
}

/** Every text of the manifest that a person reads, with the way to it. What a tool tells a model is not for people. */
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

const placeholders = (text: string) =>
  [...text.matchAll(/\{\d+\}|\$\([a-z~-]+\)|\(command:[^)]+\)|`[^`]+`/g)].map(([each]) => each).sort();

describe('the texts in German', () => {
  const german = texts('media/l10n/bundle.l10n.de.json');
  const inSource = sources.flatMap((path) => calls(path).map(({ text, line }) => ({ text, at: `${path}:${line}` })));

  it('are found by their literal in the source', () => {
    assert.deepEqual(
      inSource.filter(({ text }) => text === undefined).map(({ at }) => at),
      [],
    );
    assert.ok(inSource.length > 50);
  });

  it('are there for every text of the extension, and for no other', () => {
    const wanted = new Set(inSource.map(({ text }) => text ?? ''));
    assert.deepEqual(
      [...wanted].filter((text) => german[text] === undefined).sort(),
      [],
      'missing in media/l10n/bundle.l10n.de.json',
    );
    assert.deepEqual(
      Object.keys(german).filter((text) => !wanted.has(text)),
      [],
      'not used any more',
    );
  });

  it('know every edit that the structural mutators say they made', () => {
    const sources = globSync('daemon/evolution/mutators/*.ts', { cwd: root }).map(read);
    // What is composed is listed here: a new one wants its words too.
    const composed = sources.flatMap((text) =>
      [...text.matchAll(/what(?: =|:) `([a-z][a-z ]*\$\{\w+\}[^:`]*)/g)].map(([, form = '']) => form.replace(/\$\{\w+\}/, '…')),
    );
    assert.deepEqual(composed.sort(), ['delete what sets …', 'move statement … its loop']);
    const loops = ['before', 'after'].map((where) => `move statement ${where} its loop`);
    const made = sources.flatMap((text) =>
      [...text.matchAll(/what(?: =|:) `([a-z ]+): |(?:replacement|swapOperators)\(.*'([a-z ]+)'\)/g)].map(
        ([, edit, swapped]) => edit ?? swapped ?? '',
      ),
    );
    const said = [...made, ...loops];
    assert.ok(said.length > 15, said.join(', '));
    const known = Object.keys(german).flatMap((text) => /^(.+) at line \{0\}$/.exec(text)?.[1] ?? []);
    assert.deepEqual(
      [...new Set(said)].filter((edit) => !known.includes(edit)),
      [],
    );
    assert.deepEqual(
      known.filter((edit) => !said.includes(edit)),
      [],
      'said by no mutator',
    );
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
    assert.deepEqual(Object.keys(texts('media/l10n/package.nls.de.json')).sort(), wanted);
  });

  it('keep values, icons, commands and names in code as they are', () => {
    const english = texts('media/l10n/package.nls.json');
    const pairs = [
      ...Object.entries(german),
      ...Object.entries(texts('media/l10n/package.nls.de.json')).map(([key, text]) => [english[key] ?? '', text] as const),
    ];
    for (const [from, to] of pairs) assert.deepEqual(placeholders(to), placeholders(from), `${from} → ${to}`);
  });
});
