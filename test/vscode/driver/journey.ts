/** The main job as a user does it, for whichever way the extension got into the editor. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { locate } from '../../../daemon/client/locate.ts';
import { Editor, type EditorOptions, PATIENCE_MS } from './editor.ts';
import { cli, project, typedInputs } from './parts.ts';
import { copyRecordedRun, endless } from './recorded.ts';

/** A search that ends by itself, without a model. */
export const shortRun = { 'peagen.generations': 3, 'peagen.mutator': 'structural' };

export class Journey {
  readonly folder = mkdtempSync(join(tmpdir(), 'peagen-journey-'));
  readonly file = join(this.folder, 'bad_sort.py');
  readonly original: string;
  private readonly prefix: string;
  private opened: Editor | undefined;

  /** `prefix` names the pictures; `recorded`: the folder has the recorded run, as it was killed or `paused`. */
  constructor(prefix: string, { recorded = false }: { recorded?: boolean | 'paused' } = {}) {
    this.prefix = prefix;
    cpSync(join(project, 'media', 'samples', 'bad_sort', 'bad_sort.py'), this.file);
    if (recorded !== false) this.record(recorded === 'paused');
    this.original = readFileSync(this.file, 'utf8');
  }

  /** Puts the recorded run into the folder. */
  record(paused = false): void {
    copyRecordedRun(process.env['PEAGEN_RECORDED'] ?? assert.fail('a run is recorded'), this.folder, { paused });
  }

  async open(options: Omit<EditorOptions, 'folder'>): Promise<void> {
    const env = { ...endless, ...options.env };
    this.opened = await Editor.open({ settings: shortRun, ...options, env, folder: this.folder });
  }

  get editor(): Editor {
    assert.ok(this.opened, 'the editor is open');
    return this.opened;
  }

  picture(name: string): Promise<void> {
    return this.editor.screenshot(`${this.prefix}-${name}`);
  }

  /** Where a text stands: files of the workspace, logs of daemons, or the console of the window. */
  whereIs(text: string): string[] {
    const { folder } = locate(this.folder, { build: 'any' });
    const { stdout } = spawnSync('grep', ['-rlaF', text, this.folder, folder], { encoding: 'utf8' });
    const files = stdout.split('\n').filter((file) => file !== '');
    return this.editor.said.some((line) => line.includes(text)) ? [...files, 'the console'] : files;
  }

  /** For after each test. */
  async keepFailure(test: Mocha.Test | undefined): Promise<void> {
    if (test?.state === 'failed') await this.editor.keepFailure(`${this.prefix}-${test.title}`);
  }

  async evolve(): Promise<void> {
    await this.judged();
    await this.editor.pick(/^.*Start/);
  }

  /** Up to the question whether to start, with inputs typed. */
  async judged(): Promise<void> {
    await this.again();
    await this.step('How should candidates for bad_sort be checked?');
    await this.picture('how-to-judge');
    await this.typeInputs(typedInputs);
    await this.step('Evolve bad_sort');
    await this.picture('plan');
  }

  /** The recorded run goes on, as a live one that has elites, or waits as it did when it was paused. */
  async resume(): Promise<void> {
    await openView(this.editor);
    await this.editor.rows(/bad_sort.*interrupted/).waitFor();
    await this.editor.command('Peagen: Resume Interrupted Run');
    await this.editor.rows(/bad_sort.*(running|paused)/).waitFor();
  }

  /** Asks for a run on the function; how it is judged may be known. */
  async again(): Promise<void> {
    await this.editor.openFile('bad_sort.py', 20);
    await this.editor.command('Peagen: Evolve Selection');
  }

  /** Types inputs in the tab that the open question leads to, and confirms them. */
  async typeInputs(text: string): Promise<void> {
    const { page } = this.editor;
    await this.editor.pick('Type inputs');
    const tab = page.locator('.tab.active[data-resource-name^="inputs of "]');
    await tab.waitFor();
    const lens = this.lens('Use These Inputs');
    await lens.waitFor();
    await until(
      'typing',
      async () => (await page.locator('.view-lines', { hasText: text.slice(0, 20) }).count()) > 0,
      async () => {
        await page.locator('.editor-instance .monaco-editor .view-lines').first().click();
        await page.keyboard.press('Control+a');
        await page.keyboard.insertText(text);
        // The editor closes brackets by itself, behind what was typed.
        await page.keyboard.press('Control+Shift+End');
        await page.keyboard.press('Delete');
      },
    );
    await until(
      'Use These Inputs',
      async () => (await tab.count()) === 0,
      () => lens.click({ timeout: 5000 }),
    );
  }

