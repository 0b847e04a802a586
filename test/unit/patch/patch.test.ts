import assert from 'node:assert/strict';
import { diffChars } from 'diff';
import fc from 'fast-check';
import { planAccept } from '../../../shared/patch/decide.ts';
import { followChanges } from '../../../shared/patch/follow.ts';
import { diffHunks, type Hunk } from '../../../shared/patch/hunk.ts';
import { editText, type LineEdit, type LinePosition, rangeEdit, splitLines } from '../../../shared/patch/lines.ts';
import { placeHunks } from '../../../shared/patch/locate.ts';

/** A document as an editor holds it: edits change the text, and the hunks follow the change event. */
class Editor {
  hunks: Hunk[];
  lines: string[];
  text: string;

  constructor(before: string, after: string, text = before) {
    this.text = text;
    this.lines = splitLines(text);
    this.hunks = placeHunks(diffHunks(before, after), this.lines);
  }

  edit(edit: LineEdit): void {
    const change = rangeEdit(this.lines, edit, '\n');
    this.text = editText(this.text, edit);
    ({ hunks: this.hunks, lines: this.lines } = followChanges(this.hunks, this.lines, [change]));
    assert.deepEqual(this.lines, splitLines(this.text), 'the followed lines are those of the text');
  }

  accept(...ids: string[]): string[] {
    const { edits, conflicts } = planAccept(this.hunks, this.lines, new Set(ids));
    for (const edit of edits) this.edit(edit);
    return conflicts;
  }

  /** As undoing does: the lines from before are back. */
  revert(id: string): void {
    for (const { place, base } of this.hunks.filter((hunk) => hunk.id === id))
      this.edit({ start: place.start, oldCount: place.count, newLines: base.oldLines });
  }

  mark(state: Hunk['state']): void {
    this.hunks = this.hunks.map((hunk) => ({ ...hunk, state }));
  }

  get ids(): string[] {
    return this.hunks.map((hunk) => hunk.id);
  }

  states(): string[] {
    return this.hunks.map((hunk) => hunk.state);
  }
}

// Few different lines, so that contexts repeat and places are ambiguous.
const line = fc.constantFrom('a', 'b', 'c', 'd', '', '  x', '}');
const text = fc.array(line, { minLength: 1, maxLength: 14 }).map((lines) => lines.join('\n'));
const rawText = fc
  .tuple(fc.boolean(), fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 10 }), line)
  .map(([mark, lines, last]) => (mark ? '\uFEFF' : '') + lines.map(([a, eol]) => a + eol).join('') + last);

const normal = (raw: string) => splitLines(raw).join('\n');

