import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import * as vscode from 'vscode';
import { after, before, Case, until } from './case.ts';

const set = (key: string, value: unknown) =>
  vscode.workspace.getConfiguration().update(key, value, vscode.ConfigurationTarget.Workspace);

describe('inline review', () => {
  let it_: Case;

  beforeEach(() => {
    it_ = new Case();
  });

  afterEach(() => it_.end());

  it('leaves buffer and file alone until something is accepted', async () => {
    await it_.open();
    assert.equal(await it_.text(), before);
    assert.equal((await it_.document()).isDirty, false);
    assert.deepEqual(await it_.openHunks(), [1, 8]);
  });

  it('puts Accept, Reject and Diff above each hunk, and the two for all on the first', async () => {
    await it_.open();
    assert.deepEqual(await it_.lenses(), [
      '1 Accept',
      '1 Reject',
      '1 Diff',
      '1 Accept All 2',
      '1 Reject All',
      '8 Accept',
      '8 Reject',
      '8 Diff',
    ]);
  });

  it('puts the lenses of added lines above the line that they come after, as their thread is below it', async () => {
    await it_.open('a = 1\nb = 2\nc = 3\n', 'a = 1\nb = 2\nnew = 0\nc = 3\n');
    assert.deepEqual(await it_.lenses(), ['1 Accept', '1 Reject', '1 Diff']);
    await it_.acceptAll();
    assert.equal(await it_.text(), 'a = 1\nb = 2\nnew = 0\nc = 3\n');
  });

  it('accepts one hunk and rejects the other', async () => {
    await it_.open();
    await it_.accept('0/h2');
    await it_.reject('0/h1');
    assert.equal(await it_.text(), before.replace('x * 2', 'x + x'));
    assert.deepEqual(await it_.openHunks(), []);
  });

  it('gives the candidate when all is accepted, as one step of undo', async () => {
    await it_.open();
    await it_.acceptAll();
    assert.equal(await it_.text(), after);
    await it_.show();
    await vscode.commands.executeCommand('undo');
    assert.equal(await it_.text(), before);
    assert.deepEqual(await it_.openHunks(), [1, 8]);
  });

  it('saves a file that was clean, and leaves a dirty one dirty', async () => {
    await it_.open();
    await it_.accept('0/h1');
    assert.equal(it_.disk(), await it_.text());
    await it_.edit(0, '# mine\n');
    await it_.accept('0/h2');
    assert.equal((await it_.document()).isDirty, true);
    assert.ok(!it_.disk().includes('x + x'));
  });

  it('makes a hunk pending again by undo, and accepted again by redo', async () => {
    await it_.open();
    await it_.accept('0/h1');
    assert.deepEqual(await it_.openHunks(), [5]);
    await it_.show();
    await vscode.commands.executeCommand('undo');
    assert.deepEqual(await it_.openHunks(), [1, 8]);
    await vscode.commands.executeCommand('redo');
    assert.deepEqual(await it_.openHunks(), [5]);
  });

  it('follows edits outside of the hunks', async () => {
    await it_.open();
    await it_.edit(0, '# one\n# two\n');
    assert.deepEqual(await it_.openHunks(), [3, 10]);
    await it_.edit(8, '# between\n');
    await it_.acceptAll();
    assert.equal(await it_.text(), `# one\n# two\ndef f(x):\n    return sum(x)\n\n# between\n\ndef g(x):\n    return x + x\n`);
  });

  it('falls into conflict by an edit inside of a hunk, writes nothing then, and comes back', async () => {
    await it_.open();
    await it_.edit(2, '    for i in list(x):\n', 3);
    assert.deepEqual(await it_.openHunks(), [8]);
    assert.ok((await it_.lenses()).includes('1 These lines have changed'));
    const text = await it_.text();
    await it_.accept('0/h1');
    assert.equal(await it_.text(), text);
    await it_.edit(2, '    for i in x:\n', 3);
    assert.deepEqual(await it_.openHunks(), [1, 8]);
  });

  it('goes on over a save, and over format-on-save', async () => {
    await it_.open();
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { pattern: '**/case-*/prog.py' },
      {
        provideDocumentFormattingEdits: () => [vscode.TextEdit.insert(new vscode.Position(0, 0), '# formatted\n')],
      },
    );
    await set('editor.formatOnSave', true);
    try {
      await it_.show();
      await it_.accept('0/h1');
      assert.match(it_.disk(), /^# formatted\n/);
      assert.deepEqual(await it_.openHunks(), [6]);
      await it_.accept('0/h2');
      assert.match(await it_.text(), /x \+ x/);
    } finally {
      formatter.dispose();
      await set('editor.formatOnSave', undefined);
    }
  });

  it('goes on over autosave', async () => {
    await set('files.autoSave', 'afterDelay');
    await set('files.autoSaveDelay', 50);
    try {
      await it_.open();
      await it_.edit(0, '# mine\n');
      await until('autosave wrote the file', () => it_.disk().startsWith('# mine'));
      assert.deepEqual(await it_.openHunks(), [2, 9]);
      await it_.acceptAll();
      await until('the file is saved', () => it_.disk() === `# mine\n${after}`);
    } finally {
      await set('files.autoSave', undefined);
      await set('files.autoSaveDelay', undefined);
    }
  });

  it('is there again when the file is closed and opened', async () => {
    await it_.open();
    await it_.accept('0/h1');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await it_.show();
    assert.deepEqual(await it_.openHunks(), [5]);
    await it_.accept('0/h2');
    assert.equal(await it_.text(), after);
  });

  it('goes along when the file is renamed', async () => {
    await it_.open();
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(vscode.Uri.file(it_.path()), vscode.Uri.file(it_.path('other.py')));
    assert.ok(await vscode.workspace.applyEdit(edit));
    await until('the hunks are in the new file', async () => (await it_.openHunks('other.py')).length === 2);
    await it_.acceptAll();
    assert.equal(await it_.text('other.py'), after);
  });

  it('writes nothing when the file is deleted, and goes on when it comes back', async () => {
    await it_.open();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    rmSync(it_.path());
    await it_.acceptAll();
    await it_.accept('0/h1');
    assert.throws(() => it_.disk(), /ENOENT/);
    it_.write(before);
    await until('the hunks are back', async () => (await it_.openHunks()).length === 2);
  });

  it('finds its hunks again after a change on disk', async () => {
    await it_.open();
    await it_.show();
    it_.write(`import os\n\n${before}`);
    await until('the editor has read the file', async () => (await it_.text()).startsWith('import os'));
    assert.deepEqual(await it_.openHunks(), [3, 10]);
    await it_.acceptAll();
    assert.equal(await it_.text(), `import os\n\n${after}`);
  });

  it('places hunks in a file that is dirty and differs from what the candidate started from', async () => {
    it_.write(before);
    await it_.show();
    await it_.edit(0, '# unsaved\n');
    await it_.propose([{ path: it_.name, before, after }]);
    assert.deepEqual(await it_.openHunks(), [2, 9]);
    await it_.acceptAll();
    assert.equal(await it_.text(), `# unsaved\n${after}`);
    assert.equal(it_.disk(), before);
  });

  it('keeps CRLF, byte order mark and a missing final newline', async () => {
    const dos = `\uFEFF${before.trimEnd().replaceAll('\n', '\r\n')}`;
    await it_.write(dos).propose([{ path: it_.name, before: dos, after: after.trimEnd() }]);
    assert.deepEqual(await it_.openHunks(), [1, 8]);
    await it_.acceptAll();
    assert.equal(it_.disk(), `\uFEFF${after.trimEnd().replaceAll('\n', '\r\n')}`);
  });

  it('can add a final newline', async () => {
    await it_.open('x = 1\ny = 2', 'x = 1\ny = 2\n');
    await it_.acceptAll();
    assert.equal(it_.disk(), 'x = 1\ny = 2\n');
  });

  it('finds its hunks in a file of mixed endings', async () => {
    const mixed = before.replace('\n', '\r\n');
    await it_.open(mixed, after);
    await it_.acceptAll();
    assert.equal((await it_.text()).replaceAll('\r\n', '\n'), after);
  });

  it('ends the first review when a second candidate for the same file is opened', async () => {
    await it_.open();
    const first = it_.review;
    await it_.accept('0/h1');
    await it_.propose([{ path: it_.name, before, after: before.replace('x * 2', 'x << 1') }]);
    assert.deepEqual(await it_.openHunks(), [5]);
    await vscode.commands.executeCommand('peagen.review.accept', { reviewId: first, hunkId: '0/h2' });
    assert.ok(!(await it_.text()).includes('x + x'), 'the ended review writes nothing');
    await it_.acceptAll();
    assert.match(await it_.text(), /x << 1/);
    assert.match(await it_.text(), /return sum\(x\)/);
  });

  it('has a conflict where a second candidate overlaps what was accepted from the first', async () => {
    await it_.open();
    await it_.accept('0/h1');
    await it_.propose([{ path: it_.name, before, after: before.replace('y += i', 'y = y + i') }]);
    assert.deepEqual(await it_.openHunks(), []);
    assert.equal((await it_.lenses()).filter((lens) => lens.endsWith('These lines have changed')).length, 1);
  });

  it('takes two decisions made at once one after the other', async () => {
    await it_.open();
    await Promise.all([it_.accept('0/h2'), it_.accept('0/h1')]);
    assert.equal(await it_.text(), after);
  });

  it('creates and deletes the files of a candidate of several files when that is accepted', async () => {
    it_.write(before).write('old = 1\n', 'old.py');
    await it_.propose([
      { path: it_.name, before, after },
      { path: 'helper.py', before: '', after: 'def h():\n    pass\n' },
      { path: 'old.py', before: 'old = 1\n', after: '' },
    ]);
    assert.throws(() => it_.disk('helper.py'), /ENOENT/);
    assert.equal(it_.disk('old.py'), 'old = 1\n');
    await it_.acceptAll();
    assert.equal(it_.disk('helper.py'), 'def h():\n    pass\n');
    assert.throws(() => it_.disk('old.py'), /ENOENT/);
    assert.equal(it_.disk(), after);
  });

  it('does not change a read-only file', async () => {
    await it_.open();
    await set('files.readonlyInclude', { '**/prog.py': true });
    try {
      await it_.show();
      await it_.acceptAll();
      assert.deepEqual(await it_.openHunks(), [1, 8]);
      assert.equal(it_.disk(), before);
      assert.equal(await it_.text(), before);
    } finally {
      await set('files.readonlyInclude', undefined);
    }
  });

  it('works in a file of 50,000 lines', async () => {
    const big = Array.from({ length: 50_000 }, (_, i) => `x${i} = ${i}`);
    const changed = big.map((line, i) => (i % 10_000 === 5_000 ? `${line} + 1` : line));
    await it_.open(`${big.join('\n')}\n`, `${changed.join('\n')}\n`);
    assert.equal((await it_.openHunks()).length, 5);
    for (let i = 0; i < 20; i++) await it_.edit(100, `# ${i}\n`);
    assert.equal((await it_.openHunks())[0], 5020);
    await it_.acceptAll();
    assert.equal((await it_.text()).match(/ \+ 1$/gm)?.length, 5);
  });

  it('goes from change to change and around', async () => {
    await it_.open();
    const line = () => vscode.window.activeTextEditor?.selection.active.line;
    assert.equal(line(), 1);
    await vscode.commands.executeCommand('peagen.review.next');
    assert.equal(line(), 8);
    await vscode.commands.executeCommand('peagen.review.next');
    assert.equal(line(), 1);
    await vscode.commands.executeCommand('peagen.review.previous');
    assert.equal(line(), 8);
    await vscode.commands.executeCommand('peagen.review.accept');
    assert.match(await it_.text(), /x \+ x/);
  });

  it('refuses what is not a proposal', async () => {
    const opened: unknown = await vscode.commands.executeCommand('peagen.review.open', {
      root: vscode.Uri.file(it_.dir).toString(),
      title: 'escape',
      changes: [{ path: '../../etc/passwd', before: '', after: 'x' }],
    });
    assert.equal(opened, undefined);
  });
});
