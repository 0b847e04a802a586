/** Runs live: which model a search asks, and what it does with the answers, is what is tested. Each ends after a few questions. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, Journey } from './driver/journey.ts';
import { stageModelProvider } from './driver/parts.ts';

describe("the editor's own models in VS Code", () => {
  const journey = new Journey('models');
  const notes = join(journey.folder, 'asked.log');
  const timesAsked = (line: string) =>
    existsSync(notes)
      ? readFileSync(notes, 'utf8')
          .split('\n')
          .filter((each) => each === line).length
      : 0;
  const asked = (line: string) => timesAsked(line) > 0;

  before(async () => {
    await journey.open({
      extension: process.env['PEAGEN_STAGE'] ?? '',
      companion: await stageModelProvider(),
      env: { PEAGEN_TEST_MODELS: notes },
      settings: { 'peagen.generations': 2, 'chat.disableAIFeatures': false },
    });
  });
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  /** A run in progress keeps the models that it began with. */
  async function stop(): Promise<void> {
    const { editor } = journey;
    await editor.command('Peagen: Stop Run');
    await editor
      .rows(/generation \d+ of/)
      .first()
      .waitFor({ state: 'detached', timeout: 180_000 });
    await editor.command('Notifications: Clear All Notifications');
  }

  /** Chooses one by its name. */
  async function choose(model: string): Promise<void> {
    const { editor } = journey;
    await editor.command('Peagen: Choose Model');
    await journey.step('Which model should propose changes?');
    await editor.pick(model);
  }

  it('are offered next to no model at all, and the choice is remembered', async () => {
    const { editor } = journey;
    await editor.openFile('bad_sort.py', 20);
    await editor.command('Peagen: Choose Model');
    await journey.step('Which model should propose changes?');
    await editor.page.locator('.quick-input-list', { hasText: 'Corpus' }).waitFor();
    await editor.page.locator('.quick-input-list', { hasText: 'No model' }).waitFor();
    await journey.picture('choose');
    await editor.pick('Corpus');
    await editor.message('Corpus (peagen-test) will be used from the next run');
  });

  it('are not asked before the worst case is agreed to', async () => {
    const { editor } = journey;
    await journey.judged();
    await editor.pick(/^.*Start/);
    const modal = editor.page.locator('.monaco-dialog-box', { hasText: /may use up to [\d,]+ tokens/ });
    await modal.waitFor();
    await journey.picture('worst-case');
    await modal.locator('.monaco-button', { hasText: 'Cancel' }).click();
    await modal.waitFor({ state: 'detached' });
    assert.equal(asked('asked corpus'), false);
    assert.equal(await editor.rows(/bad_sort.*generation/).count(), 0);
  });

  it('make candidates that become elites', async () => {
    await journey.again();
    await journey.agree();
    await journey.elite().waitFor({ timeout: 240_000 });
    assert.ok(asked('asked corpus'));
    await journey.picture('evolved');
    await stop();
  });

  it('tell once that their quota is used up, with a way out', async () => {
    const { editor } = journey;
    await choose('Exhausted');
    await journey.again();
    await journey.agree();
    await editor.message('the monthly quota is used up');
    // The candidates of a run are asked for at the same time, and each of them gets it.
    const failed = editor.rows(/bad_sort.*failed/);
    await eventually(
      'several candidates were refused, or the first was the end of the run',
      async () => timesAsked('asked exhausted') > 1 || (await failed.count()) > 0,
    );
    // A run that fails of it says so too, without this way out.
    const told = editor.page
      .locator('.notifications-center .monaco-list-row', { hasText: 'Exhausted is no longer responding' })
      .filter({ has: editor.page.getByText('Choose Model…') });
    await eventually('it is reported, once', async () => (await told.count()) === 1);
    await journey.picture('quota');
    assert.equal(await editor.rows(/bad_sort.*no improvement · failed/).count(), 0, 'a failure is not told as a search in vain');
    await told.getByText('Choose Model…').click();
    await journey.step('Which model should propose changes?');
    await editor.page.keyboard.press('Escape');
    await stop();
  });

  it('are allowed from the button of the message that misses the consent', async () => {
    const { editor } = journey;
    await choose('Forbidden');
    await journey.again();
    await journey.agree();
    await editor.message('Peagen may not use Forbidden');
    // A run that fails of it says so too, without this way out.
    const allow = editor.page.locator('.notifications-center .monaco-list-row').getByText('Allow…').first();
    await allow.waitFor();
    await journey.picture('consent');
    const before = timesAsked('asked forbidden');
    await allow.click();
    await eventually('it was asked again', () => timesAsked('asked forbidden') > before);
    await stop();
  });

  it('hear that a question is withdrawn when its run is stopped', async () => {
    const { editor } = journey;
    await choose('Silent');
    await journey.again();
    await journey.agree();
    await eventually('it was asked', () => asked('asked silent'));
    await editor.command('Peagen: Stop Run');
    await eventually('the question was withdrawn', () => asked('cancelled silent'));
    await editor
      .rows(/bad_sort.*stopped/)
      .first()
      .waitFor();
  });
});