describe('the patch model', () => {
  it('gives the candidate when all is accepted, in any order', () => {
    fc.assert(
      fc.property(text, text, fc.infiniteStream(fc.nat()), (before, after, order) => {
        const editor = new Editor(before, after);
        const ids = editor.ids;
        for (const pick of order) {
          if (ids.length === 0) break;
          const [id] = ids.splice(pick % ids.length, 1);
          assert.deepEqual(editor.accept(id ?? ''), []);
        }
        assert.equal(editor.text, after);
        assert.ok(editor.states().every((state) => state === 'accepted'));
      }),
      { numRuns: 2000 },
    );
  });

  it('accepts all at once', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const editor = new Editor(before, after);
        editor.accept(...editor.ids);
        assert.equal(editor.text, after);
      }),
    );
  });

  it('leaves the text alone when all is rejected, and lets a rejected hunk come back', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const editor = new Editor(before, after);
        const ids = new Set(editor.ids);
        editor.mark('rejected');
        assert.deepEqual(editor.accept(...ids), []);
        assert.equal(editor.text, before);
        editor.mark('pending');
        editor.accept(...ids);
        assert.equal(editor.text, after);
      }),
    );
  });

  it('makes a hunk pending again when its acceptance is taken back, and accepted again when it is redone', () => {
    fc.assert(
      fc.property(text, text, fc.nat(), (before, after, pick) => {
        const editor = new Editor(before, after);
        const id = editor.ids[pick % Math.max(1, editor.ids.length)];
        if (id === undefined) return;
        editor.accept(id);
        const accepted = editor.text;
        editor.revert(id);
        assert.equal(editor.text, before);
        assert.ok(editor.states().every((state) => state === 'pending'));
        editor.accept(id);
        assert.equal(editor.text, accepted);
      }),
      { numRuns: 1000 },
    );
  });

  it('follows any edits outside of the hunks', () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.array(line, { maxLength: 3 })), { maxLength: 6 });
    fc.assert(
      fc.property(text, text, edits, (before, after, userEdits) => {
        const editor = new Editor(before, after);
        for (const [where, oldCount, newLines] of userEdits) {
          const start = where % (editor.lines.length + 1);
          const end = start + oldCount;
          const apart = editor.hunks.every(({ place }) => end < place.start || start > place.start + place.count);
          if (!apart || end > editor.lines.length || editor.lines.length - oldCount + newLines.length < 1) continue;
          editor.edit({ start, oldCount, newLines });
        }
        const expected: string[] = [];
        let at = 0;
        for (const { place, newLines, base, state } of editor.hunks) {
          // A user may happen to type just what a hunk would have done: then it counts as accepted.
          assert.match(state, /pending|accepted/);
          const holds = state === 'pending' ? base.oldLines : newLines;
          assert.deepEqual(editor.lines.slice(place.start, place.start + place.count), holds);
          expected.push(...editor.lines.slice(at, place.start), ...newLines);
          at = place.start + place.count;
        }
        expected.push(...editor.lines.slice(at));
        assert.deepEqual(editor.accept(...editor.ids), []);
        assert.equal(editor.text, expected.join('\n'));
      }),
      { numRuns: 3000 },
    );
  });

  it('never changes a byte outside of the edited lines: endings, byte order mark, final newline', () => {
    fc.assert(
      fc.property(rawText, fc.nat(), fc.nat({ max: 3 }), fc.array(line, { maxLength: 3 }), (raw, where, count, newLines) => {
        const lines = splitLines(raw);
        const start = where % (lines.length + 1);
        const oldCount = Math.min(count, lines.length - start);
        fc.pre(lines.length - oldCount + newLines.length > 0);
        const edited = editText(raw, { start, oldCount, newLines });
        assert.deepEqual(splitLines(edited), [...lines.slice(0, start), ...newLines, ...lines.slice(start + oldCount)]);
        const endings = (part: string) => [...part.matchAll(/\r\n|\n|\r/g)].map(([ending]) => ending);
        assert.deepEqual(endings(edited).slice(0, Math.max(0, start - 1)), endings(raw).slice(0, Math.max(0, start - 1)));
        const behind = Math.max(0, lines.length - start - oldCount - 1);
        if (behind > 0) assert.deepEqual(endings(edited).slice(-behind), endings(raw).slice(-behind));
        assert.equal(edited.startsWith('\uFEFF'), raw.startsWith('\uFEFF'));
      }),
      { numRuns: 2000 },
    );
  });

  it('sees no difference in line endings and byte order marks', () => {
    fc.assert(fc.property(rawText, (raw) => assert.deepEqual(diffHunks(raw, normal(raw)), [])));
  });

  it('keeps at least one common line between two hunks', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = diffHunks(before, after);
        for (const [i, hunk] of hunks.entries()) {
          const next = hunks[i + 1];
          if (next !== undefined) assert.ok(hunk.base.start + hunk.base.oldLines.length < next.base.start);
        }
      }),
    );
  });
});

describe('changes of an editor', () => {
  /** The differing characters of two texts as changes, as an editor cuts a replacement before it applies it. */
  function minimalChanges(from: string, to: string): { start: LinePosition; end: LinePosition; text: string }[] {
    const position = (offset: number) => {
      const lines = from.slice(0, offset).split('\n');
      return { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
    };
    let at = 0;
    return diffChars(from, to).flatMap(({ added, removed, value }) => {
      const start = position(at);
      if (!added) at += value.length;
      return added || removed ? [{ start, end: position(at), text: added ? value : '' }] : [];
    });
  }

  it('accept and take back hunks however finely they are cut', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const hunks = placeHunks(diffHunks(before, after), splitLines(before));
        const accepted = followChanges(hunks, splitLines(before), minimalChanges(before, after));
        assert.deepEqual(accepted.lines, splitLines(after));
        const back = followChanges(accepted.hunks, accepted.lines, minimalChanges(after, before));
        assert.deepEqual(back.lines, splitLines(before));
      }),
      { numRuns: 1000 },
    );
    const before = 'def f(x):\n    y = 0\n    for i in x:\n        y += i\n    return y\n';
    const after = 'def f(x):\n    return sum(x)\n';
    const accepted = followChanges(diffHunks(before, after), splitLines(before), minimalChanges(before, after));
    assert.deepEqual(
      accepted.hunks.map(({ state }) => state),
      ['accepted'],
    );
    const back = followChanges(accepted.hunks, accepted.lines, minimalChanges(after, before));
    assert.deepEqual(
      back.hunks.map(({ state, place }) => ({ state, place })),
      [{ state: 'pending', place: { start: 1, count: 4 } }],
    );
  });

  it('move the hunks below them, in a text of 50,000 lines too', () => {
    const lines = Array.from({ length: 50_000 }, (_, i) => `x${i} = ${i}`);
    const changed = lines.map((line, i) => (i % 10_000 === 5_000 ? `${line} + 1` : line));
    let followed = { hunks: diffHunks(lines.join('\n'), changed.join('\n')), lines };
    for (let i = 0; i < 50; i++) {
      const position = { line: 100, character: 0 };
      followed = followChanges(followed.hunks, followed.lines, [{ start: position, end: position, text: '# more\n' }]);
    }
    assert.equal(followed.hunks[0]?.place.start, 5_050);
  });
});

