import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from 'playwright-core';
import { eventually, Journey } from './driver/journey.ts';
import { webviewFrame } from './driver/webview.ts';

describe('the dashboard in VS Code', () => {
  const journey = new Journey('dashboard');
  const complaints: string[] = [];
  let frame: Frame;

  before(async () => {
    await journey.open({
      extension: process.env['PEAGEN_STAGE'] ?? '',
      settings: { 'workbench.editor.enablePreview': false },
    });
    journey.editor.page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) complaints.push(message.text());
    });
  });
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  const text = (id: string) => frame.locator(`#${id}`).innerText();
  const journal = () => {
    const runs = join(journey.folder, '.peagen', 'runs');
    return readdirSync(runs)
      .map((run) => readFileSync(join(runs, run, 'journal.jsonl'), 'utf8'))
      .join('');
  };
  /** Middles of the cells that hold an elite, found as a user finds them: with the pointer. */
  const cells = async (wanted: number) => {
    const box = await frame.locator('#map').boundingBox();
    assert.ok(box);
    const found = new Map<string, { x: number; y: number }>();
    // Ever closer: a young archive has few cells, each of them wide.
    for (const parts of [6, 12, 24, 48]) {
      for (let at = 0; at < parts * parts && found.size < wanted; at++) {
        const x = box.x + (((at % parts) + 0.5) * box.width) / parts;
        const y = box.y + ((Math.floor(at / parts) + 0.5) * box.height) / parts;
        await journey.editor.page.mouse.move(x, y);
        const tip = frame.locator('#tip');
        const said = (await tip.isVisible()) ? await tip.innerText() : '';
        // By its ranges: which elite it holds may change, since what was under way when the run was paused goes on.
        const [ranges = ''] = said.split('\n');
        if (ranges !== '' && !said.includes('the original') && !found.has(ranges)) found.set(ranges, { x, y });
      }
    }
    assert.ok(found.size >= wanted, `${found.size} cells`);
    return [...found.values()];
  };

  it('says what to do while there is no run', async () => {
    await journey.editor.page.locator('.activitybar .action-item:has(a[aria-label^="Peagen"])').click();
    await journey.editor.page.locator('.welcome-view-content', { hasText: 'Evolve Selection' }).waitFor();
    await journey.editor.command('Peagen: Open Dashboard');
    frame = await webviewFrame(journey.editor.page);
    await frame.locator('#empty').waitFor();
    await journey.picture('empty');
  });

  it('shows a run that begins, and follows it: figures, graph and archive', async () => {
    // Keys pressed in a webview reach the editor later than those pressed next to it.
    await journey.editor.page.locator('.sidebar .title').first().click();
    journey.record();
    await journey.editor.command('Peagen: Refresh Runs');
    await journey.resume();
    await journey.editor.command('Peagen: Open Dashboard');
    frame = await webviewFrame(journey.editor.page);
    await frame.locator('#name', { hasText: 'bad_sort' }).waitFor();
    const before = Number(await frame.locator('html').getAttribute('data-updates'));
    await eventually(
      'ten updates have come',
      async () => Number(await frame.locator('html').getAttribute('data-updates')) > before + 10,
      180_000,
    );
    await eventually(
      'some niches are held',
      async () => Number(/(\d+) candidates/.exec((await frame.locator('#map').getAttribute('aria-label')) ?? '')?.[1]) >= 4,
      180_000,
    );
    await frame.locator('#score[data-shown^="generations"]').waitFor();
    assert.match(await text('fabric'), /Workers\s+[1-9]\d* live/);
    await journey.picture('dark');
  });

  it('shows the best score over time as well', async () => {
    await frame.locator('input[value=time]').check();
    await frame.locator('#score[data-shown^="time"]').waitFor();
  });

  it('pauses the run', async () => {
    await frame.locator('#pause').click();
    await frame.locator('#continue').waitFor();
    await frame.locator('#status', { hasText: 'paused' }).waitFor();
  });

  it('reviews the elite of a cell that is clicked, and shows its lineage', async () => {
    const [cell] = await cells(1);
    assert.ok(cell);
    await journey.editor.page.mouse.click(cell.x, cell.y);
    await journey.seenLens('Accept').waitFor();
    await journey.closeReview();
    await journey.editor.command('Peagen: Open Dashboard');
    frame = await webviewFrame(journey.editor.page);
    await frame.locator('#lineage li', { hasText: 'the original' }).waitFor();
    await frame.locator('#lineage-chart[data-shown^="lineage"]').waitFor();
  });

  it('crosses two elites when one is dragged on the other', async () => {
    const { mouse } = journey.editor.page;
    const crossed = frame.locator('#said', { hasText: 'will be combined' });
    // A new elite may bring another row or column between the look and the drag.
    await eventually(
      'two elites are crossed',
      async () => {
        const [from, to] = await cells(2);
        assert.ok(from && to);
        await mouse.move(from.x, from.y);
        await mouse.down();
        await mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2);
        await mouse.move(to.x, to.y);
        await journey.picture('drag');
        await mouse.up();
        return await crossed.waitFor({ timeout: 5000 }).then(
          () => true,
          () => false,
        );
      },
      180_000,
    );
    await eventually('the journal says so', () => journal().includes('"type":"steered"'));
  });

  it('does the same by keyboard', async () => {
    const steered = () => journal().split('"type":"steered"').length;
    const before = steered();
    await frame.locator('#map').focus();
    await eventually('the cell is spoken', async () => (await text('map-cell')) !== '');
    const heard = () => frame.evaluate<number>('Number(document.documentElement.dataset.keys ?? 0)');
    await frame.evaluate(
      "addEventListener('keydown', () => { document.documentElement.dataset.keys = 1 + Number(document.documentElement.dataset.keys ?? 0) })",
    );
    // A key takes its time to reach the page.
    const press = async (key: string) => {
      const keys = await heard();
      await journey.editor.page.keyboard.press(key);
      await eventually(`${key} has come`, async () => (await heard()) > keys);
    };
    await press('x');
    // The pointer has left the cursor elsewhere than where the focus was reported.
    const first = await text('map-cell');
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']) {
      await press(key);
      if ((await text('map-cell')) !== first) break;
    }
    assert.notEqual(await text('map-cell'), first);
    await press('x');
    await eventually('the journal says so', () => steered() > before);
  });

  it('continues the run', async () => {
    await frame.locator('#continue').click();
    await frame.locator('#pause').waitFor();
  });

  it('shows an alert that the daemon raises, and reports it once wherever the user is', async () => {
    const results = join(journey.folder, '.peagen', 'results');
    renameSync(results, `${results}-away`);
    writeFileSync(results, 'no folder');
    await frame.locator('#alerts li', { hasText: 'Results cannot be stored' }).waitFor();
    const message = await journey.editor.message('Results cannot be stored');
    await message.locator('a.monaco-button', { hasText: 'Open Dashboard' }).waitFor();
    await journey.picture('alert');
    assert.equal(await message.count(), 1);
    rmSync(results);
    renameSync(`${results}-away`, results);
    await journey.editor.command('Notifications: Clear All Notifications');
  });

  it('shows other features of the archive', async () => {
    // The other way round than they are shown at first, when the archive's order decides.
    await frame.locator('#x').selectOption('approach');
    await frame.locator('#y').selectOption('complexity');
    await frame.locator('#x-low', { hasText: /line|loop|recursive|-based/ }).waitFor();
    await frame.locator('#y-low', { hasText: 'complexity' }).waitFor();
  });

  it('is there again after the window was reloaded, as it was left', async () => {
    await journey.editor.reload();
    frame = await webviewFrame(journey.editor.page);
    await frame.locator('#name', { hasText: 'bad_sort' }).waitFor();
    await frame.locator('#y-low', { hasText: 'complexity' }).waitFor();
    assert.ok(await frame.locator('input[value=time]').isChecked());
    const since = async (mark: string) =>
      (await frame.evaluate<number>(`performance.getEntriesByName('${mark}')[0]?.startTime`)).toFixed(0);
    const [first, script] = [await since('first-contentful-paint'), await since('peagen/ready')];
    console.log(
      `      after the page began to load: first paint ${first} ms, script ${script} ms, run ${await since('peagen/painted')} ms`,
    );
    await frame.locator('#lineage li').first().waitFor();
  });

  it('follows the theme', async () => {
    const color = () => frame.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const before = await color();
    await journey.editor.command('Preferences: Color Theme');
    await journey.editor.page.locator('.quick-input-widget input').fill('Light High Contrast');
    await journey.editor.page.keyboard.press('Enter');
    await eventually('the page has another background', async () => (await color()) !== before);
    await frame.locator('#score canvas').first().waitFor();
    await journey.picture('contrast-light');
  });

  it('stops the run', async () => {
    await frame.locator('#stop').click();
    await frame.locator('#status', { hasText: 'stopped' }).waitFor();
    await frame.locator('#stop').waitFor({ state: 'hidden' });
    const tile = async (term: string) =>
      await frame
        .locator('#tiles div', { has: frame.getByText(term, { exact: true }) })
        .locator('dd')
        .innerText();
    // What the search has measured is in the graph; above it stands only what was measured with care.
    await eventually('the graph ends in a number', async () =>
      /[\d.]+$/.test((await frame.locator('#score').getAttribute('aria-label')) ?? ''),
    );
    assert.equal(await frame.locator('#tiles').getByText('Best speed-up', { exact: true }).count(), 0);
    assert.match(await tile('Result'), /^([\d.]+× faster \([\d.]+ to [\d.]+\)|no improvement)$/);
    await journey.picture('ended');
  });

  it('breaks its own policy nowhere', () => {
    assert.deepEqual(complaints, []);
  });
});
