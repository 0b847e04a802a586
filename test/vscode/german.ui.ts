import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { fill } from '../../shared/fill.ts';
import { Journey, shortRun, typedInputs } from './journey.ts';
import { project } from './parts.ts';
import { webviewFrame } from './webview.ts';

const read = (name: string): Record<string, string> => JSON.parse(readFileSync(join(project, 'media', 'l10n', name), 'utf8'));
const texts = read('bundle.l10n.de.json');
const titles = read('package.nls.de.json');

/** A text of the extension in German, without its icon. */
function german(english: string, ...values: (string | number)[]): string {
  const text = texts[english];
  assert.ok(text !== undefined && text !== english, `"${english}" is in the German texts`);
  return fill(text, ...values).replace(/^\$\([a-z-]+\) /, '');
}

function title(key: string): string {
  return titles[key] ?? assert.fail(`"${key}" is in the German manifest`);
}

const ended = [german('stopped'), german('all generations done')];

describe('Peagen in German', () => {
  const journey = new Journey('german');
  let frame: Frame;

  // It is stopped as soon as it has found something that is right.
  const settings = { ...shortRun, 'peagen.generations': 2000 };
  before(() => journey.open({ extension: process.env['PEAGEN_STAGE'] ?? '', language: 'de', settings }));
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  it('says in the empty view what to do', async () => {
    await journey.editor.page.locator('.activitybar .action-item:has(a[aria-label^="Peagen"])').click();
    const [first = ''] = title('welcome.evolution.ready').split('\n');
    await journey.editor.page.locator('.welcome-view-content', { hasText: first }).waitFor();
    await journey.picture('empty');
  });

  it('asks how to judge, and what it may cost', async () => {
    const { editor } = journey;
    await editor.openFile('bad_sort.py', 20);
    await editor.command(`Peagen: ${title('command.evolveSelection')}`);
    await journey.step(german('How is {0} judged?', 'bad_sort'));
    await journey.picture('how-to-judge');
    await editor.pick(german('$(edit) Type sample inputs…'));
    await editor.answer(german('Sample inputs'), typedInputs);
    await journey.step(german('Evolve {0}', 'bad_sort'));
    await journey.picture('plan');
    await editor.pick(german('$(play) Start'));
  });

  it('names runs, niches and elites', async () => {
    const { editor } = journey;
    const size = new RegExp(`${german('size')} \\d+–\\d+`);
    await editor.rows(size).first().waitFor({ timeout: 180_000 });
    const worth = [german('{0} faster', ''), german('{0} slower', ''), german('as fast')].map((text) => text.trim());
    await editor
      .rows(new RegExp(worth.join('|')))
      .first()
      .waitFor();
    const [, ...place] = german('negate at line {0}', '\\d+').split(' ');
    const made = editor.rows(new RegExp(`${german('structural')} · .*${place.join(' ')}`)).first();
    await made.waitFor({ timeout: 180_000 });
    // Rather than wait for its natural end, which takes as long as all before.
    await editor.command(`Peagen: ${title('command.stopRun')}`);
    await editor.rows(new RegExp(`bad_sort.*(${ended.join('|')})`)).waitFor({ timeout: 180_000 });
    await journey.picture('elites');
  });

  it('tells the evidence for an elite', async () => {
    const { editor } = journey;
    await journey.openEvidence(editor.rows(german('structural')).first(), title('command.showEvidence'));
    const line = (text: string) => editor.page.locator('.view-line', { hasText: text }).waitFor();
    await line(german('- Outcome: {0}', german('correct')));
    await line(german('- Made by: {0}, in generation {1}', german('structural'), '').trim());
    await line(`${german('size')} `);
    await journey.picture('evidence');
    await editor.command('View: Close Editor');
  });

  it('labels the dashboard, its axes and its features', async () => {
    await journey.editor.command(`Peagen: ${title('command.openDashboard')}`);
    frame = await webviewFrame(journey.editor.page);
    await frame.locator('#name', { hasText: 'bad_sort' }).waitFor();
    await frame.locator('#tiles', { hasText: german('Best score') }).waitFor();
    await frame.locator('#x option', { hasText: german('speed') }).waitFor({ state: 'attached' });
    await frame.locator(`#score[aria-label^="${german('Best score')}"]`).waitFor();
    await frame.locator('#status', { hasText: new RegExp(ended.join('|')) }).waitFor();
    assert.equal(await frame.locator('html').getAttribute('lang'), 'de');
    await journey.picture('dashboard');
  });
});
