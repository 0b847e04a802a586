import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Editor } from './driver/editor.ts';
import { eventually, until } from './driver/journey.ts';

const secret = 'sk-planted-0123456789abcdef';
/** For the walkthrough, the sample's run is searched until it has a best, and reviewed; other journeys show both on the recorded run. */
const isForPictures = process.env['PEAGEN_TEST_PICTURES'] !== undefined;

describe('the first five minutes', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'peagen-start-'));
  const folder = join(scratch, 'private name');
  let opened: Editor | undefined;
  const editor = (): Editor => opened ?? assert.fail('the editor is open');

  before(async () => {
    mkdirSync(folder);
    writeFileSync(join(folder, '.peagen.toml'), '[evolve]\n\npopulation = "many"\n');
    writeFileSync(join(folder, 'slow.py'), 'def slow(x):\n    return sorted(sorted(x))\n');
    opened = await Editor.open({
      folder,
      extension: process.env['PEAGEN_STAGE'] ?? '',
      settings: { 'peagen.generations': 200, 'peagen.mutator': 'structural' },
      // As many candidates as people get, for the pictures and since the configuration says a number of them.
      env: {
        PLANTED_API_KEY: secret,
        PEAGEN__EVOLVE__POPULATION: undefined,
        PEAGEN__EVALUATE__DERIVE: undefined,
        PEAGEN__WORKER__DEFAULTS__MAX_PARALLEL: '2',
      },
    });
  });
  after(async () => {
    // The sample's daemon is alone with its finished run: it ends by itself, and at the latest with its folder.
    await opened?.close();
    rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await editor().keepFailure(`start-${this.currentTest.title}`);
  });

  /** Wide, so that a picture shows whole rows; and back, so that it shows the editor. */
  async function widenSideBar(by: number): Promise<void> {
    const { page } = editor();
    const box = await page.locator('.part.sidebar').boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width, 400);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width + by, 400, { steps: 5 });
    await page.mouse.up();
  }

  it('begin with a walkthrough whose pictures are there', async () => {
    const { page } = editor();
    await editor().command('Peagen: Get Started');
    await page.locator('.gettingStartedCategoriesContainer, .getting-started-category', { hasText: 'Peagen' }).first().waitFor();
    for (const step of ['Watch candidates', 'Review what', 'Evolve your own', 'Let a model propose', 'Evolve a sample']) {
      await page.locator('.getting-started-step', { hasText: step }).click();
      const picture = page.locator('.getting-started-media img');
      await eventually(`there is a picture for "${step}"`, async () => {
        return Number(await picture.evaluate((image) => Reflect.get(image, 'naturalWidth'))) > 0;
      });
    }
    await editor().screenshot('start-walkthrough');
  });

  it('answer a broken configuration with the line to fix', async () => {
    await editor().openFile('slow.py', 2);
    await editor().command('Peagen: Evolve Selection');
    const message = await editor().message('population');
    await editor().screenshot('start-broken-configuration');
    await message.locator('a.monaco-button', { hasText: 'Open Configuration' }).click();
    await editor().page.locator('.tab.active[data-resource-name=".peagen.toml"]').waitFor();
    await editor().page.locator('#status\\.editor\\.selection', { hasText: 'Ln 3,' }).waitFor();
    await editor().command('Notifications: Clear All Notifications');
  });

  it('show what would be reported, without keys, folders and names', async () => {
    const { page } = editor();
    await editor().command('Peagen: Report Issue');
    await editor().message('This is all that goes with an issue');
    await editor().screenshot('start-report');
    const copy = page.locator('.notifications-center a.monaco-button', { hasText: 'Copy' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.evaluate("navigator.clipboard.writeText('')");
    await copy.click();
    const text = async () => String(await page.evaluate('navigator.clipboard.readText()'));
    await eventually('the report is copied', async () => (await text()).includes('## Versions'));
    const report = await text();
    assert.match(report, /Peagen \d+\.\d+\.\d+/);
    assert.match(report, /Folder 1: \d+\.\d+\.\d+ \([0-9a-f]+\)/);
    assert.match(report, /Settings that are set: .*generations/);
    const [, windowLog = '', daemonLog = ''] = report.split(/^## End of the .* log$/m);
    assert.match(windowLog, /population/, "what went wrong before is in the window's log");
    assert.match(daemonLog, /^\[info\] listening \{.*"workspace":"<folder 1>"/m);
    for (const planted of [secret, '127.0.0.1', 'private name', scratch, userInfo().homedir, hostname()]) {
      assert.ok(!report.includes(planted), `${planted} is in the report:\n${report}`);
    }
  });

  it('offer models to choose from, and none as the first', async () => {
    const { page } = editor();
    // Fixed.
    writeFileSync(join(folder, '.peagen.toml'), '[evolve]\n');
    await editor().command('Peagen: Choose Model');
    await page.locator('.quick-input-title', { hasText: 'Which model should propose changes?' }).waitFor();
    const rows = page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: 'https://api.openai.com/v1' }).waitFor();
    assert.match((await rows.first().textContent()) ?? '', /No model/);
    await editor().detail('walkthrough-models', page.locator('.quick-input-widget'));
    await page.keyboard.press('Escape');
  });

  it('evolve the sample with one click and two answers', async () => {
    const { page } = editor();
    await editor().command('Peagen: Evolve the Sample');
    await page.locator('.quick-input-title', { hasText: 'Evolve badSort' }).waitFor();
    await editor().screenshot('start-plan');
    await editor().detail('walkthrough-plan', page.locator('.quick-input-widget'));
    await editor().pick(/^.*Start/);
    await editor()
      .rows(/badSort.*running/)
      .waitFor();
    if (isForPictures) await search();
    await editor().command('Peagen: Stop Run');
    await editor()
      .rows(/badSort.*stopped/)
      .waitFor();
    if (isForPictures) await takePictures();
  });

  // The row of an ended run says how much faster, too, and opens no proposal.
  const elite = () =>
    editor()
      .rows(/faster|slower|as fast/)
      .and(editor().page.locator('[aria-level="2"]'));

  async function search(): Promise<void> {
    await elite().first().waitFor({ timeout: 180_000 });
    await editor()
      .rows(/badSort.*best/)
      .waitFor({ timeout: 180_000 });
  }

  async function takePictures(): Promise<void> {
    const { page } = editor();
    await widenSideBar(400);
    await editor().screenshot('start-elites');
    await editor().detail('walkthrough-elites', page.locator('.part.sidebar'), 360);
    await widenSideBar(-300);
    const accept = page.locator('.codelens-decoration a', { hasText: 'Accept' });
    await until(
      'the elite',
      async () => (await accept.count()) > 0,
      () => elite().first().locator('.label-name').click({ timeout: 5000 }),
    );
    const box = await page.locator('.review-widget .body').first().boundingBox();
    assert.ok(box !== null);
    // With the new lines of the first change in the middle.
    await page.mouse.move(900, 450);
    await page.mouse.wheel(0, box.y - 350);
    await editor().screenshot('start-review');
    await editor().detail('walkthrough-review', page.locator('.editor-instance .monaco-editor').first(), 560);
  }
});
