import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, type Journey } from '../driver/journey.ts';

const original = [
  'def f(x):',
  '    y = 0',
  '    for i in x:',
  '        y += i',
  '    return y',
  '',
  '',
  'def g(x):',
  '    return x * 2',
  '',
];
const proposed = [
  'def f(x):',
  '    return sum(x)',
  '',
  '',
  'def g(x):',
  '    return x + x',
  '',
  '',
  'def h(x):',
  '    return x',
  '',
];

export function review(journey: Journey): void {
  const file = join(journey.folder, 'prog.py');
  const disk = () => readFileSync(file, 'utf8');
  const line = (text: string) => journey.editor.page.locator('.view-line', { hasText: text });
  const accepts = () => journey.lens('Accept').filter({ hasNotText: 'All' });
  /** The line of the cursor, as the status bar says it. */
  const cursor = () => journey.editor.page.locator('#status\\.editor\\.selection').innerText();

  // Before the window opens: a search for a file may answer from what was there at an earlier one.
  writeFileSync(file, original.join('\n'));
  const changes = [{ path: 'prog.py', before: original.join('\n'), after: proposed.join('\n') }];
  const metrics = '3.10× faster (2.95 to 3.24), 1.2 ms, 310 KB, 30 characters longer, matches the original on 12 inputs';
  const why = 'Sums with the built-in function. Proposed by structural in generation 3.';
  writeFileSync(join(journey.folder, 'proposal.json'), JSON.stringify({ title: 'f · 3.10× faster', metrics, why, changes }));

  it('shows the new lines with what was measured and why, and leaves the Comments view closed', async () => {
    const { page } = journey.editor;
    await journey.editor.openFile('prog.py');
    await journey.editor.command('Hands: Propose');
    await accepts().nth(2).waitFor();
    const thread = page.locator('.review-widget').first();
    await thread.locator('.comment-body', { hasText: '3.10× faster (2.95 to 3.24)' }).waitFor();
    await thread.locator('.comment-body', { hasText: 'Proposed by structural in generation 3' }).waitFor();
    assert.equal(await page.locator('.pane-header', { hasText: 'Comments' }).count(), 0);
    assert.equal(await page.locator('.comments-panel').count(), 0);
    await journey.picture('proposal');
    assert.equal(disk(), original.join('\n'));
  });

  it('names each change for a screen reader', async () => {
    const { page } = journey.editor;
    await page
      .locator('.review-widget [aria-label*="Change 1 of 3"], .review-widget .filename', { hasText: 'Change 1 of 3' })
      .first()
      .waitFor();
    await page.locator('#peagen\\.peagen\\.peagen\\.review a[aria-label*="3 changes to review"]').waitFor();
  });

  it('goes on and back by key', async () => {
    const { page } = journey.editor;
    await line('def f(x)').first().click();
    await eventually('the cursor is at the top', async () => (await cursor()).includes('Ln 1,'));
    await page.keyboard.press('Control+F7');
    await eventually('the cursor is at the first change', async () => (await cursor()).includes('Ln 2,'));
    await page.keyboard.press('Control+F7');
    await eventually('the cursor is at the second change', async () => (await cursor()).includes('Ln 9,'));
    await page.keyboard.press('Control+Shift+F7');
    await eventually('the cursor is back', async () => (await cursor()).includes('Ln 2,'));
  });

  it('rejects by key, and goes on to the next change', async () => {
    await journey.editor.page.keyboard.press('Shift+Alt+F11');
    await eventually('two changes are left', async () => (await accepts().count()) === 2);
    await eventually('the cursor is at the next change', async () => (await cursor()).includes('Ln 9,'));
    assert.equal(disk(), original.join('\n'));
  });

  it('accepts by key', async () => {
    const { page } = journey.editor;
    await line('return x * 2').click();
    await page.keyboard.press('Alt+F7');
    await eventually('the file has changed', () => disk().includes('return x + x'));
    await eventually('one change is left', async () => (await accepts().count()) === 1);
  });

  it('is still there after the window was reloaded, with what was decided, and nothing in the buffer', async () => {
    const decided = disk();
    // As after a crash: the editor itself may not remember which files were open.
    await journey.editor.load();
    await journey.editor.openFile('prog.py');
    await accepts().first().waitFor();
    await journey.editor.page.locator('.review-widget .comment-body', { hasText: 'Proposed by structural' }).first().waitFor();
    await eventually('one change is left', async () => (await accepts().count()) === 1);
    await journey.picture('reloaded');
    // A copy that the editor had put aside before the file was saved may be back as a buffer with the same text.
    await journey.editor.command('File: Save');
    await eventually('the buffer is saved', async () => (await journey.editor.page.locator('.tab.dirty').count()) === 0);
    assert.equal(disk(), decided);
  });

  it('shows the whole candidate in one editor', async () => {
    await journey.editor.command('Peagen: Show All Changes in Multi-File Diff');
    await journey.editor.page.locator('.multiDiffEntry', { hasText: 'prog.py' }).first().waitFor();
    await journey.picture('changes');
    await journey.editor.command('View: Close Editor');
  });

  it('writes nothing before a preview is confirmed, then what was confirmed', async () => {
    const { page } = journey.editor;
    await journey.editor.openFile('prog.py');
    const unchanged = disk();
    await journey.editor.command('Peagen: Accept Changes with Preview');
    await page.locator('.part.panel .monaco-list-row').first().waitFor();
    await journey.picture('preview');
    assert.equal(disk(), unchanged);
    await page
      .locator('.part.panel .monaco-list-row input[type=checkbox], .part.panel .monaco-list-row .edit-checkbox')
      .first()
      .click();
    await page.locator('.part.panel a.monaco-button', { hasText: 'Apply' }).click();
    await eventually('the file has the last change', () => disk().includes('def h(x)'));
    await eventually('nothing is left to decide', async () => (await accepts().count()) === 0);
  });

  it("leaves the Comments view to other extensions' comments", async () => {
    await journey.editor.openFile('prog.py');
    await journey.editor.command('Hands: Comment');
    await journey.editor.page.locator('.comments-panel').waitFor();
  });
}
