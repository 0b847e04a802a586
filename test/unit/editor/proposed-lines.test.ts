import assert from 'node:assert/strict';
import { proposedLines as linesOf } from '../../../extension/review/proposed-lines.ts';

const proposedLines = (before: string[], after: string[], path = 'a.py') => linesOf(before, after, path);

/** What a user reads. */
const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());
/** What is in a stronger green. */
const strong = (html: string) => [...html.matchAll(/insertedTextBackground\);">([^<]*)</g)].map(([, text]) => text);

describe('the new lines of a hunk', () => {
  it('are marked as added, with their indentation and their empty lines', () => {
    assert.deepEqual(textOf(proposedLines([], ['def f():', '', '\treturn 1'])), ['+ def f():', '+', '+     return 1']);
  });

  it('make one block: each is as wide as the longest', () => {
    const lines = proposedLines(['a'], ['b', 'c'.repeat(90)])
      .replace(/<\/pre>\n\n$/, '')
      .split('\n');
    const widths = lines.map((line) => line.replaceAll(/<[^>]*>/g, '').length);
    assert.deepEqual(widths, [93, 93]);
  });

  it('have the parts marked in which they differ from the lines that they replace', () => {
    assert.deepEqual(strong(proposedLines(['    return x * 2'], ['    return x + 2'])), ['+']);
  });

  it('have no part marked where nothing of the old lines is left', () => {
    assert.deepEqual(strong(proposedLines(['pass'], ['return 1'])), []);
  });

  it('have words, numbers, texts and comments in colours, by language', () => {
    const colouredIn = (line: string, path: string) =>
      [...proposedLines([], [line], path).matchAll(/-(\w+)\);">([^<]*)<\/span>/g)].map(([, kind, text]) => `${kind} ${text}`);
    const [word, text, number, comment] = ['boolean', 'string', 'number', 'descriptionForeground'];
    assert.deepEqual(colouredIn("if x1.is not in f('a # b', 7 // 2):  # then", 'a.py'), [
      `${word} if`,
      `${word} not`,
      `${word} in`,
      `${text} 'a # b'`,
      `${number} 7`,
      `${number} 2`,
      `${comment} # then`,
    ]);
    assert.deepEqual(colouredIn('return this.#if; // then', 'a.ts'), [`${word} return`, `${word} this`, `${comment} // then`]);
  });

  it('cannot end the block or bring in elements of their own', () => {
    const hostile = '</span></pre><img src="x" onerror="alert(1)">&amp;';
    const html = proposedLines(['x'], [hostile]);
    assert.deepEqual(textOf(html), [`+ ${hostile}`]);
    assert.deepEqual([...new Set([...html.matchAll(/<\/?([a-z]+)/g)].map(([, name]) => name))], ['pre', 'span']);
  });

  it('of a long hunk are shown without a comparison of words', () => {
    const long = Array.from({ length: 3000 }, (_, i) => `value ${i}`);
    assert.equal(strong(proposedLines(['value'], long)).length, 0);
  });
});
