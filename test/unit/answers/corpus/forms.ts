/** The forms in which models give one and the same change: all of them mean it, so all give the same child. */
import { createTwoFilesPatch } from 'diff';
import { type Change, changed, TEXT } from './program.ts';

const trimEnd = (text: string) => text.replace(/\n$/, '');
const mapLines = (text: string, map: (line: string) => string) => text.split('\n').map(map).join('\n');

function block({ search, replace }: Pick<Change, 'search' | 'replace'>): string {
  return `<<<<<<< SEARCH\n${trimEnd(search)}\n=======\n${trimEnd(replace)}\n>>>>>>> REPLACE\n`;
}

function unified(change: Change, context = 3, path = 'src/stats.py'): string {
  const patch = createTwoFilesPatch(`a/${path}`, `b/${path}`, TEXT, changed(change), undefined, undefined, { context });
  return patch.slice(patch.indexOf('---'));
}

function wholeFunction(change: Change): string {
  const text = changed(change);
  return text.slice(text.indexOf('def total'), text.indexOf('\n\n\nprint'));
}

export const forms: Readonly<Record<string, (change: Change) => string>> = {
  'a SEARCH/REPLACE block': block,
  'a block in a fence': (c) => `\`\`\`python\n${block(c)}\`\`\`\n`,
  'a block between paragraphs': (c) =>
    `Change: it is faster.\n\nHere you go:\n\n${block(c)}\n\nThis works because ranges are slow.\n`,
  'a block with a file name before it': (c) => `src/stats.py\n${block(c)}`,
  'a block for a file that is not there': (c) => `**lib/other.py**\n\`\`\`\n${block(c)}\`\`\``,
  'a block with Windows line ends': (c) => block(c).replaceAll('\n', '\r\n'),
  'a block with blanks at the line ends': (c) =>
    mapLines(block(c), (line) => (/^[<=>]{7}/.test(line) ? line : `${line}  `)).replaceAll(/ {2}$/gm, '  '),
  'a block whose searched lines have lost their indentation': (c) =>
    block({
      search: mapLines(c.search, (l) => l.replace(/^ {4}/, '')),
      replace: mapLines(c.replace, (l) => l.replace(/^ {4}/, '')),
    }),
  'a block in tabs': (c) =>
    block({
      search: mapLines(c.search, (l) => l.replaceAll('    ', '\t')),
      replace: mapLines(c.replace, (l) => l.replaceAll('    ', '\t')),
    }),
  'a block indented as a list item': (c) =>
    block({ search: mapLines(c.search, (l) => l && `  ${l}`), replace: mapLines(c.replace, (l) => l && `  ${l}`) }),
  'a block with short markers in lower case': (c) =>
    block(c).replace('<<<<<<< SEARCH', '<<<<< search').replace('=======', '=====').replace('>>>>>>> REPLACE', '>>>>> replace'),
  'a block called ORIGINAL and UPDATED': (c) => block(c).replace('SEARCH', 'ORIGINAL').replace('REPLACE', 'UPDATED'),
  'a block with empty lines around the searched ones': (c) =>
    block({ search: `\n${c.search}\n\n`, replace: `\n${c.replace}\n\n` }),
  'a block after aloud thinking with another block': (c) =>
    `<think>\n<<<<<<< SEARCH\n    result = 0\n=======\n    result = 99\n>>>>>>> REPLACE\n</think>\n${block(c)}`,
  'the same block twice': (c) => `${block(c)}\nAs I said:\n\n${block(c)}`,
  'a block, then one that changes nothing': (c) => `${block(c)}\n${block({ search: c.search, replace: c.search })}`,
  'a unified diff': (c) => unified(c),
  'a diff in a fence': (c) => `Change: faster.\n\`\`\`diff\n${unified(c)}\`\`\`\nDone.`,
  'a diff with wrong line numbers': (c) => unified(c).replaceAll(/^@@.*@@/gm, '@@ -400,7 +900,2 @@'),
  'a diff without line numbers': (c) => unified(c).replaceAll(/^@@.*@@/gm, '@@'),
  'a diff with a wrong file name': (c) => unified(c, 3, 'app/main.py'),
  'a diff without file names': (c) => unified(c).replaceAll(/^(---|\+\+\+).*\n/gm, ''),
  'a diff without context': (c) => unified(c, 1),
  'a diff with the whole file as context': (c) => unified(c, 100),
  'a diff with Windows line ends': (c) => unified(c).replaceAll('\n', '\r\n'),
  'a diff with made-up context': (c) => unified(c, 1).replaceAll(/^ .*$/gm, ' # some context that is not there'),
  'a diff whose empty lines have lost their blank': (c) => unified(c).replaceAll(/^ $/gm, ''),
  'the whole function in a fence': (c) => `Change: faster.\n\n\`\`\`python\n${wholeFunction(c)}\n\`\`\`\n`,
  'the whole function in tildes': (c) => `~~~~py\n${wholeFunction(c)}\n~~~~`,
  'the whole function, indented': (c) => `\`\`\`python\n${mapLines(wholeFunction(c), (l) => l && `    ${l}`)}\n\`\`\``,
  'the whole function with example calls after it': (c) =>
    `\`\`\`python\n${wholeFunction(c)}\n\n\nprint(total([4], 1))\nassert total([], 1) == 0\n\`\`\``,
  'the whole file': (c) => `\`\`\`python\n${changed(c)}\`\`\``,
  'the whole function after a sketch of another': (c) =>
    `First idea:\n\`\`\`python\ndef total(items, limit):\n    return 1\n\`\`\`\nBetter:\n\`\`\`python\n${wholeFunction(c)}\n\`\`\``,
  'the whole function between shell commands': (c) =>
    `\`\`\`python\n${wholeFunction(c)}\n\`\`\`\nRun it:\n\`\`\`bash\npython src/stats.py\n\`\`\``,
  'the whole function with Windows line ends': (c) => `\`\`\`python\n${wholeFunction(c)}\n\`\`\``.replaceAll('\n', '\r\n'),
};
