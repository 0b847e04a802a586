/** Models are asked by Mutate Selection, one question each: what a search does with their answers is tested without an editor. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, Journey } from './driver/journey.ts';
import { stageModelProvider } from './driver/parts.ts';
import { providers } from './window/providers.ts';

describe('models in VS Code', () => {
  const journey = new Journey('models');

  before(async () => {
    await journey.open({
      extension: process.env['PEAGEN_STAGE'] ?? '',
      companion: await stageModelProvider(),
      env: { PEAGEN_TEST_MODELS: notesOf(journey) },
      settings: { 'chat.disableAIFeatures': false },
    });
  });
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  describe('from servers', () => providers(journey));
  describe('of the editor', () => editorModels(journey));
});

/** Where the test's provider of models notes what it was asked. */
function notesOf({ folder }: Journey): string {
  return join(folder, 'asked.log');
}

function editorModels(journey: Journey): void {
  const notes = notesOf(journey);
  const timesAsked = (line: string) =>
    existsSync(notes)
      ? readFileSync(notes, 'utf8')
          .split('\n')
          .filter((each) => each === line).length
      : 0;
  const asked = (line: string) => timesAsked(line) > 0;

  /** Asks the model that is chosen for one change. */
  async function mutate(): Promise<void> {
    await journey.editor.openFile('bad_sort.py', 20);
    await journey.editor.command('Peagen: Mutate Selection');
  }

  /** Chooses one by its name, and waits until that is written to the settings. */
  async function choose(model: string): Promise<void> {
    const { editor } = journey;
    await editor.command('Peagen: Choose Model');
    await journey.step('Which model should propose changes?');
    await editor.pick(model);
    await editor.message(`${model} (peagen-test) will be used from the next run`);
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
    // How it is judged is known from the tests before.
    await journey.again();
    await journey.step('Evolve bad_sort');
    await editor.pick(/^.*Start/);
    const modal = editor.page.locator('.monaco-dialog-box', { hasText: /may use up to [\d,]+ tokens/ });
    await modal.waitFor();
    await journey.picture('worst-case');
    await modal.locator('.monaco-button', { hasText: 'Cancel' }).click();
    await modal.waitFor({ state: 'detached' });
    assert.equal(asked('asked corpus'), false);
    assert.equal(await editor.rows(/bad_sort.*generation/).count(), 0);
  });

  it('propose a change, which opens for review', async () => {
    await mutate();
    await journey.seenLens('Accept').waitFor();
    assert.ok(asked('asked corpus'));
    await journey.picture('proposed');
    await journey.closeReview();
  });

  it('tell once that their quota is used up, with a way out', async () => {
    const { editor } = journey;
    await choose('Exhausted');
    await mutate();
    await editor.message('the monthly quota is used up');
    await mutate();
    await eventually('it was asked twice', () => timesAsked('asked exhausted') > 1);
    const told = editor.page
      .locator('.notifications-center .monaco-list-row', { hasText: 'Exhausted is no longer responding' })
      .filter({ has: editor.page.getByText('Choose Model…') });
    await eventually('it is reported, once', async () => (await told.count()) === 1);
    await journey.picture('quota');
    await told.getByText('Choose Model…').click();
    await journey.step('Which model should propose changes?');
    await editor.page.keyboard.press('Escape');
    await editor.command('Notifications: Clear All Notifications');
  });

  it('are allowed from the button of the message that misses the consent', async () => {
    const { editor } = journey;
    await choose('Forbidden');
    await mutate();
    await editor.message('Peagen may not use Forbidden');
    // The command that failed of it says so too, without this way out.
    const allow = editor.page.locator('.notifications-center .monaco-list-row').getByText('Allow…').first();
    await allow.waitFor();
    await journey.picture('consent');
    const before = timesAsked('asked forbidden');
    await allow.click();
    await eventually('it was asked again', () => timesAsked('asked forbidden') > before);
    const going = editor.page.locator('.notifications-center .monaco-list-row', { hasText: 'Mutating bad_sort' });
    await eventually('the command has ended', async () => (await going.count()) === 0);
    await editor.command('Notifications: Clear All Notifications');
  });

  it('hear that a question is withdrawn when it is cancelled', async () => {
    const { editor } = journey;
    await choose('Silent');
    await mutate();
    await eventually('it was asked', () => asked('asked silent'));
    const progress = await editor.message('Mutating bad_sort');
    await progress.locator('a.monaco-button', { hasText: 'Cancel' }).click();
    await eventually('the question was withdrawn', () => asked('cancelled silent'));
  });
}