  /** Waits for a question by its title. */
  async step(title: string): Promise<void> {
    await this.editor.page.locator('.quick-input-title', { hasText: title }).waitFor();
  }

  /** The lenses of the open proposal. */
  lens(text: string | RegExp) {
    return this.editor.page.locator('.codelens-decoration a', { hasText: text });
  }

  /** The first of them that is in sight, as a user sees it: others of the proposal may lie below the window. */
  seenLens(text: string | RegExp) {
    return this.lens(text).filter({ visible: true }).first();
  }

  /** Its lenses are gone afterwards: a later look for lenses does not see those of this proposal. */
  async closeReview(): Promise<void> {
    await this.editor.command('Peagen: Close Review');
    await this.lens('Accept').first().waitFor({ state: 'detached' });
  }

  /** The first elite that is not the original. */
  elite() {
    // The row of an ended run says how much faster, too.
    return this.editor
      .rows(/faster|slower|as fast/)
      .and(this.editor.page.locator('[aria-level="2"]'))
      .first();
  }

  /** By its name: the row's middle may be under its icons, and a row that is drawn again swallows a click. */
  async openElite(): Promise<void> {
    const accept = this.seenLens('Accept');
    await eventually(
      'the elite is open',
      async () => {
        if ((await accept.count()) > 0) return true;
        try {
          await this.elite().locator('.label-name').click({ timeout: 5000 });
          await accept.waitFor({ timeout: 15_000 });
        } catch {
          // It may still come.
        }
        return (await accept.count()) > 0;
      },
      120_000,
    );
  }

  /**
   * Clicks an action that shows on a row under the pointer, until it has taken effect: a row that is drawn again swallows a
   * click.
   */
  async act(row: () => Locator, title: string, effect: () => boolean | Promise<boolean>): Promise<void> {
    await until(title, effect, async () => {
      await row().hover({ timeout: 10_000 });
      await row().locator(`.actions a[aria-label^="${title}"]`).click({ timeout: 10_000 });
    });
  }

  /** Accepts all that is open, by the lenses. */
  async acceptAll(): Promise<void> {
    const open = async () => (await this.lens('Accept').count()) > 0;
    await until(
      'Accept',
      async () => this.disk() !== this.original && !(await open()),
      async () => {
        const all = this.lens('Accept All').filter({ visible: true });
        await ((await all.count()) > 0 ? all : this.seenLens('Accept')).first().click({ timeout: 5000 });
      },
    );
  }

  /** By the menu of an elite, whose name there is `title`; again when the row was drawn again and swallowed the choice. */
  async openEvidence(elite: Locator, title: string): Promise<void> {
    const page = this.editor.page.locator('.tab.active[data-resource-name^="bad_sort, "]');
    await eventually('the evidence is open', async () => {
      if ((await page.count()) > 0) return true;
      return await this.editor
        .choose(elite, title)
        .then(() => page.waitFor({ timeout: 15_000 }))
        .then(
          () => true,
          () => false,
        );
    });
  }

  disk(): string {
    return readFileSync(this.file, 'utf8');
  }

  async close(): Promise<void> {
    // The daemon outlives windows, as it should; its workspace ends here.
    const stop = () =>
      execFileSync(process.execPath, [cli(), 'daemon', 'stop', '--workspace', this.folder], {
        stdio: 'ignore',
        timeout: 120_000,
      });
    await this.opened?.close(stop);
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

/** Opens the Evolution view; a click on the icon of the view that is open already would close it. */
export async function openView({ page }: Editor): Promise<void> {
  const title = page.locator('.sidebar .composite.title', { hasText: 'Peagen' });
  await until(
    'the icon of the view',
    () => title.isVisible(),
    // With its badge, which may cover it.
    () => page.locator('.activitybar .action-item:has(a[aria-label^="Peagen"])').click(),
  );
}

/** Does something until it takes effect. */
export async function until(title: string, effect: () => boolean | Promise<boolean>, act: () => Promise<void>): Promise<void> {
  await eventually(`"${title}" takes effect`, async () => {
    if (await effect()) return true;
    try {
      await act();
      await eventually('', effect, 5000);
      return true;
    } catch {
      return false;
    }
  });
}

export async function eventually(what: string, holds: () => boolean | Promise<boolean>, timeoutMs = PATIENCE_MS): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  // Ever less often: to look costs the window and the run their processor.
  for (let pauseMs = 25; !(await holds()); pauseMs = Math.min(2 * pauseMs, 400)) {
    assert.ok(Date.now() < deadline, `waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
