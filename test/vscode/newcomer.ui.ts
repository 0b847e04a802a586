import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Call } from '../../shared/judging.ts';
import { compareWith } from '../ordinary/comparer.ts';
import { Draw } from '../ordinary/draw.ts';
import { drawsOf, type Value } from '../ordinary/everyday.ts';
import type { Fixture } from '../ordinary/fixture.ts';
import { Journey, until } from './driver/journey.ts';

/** A function that nobody prepared. What such functions gain is measured by `npm run bench -- offline --everyday`, not here. */
interface Case {
  readonly path: string;
  readonly fn: string;
  readonly line: number;
  readonly language: Fixture['language'];
  readonly source: string;
  readonly draw: (draw: Draw) => Value[];
}

const everyday = (path: string) => readFileSync(join(import.meta.dirname, '..', 'fixtures', 'everyday', path), 'utf8');

const cases: readonly Case[] = [
  {
    path: 'longest_streak.py',
    fn: 'longest_streak',
    line: 4,
    language: 'python',
    source: everyday('python/longest_streak.py'),
    draw: drawsOf('longest_streak.py'),
  },
  {
    path: 'removeRepeats.mjs',
    fn: 'removeRepeats',
    line: 4,
    language: 'javascript',
    source: everyday('javascript/removeRepeats.mjs'),
    draw: drawsOf('removeRepeats.mjs'),
  },
  {
    path: 'leaderboard.ts',
    fn: 'leaderboard',
    line: 8,
    language: 'typescript',
    source: everyday('typescript/leaderboard.ts'),
    draw: drawsOf('leaderboard.ts'),
  },
];

/** Random calls that what is announced is compared on. */
const CALLS = 500;
/** A busy machine judges a candidate a second. On a quiet one a gain is seen within a minute. */
const GAIN_MS = 240_000;

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Seven lines of a long file. */
const part = (i: number) =>
  `def part_${i}(items):\n    total = 0\n    for item in items:\n        total += item * ${i}\n    return total\n\n\n`;

describe('a newcomer with nothing but Enter', () => {
  const journey = new Journey('newcomer');

  before(async () => {
    for (const { path, source } of cases) writeFileSync(join(journey.folder, path), source);
    writeFileSync(join(journey.folder, 'long.py'), Array.from({ length: 4000 }, (_, i) => part(i)).join(''));
    await journey.open({
      extension: process.env['PEAGEN_STAGE'] ?? '',
      settings: {},
      // As it is for users, but for the choices of the search.
      env: {
        PEAGEN__EVOLVE__POPULATION: undefined,
        PEAGEN__EVALUATE__DERIVE: undefined,
        PEAGEN__WORKER__DEFAULTS__MAX_PARALLEL: '2',
        PEAGEN__EVOLVE__SEED: '1',
      },
    });
    await journey.editor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  /** Milliseconds from the start of the newest run to its first candidate that was judged. */
  function firstCandidate(): number {
    const runs = join(journey.folder, '.peagen', 'runs');
    const newest = readdirSync(runs).sort().at(-1) ?? '';
    const events = readFileSync(join(runs, newest, 'journal.jsonl'), 'utf8')
      .trim()
      .split('\n');
    const at = (type: string) => {
      const { at: time } = JSON.parse(events.find((line) => line.includes(`"type":"${type}"`)) ?? '{}');
      return Date.parse(time);
    };
    return at('evaluated') - at('started');
  }

  /** Presses Enter as long as the dialogue asks. */
  async function enter(fn: string, asksModel: boolean): Promise<void> {
    const { page } = journey.editor;
    const questions = [
      `How should candidates for ${fn} be checked?`,
      `Inputs made for ${fn}`,
      ...(asksModel ? ['Which model should propose changes?'] : []),
      `Evolve ${fn}`,
    ];
    for (const question of questions) {
      const title = page.locator('.quick-input-title', { hasText: question });
      await title.waitFor();
      await page.locator('.quick-input-list .monaco-list-row.focused').waitFor();
      await page.keyboard.press('Enter');
      await title.waitFor({ state: 'hidden' });
    }
  }

  for (const [i, { path, fn, line, language, source, draw }] of cases.entries()) {
    it(`gains on ${fn} of ${path}, and what is announced does what the original does on random calls`, async function () {
      this.timeout(GAIN_MS + this.timeout());
      const { editor } = journey;
      await editor.openFile(path, line);
      const started = performance.now();
      // A notification of another extension, which looks at the new file, can take the focus and so the question away.
      await until(
        'Evolve Selection',
        () => editor.page.locator('.quick-input-title', { hasText: `candidates for ${fn}` }).isVisible(),
        () => editor.command('Peagen: Evolve Selection'),
      );
      await enter(fn, i === 0);
      await editor.rows(new RegExp(`${fn}.*best`)).waitFor({ timeout: GAIN_MS });
      console.log(`      a gain was seen after ${seconds(performance.now() - started)}`);
      await journey.picture(fn);
      const stopped = performance.now();
      await editor.command('Peagen: Stop Run');
      const ended = (words: string) => editor.rows(new RegExp(`${fn}.*${words}.*stopped`));
      await ended('faster').waitFor();
      console.log(
        `      its first candidate after ${seconds(firstCandidate())}, ended ${seconds(performance.now() - stopped)} after Stop Run`,
      );
      await editor.command('Notifications: Clear All Notifications');
      const result = editor
        .rows(/the result/)
        .and(editor.page.locator('[aria-level="2"]'))
        .first();
      const code = () => editor.page.evaluate<string>('navigator.clipboard.readText()');
      await until(
        'Copy Code',
        async () => (await code()).includes(fn),
        () => editor.choose(result, 'Copy Code'),
      );
      const random = new Draw(7);
      const sessions = Array.from({ length: CALLS }, () => [Call.parse({ args: draw(random) })]);
      const { results } = await compareWith({ language, entry: fn, text: source }, [await code()], sessions);
      assert.deepEqual(
        results.map(({ different, first }) => ({ different, first })),
        [{ different: 0, first: null }],
      );
    });
  }

  it('is asked at once about a function of a file of 28,000 lines', async () => {
    const { editor } = journey;
    await editor.openFile('long.py', 14_003);
    const started = performance.now();
    await editor.command('Peagen: Evolve Selection');
    await editor.page.locator('.quick-input-title', { hasText: 'candidates for part_2000' }).waitFor();
    console.log(`      asked after ${seconds(performance.now() - started)}, the typing of the command included`);
    await editor.page.keyboard.press('Escape');
  });
});
