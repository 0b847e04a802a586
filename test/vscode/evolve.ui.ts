import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { Journey } from './driver/journey.ts';
import { packVsix } from './driver/parts.ts';
import { rendered } from './driver/webview.ts';

/** What people install, where it was packed; else the extension in development. */
const vsix = process.env['PEAGEN_VSIX'];
const MOST_BYTES = 4.5e6;

/** The one whole search through the editor: the other journeys are on the recorded run, or say at their head why theirs is live. */
describe('Evolve Selection in VS Code', () => {
  const journey = new Journey('evolve');

  // The first generation of this seed has a faster candidate.
  const env = { PEAGEN__EVOLVE__SEED: '4', PEAGEN__EVALUATE__DERIVE: undefined };
  const git = (...args: string[]) => execFileSync('git', args, { cwd: journey.folder, encoding: 'utf8' });
  before(() => {
    git('init');
    git('config', 'user.name', 'Test');
    git('config', 'user.email', 'test@localhost');
    git('add', 'bad_sort.py');
    git('commit', '-m', 'As it was');
    return journey.open(vsix === undefined ? { extension: process.env['PEAGEN_STAGE'] ?? '', env } : { vsix, env });
  });
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  if (vsix !== undefined) {
    it('is installed from a package of less than 4.5 MB', () => {
      const { size } = statSync(vsix);
      console.log(`      ${(size / 1e6).toFixed(2)} MB`);
      assert.ok(size < MOST_BYTES, `${size} bytes`);
    });

    it('is in the same package, byte by byte, after another build', () => {
      const [first, second] = [vsix, packVsix('again.vsix')].map((file) =>
        createHash('sha256').update(readFileSync(file)).digest('hex'),
      );
      assert.equal(second, first);
    });
  }

  it('says in the empty view what to do', async () => {
    await journey.editor.page.locator('.activitybar .action-item:has(a[aria-label^="Peagen"])').click();
    await journey.editor.page.locator('.welcome-view-content', { hasText: 'Evolve Selection' }).waitFor();
    await journey.picture('empty');
  });

  it('asks how to judge and what it may cost, then fills the view with elites', async () => {
    await journey.evolve();
    await journey.editor.rows('bad_sort').first().waitFor();
    await journey.elite().waitFor({ timeout: 180_000 });
    await journey.picture('running');
    assert.equal(journey.disk(), journey.original);
  });

  it('shows the result when the run ends', async () => {
    const { page } = journey.editor;
    await journey.editor.rows(/bad_sort.*all generations done/).waitFor({ timeout: 180_000 });
    await journey.editor.command('Notifications: Show Notifications');
    await page.locator('.notifications-center', { hasText: /bad_sort: / }).waitFor();
    await journey.picture('finished');
    await journey.editor.command('Notifications: Clear All Notifications');
  });

  it('opens an elite as a proposal that is not in the buffer', async () => {
    const { page } = journey.editor;
    await journey.openElite();
    await page.locator('.review-widget .body').first().waitFor();
    await journey.picture('review');
    assert.equal(journey.disk(), journey.original);
  });

  it('writes it on Accept', async () => {
    await journey.acceptAll();
    await journey.picture('accepted');
  });

  it('makes a branch of the result, and changes nothing that is checked out', async () => {
    const { editor } = journey;
    const before = [git('status', '--short'), journey.disk()];
    await editor.command('Peagen: Create Git Branch from Result');
    const question = editor.page.locator('.monaco-dialog-box', { hasText: /Create the branch peagen\/.* with \d+ commits?\?/ });
    const [, count] = /with (\d+) commit/.exec((await question.textContent()) ?? '') ?? [];
    await journey.picture('branch');
    await question.locator('.monaco-button', { hasText: 'Create Branch' }).click();
    await editor.message(/Created the branch peagen\//);
    await journey.picture('branch-made');
    const [branch = ''] = git('branch', '--list', 'peagen/*', '--format=%(refname:short)').split('\n');
    assert.equal(git('rev-list', '--count', `HEAD..${branch}`).trim(), count);
    assert.notEqual(git('show', `${branch}:bad_sort.py`), journey.original);
    assert.deepEqual([git('status', '--short'), journey.disk()], before);
  });

  it('shows the evidence for an elite', async () => {
    const { page } = journey.editor;
    await journey.openEvidence(journey.elite(), 'Show Evidence');
    await rendered(page, 'Outcome: correct');
    await rendered(page, 'what the original does');
    await rendered(page, '[[3,1,2,1.5,1]]');
    await rendered(page, '→ [1, 1, 1.5, 2, 3]');
    await journey.picture('evidence');
  });

  it('shows the run and the evidence again after the window was reloaded', async () => {
    const { page } = journey.editor;
    await journey.editor.reload();
    await journey.editor.rows('bad_sort').first().waitFor();
    await rendered(page, '→ [1, 1, 1.5, 2, 3]');
    await journey.picture('reloaded');
    const tab = page.locator('.tab.active', { hasText: 'bad_sort, ' });
    await tab.waitFor();
    await journey.editor.command('View: Close Editor');
    await tab.waitFor({ state: 'detached' });
  });
});
