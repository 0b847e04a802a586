/** The runs that it starts are over after one candidate: that each answer of the dialogue reaches the run is what is tested. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, Journey, until } from './driver/journey.ts';

const shop = `def net(price):
    total = 0
    for part in price:
        total = total + part
    return total


def gross(price):
    result = net(price)
    result = result + result * 0.2
    return result


class Basket:
    rate = 2

    def weight(self, parts):
        return sum(parts) * self.rate

    def count(self, parts):
        return len(parts)
`;

const slowImport = `import time

time.sleep(20)


def doubled(items):
    result = []
    for item in items:
        result.append(2 * item)
    return result
`;

const program = `# EVOLVE-BLOCK-START
def steps():
    done = 0
    for i in range(400):
        done += i
    for i in range(400):
        done += i
    return 1
# EVOLVE-BLOCK-END
`;

const evaluator = `import importlib.util


def evaluate(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    lines = len(open(program_path).read().splitlines())
    return {"combined_score": module.steps() / lines}
`;

describe('the dialogue of Evolve Selection in VS Code', () => {
  const journey = new Journey('dialogue');

  before(async () => {
    const tests = join(journey.folder, 'tests');
    mkdirSync(tests);
    writeFileSync(
      join(tests, 'test_shop.py'),
      'from shop import gross\n\n\ndef test_gross():\n    assert gross([1, 2]) == 3.6\n',
    );
    writeFileSync(join(journey.folder, 'shop.py'), shop);
    writeFileSync(join(journey.folder, 'slow_import.py'), slowImport);
    writeFileSync(
      join(journey.folder, 'quality.py'),
      'def evaluate(program_path):\n    return {"combined_score": float("self.rate" in open(program_path).read())}\n',
    );
    const folder = join(journey.folder, 'puzzle');
    mkdirSync(folder);
    writeFileSync(join(folder, 'initial_program.py'), program);
    writeFileSync(join(folder, 'evaluator.py'), evaluator);
    await journey.open({
      extension: process.env['PEAGEN_STAGE'] ?? '',
      settings: { 'peagen.generations': 1 },
      env: { PEAGEN__EVALUATE__DERIVE: undefined, PEAGEN__EVOLVE__POPULATION: '1' },
    });
  });
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  const titled = (text: string) => journey.editor.page.locator('.quick-input-title', { hasText: text });
  const back = () => journey.editor.page.locator('.quick-input-titlebar .codicon-quick-input-back').click();
  /** Twice when the list of messages is open, which goes first. */
  const leave = () =>
    until(
      'Escape',
      () => journey.editor.page.locator('.quick-input-widget').isHidden(),
      () => journey.editor.page.keyboard.press('Escape'),
    );
  /** The runs on it that have come to an end. */
  const ended = (name: string) => journey.editor.rows(new RegExp(`${name}.*(done|exhausted|further improvement)`));
  async function evolve(line: number, file = 'shop.py'): Promise<void> {
    await journey.editor.openFile(file, line);
    await journey.editor.command('Peagen: Evolve Selection');
  }

  it('takes the function that the cursor is in, and offers inputs that it makes first, then the tests that it found', async () => {
    await evolve(9);
    await journey.step('How should candidates for gross be checked?');
    const rows = journey.editor.page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: 'Type inputs' }).waitFor();
    assert.match((await rows.nth(0).textContent()) ?? '', /Inputs made for you/);
    assert.match((await rows.nth(1).textContent()) ?? '', /pytest/);
    assert.match((await rows.last().textContent()) ?? '', /Type inputs.*\[\[/);
    await journey.picture('found');
    await journey.editor.detail('walkthrough-judge', journey.editor.page.locator('.quick-input-widget'));
    await leave();
  });

  it('takes the function under the cursor when it is called from the menu of the editor', async () => {
    const { editor } = journey;
    await editor.openFile('shop.py', 9);
    await editor.page.locator('.view-line', { hasText: 'result = net(price)' }).click({ button: 'right' });
    await journey.picture('editor-menu');
    await editor.page.locator('.context-view .action-label', { hasText: 'Evolve with Peagen…' }).click();
    await journey.step('How should candidates for gross be checked?');
    await leave();
  });

  it('asks for the function when nothing but a cursor is there', async () => {
    await evolve(6);
    await journey.step('Which function should Peagen evolve?');
    await journey.picture('what');
    await journey.editor.pick('All of shop.py');
    await journey.step('How should candidates for shop.py be checked?');
    await leave();
  });

  it('takes a class by a line between its methods', async () => {
    await evolve(15);
    await journey.step('The class Basket: which function is called to judge?');
    await journey.editor.pick('Basket.count');
    await journey.step('How should candidates for Basket.count and 1 more be checked?');
    await leave();
  });

  it('stays open while it makes inputs, keeps keys from the file meanwhile, and ends the work on Escape', async () => {
    const { editor } = journey;
    await evolve(8, 'slow_import.py');
    await journey.step('How should candidates for doubled be checked?');
    await editor.page.keyboard.press('Enter');
    await journey.step('Making inputs for doubled');
    await editor.page.keyboard.type('typed meanwhile');
    await journey.picture('busy');
    assert.equal(await titled('Making inputs for doubled').count(), 1);
    await editor.page.keyboard.press('Escape');
    await editor.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
    assert.equal(await editor.page.locator('.tab.dirty').count(), 0);
  });

  it('goes back from each question to the one before, and starts on the last page', async () => {
    const { editor } = journey;
    await editor.openFile('shop.py', 1);
    await editor.page.keyboard.press('Control+Home');
    for (let i = 0; i < 10; i++) await editor.page.keyboard.press('Shift+ArrowDown');
    await editor.command('Peagen: Evolve Selection');
    await journey.step('2 functions of shop.py: which function is called to judge?');
    await journey.picture('several');
    await editor.pick('gross');
    await journey.step('How should candidates for gross and 1 more be checked?');
    await editor.pick('Run a test command');
    await journey.step('Test or benchmark command');
    await back();
    await journey.step('How should candidates for gross and 1 more be checked?');
    await editor.page.keyboard.press('Enter');
    await journey.step('Inputs made for gross and 1 more');
    await back();
    await journey.step('How should candidates for gross and 1 more be checked?');
    await editor.page.keyboard.press('Enter');
    await journey.step('Inputs made for gross and 1 more');
    await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: '→' }).first().waitFor();
    await journey.picture('made');
    await editor.page.keyboard.press('Enter');
    await journey.step('Which model should propose changes?');
    await back();
    await journey.step('How should candidates for gross and 1 more be checked?');
    await journey.typeInputs('[[[1, 2, 3]], [[4.5]]]');
    await journey.step('Which model should propose changes?');
    await editor.pick('No model');
    await journey.step('Evolve gross and 1 more');
    await editor.pick('Change limits');
    await journey.step('Stop the run…');
    await journey.picture('limits');
    await editor.pick('After 5 min');
    await journey.step('Evolve gross and 1 more');
    await editor.page.locator('.quick-input-list', { hasText: '5 min' }).waitFor();
    await journey.picture('ready');
    await editor.pick('Change goal');
    await journey.step('What should get better?');
    await journey.picture('goal');
    await editor.pick('Use less memory');
    await journey.step('Evolve gross and 1 more');
    await editor.page.locator('.quick-input-list', { hasText: 'use less memory' }).waitFor();
    await editor.pick('Change goal');
    await journey.step('What should get better?');
    await editor.pick('Run faster');
    await journey.step('Evolve gross and 1 more');
    await editor.pick(/^.*Start/);
    await ended('gross').waitFor({ timeout: 120_000 });
  });

  it('says which functions may change along, and leaves them alone when told to', async () => {
    const { editor } = journey;
    const list = (text: string) => editor.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).waitFor();
    await evolve(9);
    await journey.step('Evolve gross');
    await list('May change, too: net');
    await journey.picture('helpers');
    await editor.pick('May change, too');
    await list('Only gross may change');
    await editor.pick('Only gross may change');
    await list('May change, too: net');
    await leave();
  });

  it('says why a run failed that the original does not pass, and that a command spends its time elsewhere', async () => {
    const { editor } = journey;
    await evolve(3);
    await journey.step('How should candidates for net be checked?');
    await editor.pick('Run a test command');
    await editor.answer('Test or benchmark command', 'exit 3');
    await journey.step('Evolve net');
    await editor.pick(/^.*Start/);
    const message = await editor.message(/net: .*original/);
    await journey.picture('original-fails');
    const change = message.locator('a.monaco-button', { hasText: 'Change the Check' });
    await change.click();
    await journey.step('How should candidates for net be checked?');
    await editor.pick('Run a test command');
    await editor.answer('Test or benchmark command', 'python3 -c "import shop; assert shop.net([1, 2]) == 3"');
    await journey.step('Evolve net');
    await editor.pick(/^.*Start/);
    await editor.message(/net takes < 0\.1 % of the time of the command, so that a gain hardly shows/);
    await journey.picture('share');
    await ended('net').waitFor({ timeout: 120_000 });
  });

  it("judges by an evaluator's file that the user points at", async () => {
    const { editor } = journey;
    await evolve(17);
    await journey.step('How should candidates for Basket.weight be checked?');
    await editor.pick('Choose an evaluator file');
    await journey.step('Evaluator');
    await editor.page.locator('.quick-input-list .monaco-list-row', { hasText: 'quality.py' }).waitFor();
    await journey.picture('evaluator-file');
    await editor.pick('quality.py');
    await journey.step('Evolve Basket.weight');
    await editor.page.locator('.quick-input-list', { hasText: 'evaluator quality.py' }).waitFor();
    await editor.pick(/^.*Start/);
    await ended('Basket\\.weight').waitFor({ timeout: 120_000 });
  });

  it('evolves a folder of somebody else by the explorer, with its own evaluator', async () => {
    const { editor } = journey;
    await editor.page.locator('.activitybar a[aria-label^="Explorer"]').click();
    const folder = editor.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'puzzle' });
    await folder.click({ button: 'right' });
    await journey.picture('explorer');
    await editor.page.locator('.context-view .action-label', { hasText: 'Evolve with Peagen…' }).click();
    await journey.step('Evolve puzzle');
    await editor.page.locator('.quick-input-list', { hasText: "The folder's own evaluator.py" }).waitFor();
    await journey.picture('folder');
    await editor.pick(/^.*Start/);
    await ended('initial_program').waitFor({ timeout: 120_000 });
  });

  it('stands above a function that has a run, and evolves it again with one key', async () => {
    const { editor } = journey;
    await editor.openFile('shop.py', 9);
    // Above gross, net and Basket.weight, each of which has a run.
    await eventually('the lenses are there', async () => (await journey.lens('Evolve Again').count()) === 3);
    await journey
      .lens(/^[^,]*(best|no improvement|faster)/)
      .first()
      .waitFor();
    await journey.seenLens('no faster version found').waitFor();
    await journey.picture('lens');
    await editor.page.locator('.monaco-editor.focused, .monaco-editor .native-edit-context').first().waitFor();
    await editor.page.keyboard.press('Control+F6');
    // The newest run stands first; a row that is out of sight is not there to be counted.
    const newest = async () => (await editor.rows().first().innerText()).replaceAll('\n', ' ');
    await eventually(
      'another run has ended',
      async () => /gross.*(done|exhausted|further improvement)/.test(await newest()),
      120_000,
    );
  });

  it('is an action on any function', async () => {
    const { editor } = journey;
    await editor.openFile('shop.py', 18);
    const action = editor.page.locator('.action-widget', { hasText: 'Evolve Basket.weight with Peagen' });
    // The list was seen to be gone again where a run had only just ended: it is asked for until it stands.
    await eventually('the action is offered', async () => {
      await editor.command('Refactor...');
      return await action.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
    await journey.picture('action');
    await editor.page.keyboard.press('Escape');
    assert.equal(await titled('How should').count(), 0);
  });
});
