import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { Case, until } from './case.ts';

describe('inline review by key', () => {
  const long = Array.from({ length: 1000 }, (_, i) => `x${i} = ${i}`);
  const changed = long.map((line, i) => (i % 300 === 200 ? `${line} + 1` : line));
  let it_: Case;

  beforeEach(async () => {
    it_ = await new Case().open(`${long.join('\n')}\n`, `${changed.join('\n')}\n`);
  });
  afterEach(() => it_.end());

  const press = (command: string) => vscode.commands.executeCommand(`peagen.review.${command}`);
  const active = (): vscode.TextEditor => vscode.window.activeTextEditor ?? assert.fail('no editor is active');
  const sees = (line: number) =>
    until(`line ${line} is in sight`, () => active().visibleRanges.some((seen) => seen.contains(new vscode.Position(line, 0))));

  it('goes to the next change after each decision', async () => {
    await sees(200);
    await press('accept');
    assert.deepEqual(await it_.openHunks(), [500, 800]);
    assert.equal(active().selection.active.line, 500);
    await sees(500);
    await press('reject');
    assert.deepEqual(await it_.openHunks(), [800]);
    assert.equal(active().selection.active.line, 800);
    await sees(800);
    await press('accept');
    assert.deepEqual(await it_.openHunks(), []);
    assert.equal((await it_.text()).match(/ \+ 1$/gm)?.length, 2);
  });

  it('decides nothing that is out of sight, but goes there', async () => {
    const top = new vscode.Range(0, 0, 0, 0);
    active().selection = new vscode.Selection(top.start, top.end);
    active().revealRange(top);
    await sees(0);
    await press('accept');
    assert.deepEqual(await it_.openHunks(), [200, 500, 800]);
    assert.equal(active().selection.active.line, 200);
    await sees(200);
    await press('accept');
    assert.deepEqual(await it_.openHunks(), [500, 800]);
  });
});
