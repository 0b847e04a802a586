import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { lineEdit } from '../../../daemon/server/lsp/edits.ts';

const apply = (text: string, edit: ReturnType<typeof lineEdit>) => {
  if (edit === 'conflict') return edit;
  return edit === undefined ? text : TextDocument.applyEdits(TextDocument.create('file:///a', '', 1, text), [edit]);
};
const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 }).map((lines) => lines.join('\n'));

describe('lineEdit', () => {
  it('turns the text of before into that of after', () => {
    fc.assert(fc.property(text, text, (before, after) => assert.equal(apply(before, lineEdit(before, after, before)), after)));
  });

  it('finds its lines below what was inserted above', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const framed = (body: string) => `start\n${body}\nend`;
        const current = `new\nlines\n${framed(before)}`;
        const found = apply(current, lineEdit(framed(before), framed(after), current));
        // Lines that occur twice may be ambiguous: then it says so, and never changes the wrong ones.
        if (found !== 'conflict') assert.equal(found, `new\nlines\n${framed(after)}`);
      }),
    );
    const at = lineEdit('def f():\n    slow\n', 'def f():\n    fast\n', 'import x\n\ndef f():\n    slow\n');
    assert.equal(apply('import x\n\ndef f():\n    slow\n', at), 'import x\n\ndef f():\n    fast\n');
  });

  it('is not misled by equal lines where the old place was', () => {
    const [before, after] = ['start\nb\n\nb\n\nb\nend', 'start\nb\n\nb\nb\nend'];
    const current = `new\nlines\n${before}`;
    assert.equal(apply(current, lineEdit(before, after, current)), `new\nlines\n${after}`);
  });

  it('says conflict when the lines are gone or are there twice', () => {
    assert.equal(lineEdit('a\nslow\nb', 'a\nfast\nb', 'a\nmine\nb'), 'conflict');
    assert.equal(lineEdit('a\nslow\nb', 'a\nfast\nb', 'x\na\nslow\nb\na\nslow\nb'), 'conflict');
  });

  it('changes lines of a text with other line ends', () => {
    const edit = lineEdit('a\nslow\nb\n', 'a\nfast\nb\n', 'a\r\nslow\r\nb\r\n');
    assert.equal(apply('a\r\nslow\r\nb\r\n', edit), 'a\r\nfast\nb\r\n');
  });
});
