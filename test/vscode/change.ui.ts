import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Journey } from './journey.ts';

const inputs = JSON.stringify([[[3, 1, 2, 1.5]], [Array.from({ length: 60 }, (_, i) => (i * 37) % 61)]]);

describe("a person's own change in VS Code", () => {
  const journey = new Journey('change');

  before(async () => {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
        cwd: journey.folder,
        stdio: 'ignore',
      });
    git('init');
    git('add', 'bad_sort.py');
    git('commit', '-m', 'As it was');
    writeFileSync(
      join(journey.folder, 'other.py'),
      'def twice(x):\n    total = 0\n    total = total + x\n    total = total + x\n    return total\n',
    );
    await journey.open({
      extension: process.env['PEAGEN_STAGE'] ?? '',
      settings: { 'peagen.generations': 200, 'peagen.mutator': 'structural' },
    });
  });
  after(() => journey.close());
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await journey.picture(`failed-${this.currentTest.title.replaceAll(/\W+/g, '-')}`);
  });

  /** Writes the file, and waits until the editor shows it. */
  async function write(text: string, shown: string): Promise<void> {
    writeFileSync(journey.file, text);
    await journey.editor.page.locator('.view-line', { hasText: shown }).waitFor();
  }

  async function judge(file: string, line: number): Promise<void> {
    await journey.editor.openFile(file, line);
    await journey.editor.command('Peagen: Judge My Change');
  }

  it('is nothing to judge before there is one', async () => {
    await judge('bad_sort.py', 20);
    await journey.editor.message('has no change to judge');
    await journey.editor.command('Notifications: Clear All Notifications');
  });

  it('is measured against the last commit, as candidates are', async () => {
    const { editor } = journey;
    await write(journey.original.replace('rounds = 2', 'rounds = 1'), 'rounds = 1');
    await judge('bad_sort.py', 20);
    await journey.step('How is bad_sort judged?');
    await editor.pick('Type sample inputs');
    await editor.answer('Sample inputs', inputs);
    const message = await editor.message(/bad_sort against the last commit: correct, .*(faster|slower|fast)/);
    await journey.picture('correct');
    await message.first().getByText('Show Details').click();
    await editor.page.locator('.view-line', { hasText: 'Against: the last commit' }).waitFor();
    await journey.picture('details');
  });

  it('is told when it is wrong, with what came out', async () => {
    const { editor } = journey;
    await editor.command('Notifications: Clear All Notifications');
    await editor.openFile('bad_sort.py', 20);
    await write(journey.original.replace('result.append(item)', 'result.append(-item)'), 'result.append(-item)');
    await judge('bad_sort.py', 20);
    await editor.message(/bad_sort against the last commit: wrong/);
    await journey.picture('wrong');
    await write(journey.original, 'result.append(item)');
  });

  it('is measured against the saved file where there is no commit', async () => {
    const { editor } = journey;
    await editor.openFile('other.py', 3);
    await editor.page.locator('.monaco-editor.focused', { hasText: 'def twice' }).waitFor();
    await editor.page.keyboard.press('End');
    await editor.page.keyboard.press('Enter');
    await editor.page.keyboard.type('x = x + 0');
    await editor.page.locator('.view-line', { hasText: 'x = x + 0' }).waitFor();
    await editor.command('Peagen: Judge My Change');
    await journey.step('How is twice judged?');
    await editor.pick('Type sample inputs');
    await editor.answer('Sample inputs', '[[1], [2.5]]');
    await editor.message(/twice against the saved file: correct/);
    await editor.page.keyboard.press('Escape');
    await editor.command('File: Revert File');
  });
});
