import assert from 'node:assert/strict';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import type { Journey } from '../driver/journey.ts';
import { typedInputs } from '../driver/parts.ts';

const KEY = 'sk-planted-77c1-provider-key';

/** Models from local servers and with a key. */
export function providers(journey: Journey): void {
  let paid: TestLlm;
  let local: TestLlm | undefined;

  before(async () => {
    paid = await startTestLlm({ script: 'corpus', key: KEY, models: ['fast-model', 'good-model'] });
    // Where LM Studio listens; taken, it is somebody's own.
    local = await startTestLlm({ port: 1234, script: 'corpus', models: ['local-model'] }).catch(() => undefined);
  });
  after(async () => {
    await paid.close();
    await local?.close();
  });

  it('are at an endpoint of one’s own, by its base URL, key and model, which a run uses at once', async () => {
    const { editor } = journey;
    await editor.openFile('bad_sort.py', 20);
    await editor.command('Peagen: Evolve Selection');
    await journey.step('How should candidates for bad_sort be checked?');
    await journey.typeInputs(typedInputs);
    await journey.step('Which model should propose changes?');
    await journey.picture('providers');
    await editor.pick('Your own endpoint…');
    await editor.answer('Base URL of your endpoint', paid.url);
    await editor.answer('API key for 127.0.0.1', KEY);
    await journey.step('Which model of 127.0.0.1');
    await editor.pick('fast-model');
    await editor.answer('Price of fast-model', '');
    await journey.step('Evolve bad_sort');
    await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: /Start.*at most 200,000 tokens/ }).waitFor();
    await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: /Change model….*fast-model/ }).waitFor();
    await journey.picture('endpoint');
    await editor.page.keyboard.press('Escape');
  });

  it('are found on the usual ports of this machine', async function () {
    if (local === undefined) this.skip();
    const { editor } = journey;
    await editor.command('Peagen: Choose Model');
    await journey.step('Which model should propose changes?');
    await editor.page.locator('.quick-input-list', { hasText: 'local-model' }).waitFor();
    await journey.picture('found');
    await editor.pick('local-model');
    await editor.message('local-model (LM Studio) will be used from the next run');
  });

  it('ask for the address and the key, again when the key is refused, and for the price', async () => {
    const { editor } = journey;
    await editor.command('Peagen: Choose Model');
    await journey.step('Which model should propose changes?');
    await editor.pick('Azure OpenAI…');
    await editor.answer('Endpoint URL for Azure OpenAI', paid.url);
    await editor.answer('API key for Azure OpenAI', 'sk-wrong');
    await journey.step('API key for Azure OpenAI');
    await editor.page.locator('.quick-input-widget input[type=password]').waitFor();
    await journey.picture('key');
    await editor.answer('API key for Azure OpenAI', KEY);
    await journey.step('Which model of Azure OpenAI?');
    await editor.pick('good-model');
    await editor.answer('Price of good-model', '2, 8');
    await editor.message('good-model (Azure OpenAI) will be used from the next run');
  });

  it('propose inputs, each shown with what the original does on it', async () => {
    const { editor } = journey;
    paid.script({ type: 'answer', text: '[{"why": "unsorted", "args": [[3, 1, 2]]}, {"why": "no list", "args": [7]}]' });
    await journey.again();
    await journey.step('How should candidates for bad_sort be checked?');
    await editor.pick('Let a model propose inputs');
    await editor.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Start' }).click();
    await journey.step('Inputs of bad_sort');
    await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: '→ [1, 2, 3]' }).waitFor();
    await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'raises TypeError' }).waitFor();
    await journey.picture('proposed');
    await editor.page.keyboard.press('Enter');
    await journey.step('Evolve bad_sort');
    await editor.page.locator('.quick-input-list', { hasText: 'your inputs [[[3,1,2]]]' }).waitFor();
    await editor.page.keyboard.press('Escape');
    assert.equal(paid.requests.length, 1);
  });

  it('start nothing when the worst case is refused, which is shown in tokens and money', async () => {
    const { editor } = journey;
    await journey.judged();
    await editor.pick(/^.*Start/);
    const modal = editor.page.locator('.monaco-dialog-box', { hasText: /may use up to [\d,]+ tokens \(\$\d+\.\d\d\)/ });
    await modal.waitFor();
    await journey.picture('money');
    await modal.locator('.monaco-button', { hasText: 'Cancel' }).click();
    await modal.waitFor({ state: 'detached' });
    assert.equal(paid.requests.length, 1);
    assert.equal(await editor.rows(/bad_sort.*generation/).count(), 0);
  });

  it('propose a change with the key, which is in no file of the workspace and in no log', async () => {
    // What the corpus answers depends on the seed, which is another each time: sometimes it declines.
    const edit = '<<<<<<< SEARCH\n    rounds = 2\n=======\n    rounds = 1\n>>>>>>> REPLACE\n';
    paid.script({ type: 'answer', text: `Change: one round is enough\n${edit}` });
    await journey.editor.openFile('bad_sort.py', 20);
    await journey.editor.command('Peagen: Mutate Selection');
    await journey.seenLens('Accept').waitFor();
    await journey.closeReview();
    assert.equal(paid.requests.at(-1)?.body.model, 'good-model');
    assert.deepEqual(journey.whereIs(KEY), []);
    assert.ok(
      journey.whereIs(journey.folder).some((file) => file.endsWith('.log')),
      'the log of the daemon was looked at',
    );
  });
}