describe('a hunk', () => {
  const before = 'def f(x):\n    y = 0\n    for i in x:\n        y += i\n    return y\n';
  const after = 'def f(x):\n    return sum(x)\n';

  it('is found again where its context moved to', () => {
    const editor = new Editor(before, after, `import os\n\n\n${before}`);
    assert.deepEqual(editor.states(), ['pending']);
    editor.accept('h1');
    assert.equal(editor.text, `import os\n\n\n${after}`);
  });

  it('is in conflict when a user changed its lines, and pending again when they are back', () => {
    const editor = new Editor(before, after);
    editor.edit({ start: 2, oldCount: 1, newLines: ['    for i in list(x):'] });
    assert.deepEqual(editor.states(), ['conflict']);
    editor.accept('h1');
    assert.match(editor.text, /list\(x\)/, 'a conflict is never written');
    editor.edit({ start: 2, oldCount: 1, newLines: ['    for i in x:'] });
    assert.deepEqual(editor.states(), ['pending']);
  });

  it('is in conflict when its lines occur twice alike', () => {
    const hunks = placeHunks(diffHunks('a\nold\nb', 'a\nnew\nb'), ['x', 'a', 'old', 'b', 'a', 'old', 'b']);
    assert.equal(hunks[0]?.state, 'conflict');
  });

  it('is found in a text read again in which its neighbours were accepted', () => {
    const two = ['def g(x):\n    return x * 2\n', 'def g(x):\n    return x + x\n\n\ndef h(x):\n    return x\n'] as const;
    const first = new Editor(...two);
    first.accept('h1');
    assert.deepEqual(new Editor(...two, first.text).states(), ['accepted', 'pending']);
    const line = fc.constantFrom('keep', 'change', 'delete', 'add');
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 25 }), fc.array(fc.boolean(), { maxLength: 25 }), (plan, chosen) => {
        const old = plan.flatMap((what, i) => (what === 'add' ? [] : [`line ${i}`]));
        const next = plan.flatMap((what, i) => (what === 'delete' ? [] : what === 'keep' ? [`line ${i}`] : [`new ${i}`]));
        const whole = (lines: string[]) => `first\n${lines.join('\n')}\nlast\n`;
        const editor = new Editor(whole(old), whole(next));
        editor.accept(...editor.ids.filter((_, i) => chosen[i] === true));
        assert.deepEqual(new Editor(whole(old), whole(next), editor.text).states(), editor.states());
      }),
      { numRuns: 500 },
    );
  });

  it('is accepted when its new lines are already there', () => {
    const editor = new Editor(before, after, after);
    assert.deepEqual(editor.states(), ['accepted']);
  });

  it('stays accepted when a user edits the accepted lines', () => {
    const editor = new Editor(before, after);
    editor.accept('h1');
    editor.edit({ start: 1, oldCount: 1, newLines: ['    return sum(x)  # fast'] });
    assert.deepEqual(editor.states(), ['accepted']);
  });

  it('can be a missing or an added final newline', () => {
    const editor = new Editor('a\nb', 'a\nb\n');
    assert.equal(editor.hunks.length, 1);
    editor.accept('h1');
    assert.equal(editor.text, 'a\nb\n');
    editor.revert('h1');
    assert.equal(editor.text, 'a\nb');
  });

  it('writes the endings of the file it is accepted in', () => {
    const crlf = before.replaceAll('\n', '\r\n');
    const [hunk] = diffHunks(before, after);
    assert.ok(hunk);
    const edited = editText(crlf, { start: hunk.base.start, oldCount: hunk.base.oldLines.length, newLines: ['    a', '    b'] });
    assert.equal(edited, 'def f(x):\r\n    a\r\n    b\r\n');
  });

  it('is one from the first to the last difference when two texts have too little in common', () => {
    const many = (word: string) => Array.from({ length: 6000 }, (_, i) => `${word}${i}`).join('\n');
    const hunks = diffHunks(`top\n${many('a')}\nend`, `top\n${many('b')}\nend`);
    assert.equal(hunks.length, 1);
    assert.deepEqual(hunks[0]?.base.start, 1);
    assert.equal(hunks[0]?.base.oldLines.length, 6000);
  });
});
