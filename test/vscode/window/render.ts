import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually, type Journey } from '../driver/journey.ts';

const payload = `PROJECTS:
  - NAME: notes
    ROOT: notes
    TEMPLATE_SET: mine
    PACKAGES:
      - NAME: cart
`;

export function rendering(journey: Journey): void {
  const at = (path: string) => join(journey.folder, path);
  const disk = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined);
  // Before the window opens: a search for a file may answer from what was there at an earlier one.
  const files = {
    'notes.yaml': payload,
    'templates/mine/ptree.yaml.j2':
      '- FILE_NAME: a.j2\n  RENDERED_FILE_NAME: notes/a.txt\n  PACKAGE_NAME: cart\n- FILE_NAME: b.j2\n  RENDERED_FILE_NAME: notes/b.txt\n',
    'templates/mine/a.j2': '{{ PKG.NAME }}\n\n',
    'templates/mine/b.j2': 'second\n\n',
    'notes/a.txt': 'mine\n',
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text);
  }

  /** Ticks nothing and everything are the same thing here: all files are ticked. */
  async function accept(): Promise<void> {
    await journey.editor.page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  }

  it('shows what a payload would change, writes it as one edit, and one undo takes it back', async () => {
    const { editor } = journey;
    await editor.command('Peagen: Render Project');
    await journey.step('Render Project');
    await editor.pick('notes.yaml');
    await journey.step('Render notes.yaml');
    await editor.page.keyboard.press('Enter');
    await journey.step('the files to write');
    await editor.page.locator('.quick-input-widget input[placeholder*="1 file changes"]').waitFor();
    await journey.picture('preview');
    assert.equal(disk('notes/b.txt'), undefined, 'nothing is written yet');
    await accept();
    await eventually('both files are written', () => disk('notes/b.txt') === 'second\n' && disk('notes/a.txt') === 'cart\n');
    await editor.openFile('a.txt', 1);
    await editor.page.locator('.editor-instance .view-lines').first().click();
    await editor.page.keyboard.press('Control+z');
    // An editor asks before it takes back what is in several files.
    const question = editor.page.locator('.monaco-dialog-box .monaco-button').first();
    await eventually('the new file is gone', async () => {
      if (await question.isVisible()) await question.click();
      return disk('notes/b.txt') === undefined;
    });
    await editor.command('File: Save All');
    await eventually('the other is as it was', () => disk('notes/a.txt') === 'mine\n');
  });

  it('makes a project from a template set, question by question', async () => {
    const { editor } = journey;
    await editor.command('Peagen: Render Project');
    await journey.step('Render Project');
    await editor.pick('python-package');
    await editor.answer('Render python-package: Name', 'shop');
    await editor.answer('Render python-package: shop · Folder', '');
    await editor.answer('Render python-package: shop · Packages', 'cart');
    await editor.answer('Render python-package: cart · MODULES', 'item, customer');
    await journey.step('Render python-package: details');
    await editor.pick('FIELDS');
    await journey.picture('details');
    await accept();
    const fields = 'Render python-package: item · FIELDS';
    await editor.answer(fields, '[{ NAME: title }]');
    await editor.page.locator('.quick-input-message', { hasText: 'is written as JSON' }).waitFor();
    await journey.picture('form');
    await editor.answer(fields, '[{"NAME": "title"}]');
    await editor.answer('Render python-package: customer · FIELDS', '');
    await journey.step('Render shop');
    await editor.page.keyboard.press('Enter');
    await journey.step('the files to write');
    await journey.picture('new-project');
    await accept();
    // A file is made before its text is saved.
    const written = ['shop/cart/cart/customer.py', 'shop/cart/cart/item.py', 'shop.yaml'];
    await eventually('the project is there', () => written.every((path) => (disk(path) ?? '') !== ''));
    assert.match(disk('shop/cart/cart/customer.py') ?? '', /^class Customer:\n.*\n\n {4}name: str$/m);
    assert.match(disk('shop/cart/cart/item.py') ?? '', /^class Item:\n.*\n\n {4}title: str$/m);
  });
}
