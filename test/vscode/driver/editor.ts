/** A real VS Code for a test: the server on a free port, a window of it in Chromium, and hands to use it with. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { chromium as chromiumPath, editorVersion, screenshots, serverMain, serverNode } from './parts.ts';

/** What a window shows: a folder (a path, or the URI of a virtual one), a .code-workspace file, or nothing. */
export interface Shown {
  readonly folder?: string;
  readonly workspace?: string;
  /** A file to open in a window without a folder. */
  readonly file?: string;
}

export interface EditorOptions extends Shown {
  /** A folder to load the extension from. */
  readonly extension?: string;
  /** Also load the test extension in hands/, whose commands do what a user cannot do by hand. */
  readonly hands?: boolean;
  /** Folder of a further extension, there for the test's own sake: installed, since only one can be in development. */
  readonly companion?: string;
  /** A package to install. */
  readonly vsix?: string;
  /** Tests to run in the extension host. */
  readonly tests?: string;
  /** Next to `calm`; undefined takes one away. */
  readonly env?: Record<string, string | undefined>;
  readonly settings?: Record<string, unknown>;
  readonly trust?: boolean;
}

/** Several editors share the machine: runs make few candidates, one at a time, on the given calls, until their test ends them. */
export const calm = {
  PEAGEN__WORKER__DEFAULTS__MAX_PARALLEL: '1',
  PEAGEN__EVOLVE__POPULATION: '4',
  PEAGEN__EVALUATE__DERIVE: 'false',
  PEAGEN__EVOLVE__STOP__NO_IMPROVE: '10000',
};

/** Colours and quiet: no walkthrough, no telemetry, nothing that moves in a picture. */
const settings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': process.env['PEAGEN_TEST_PICTURES'] === 'light' ? 'Default Light Modern' : 'Default Dark Modern',
  'chat.disableAIFeatures': true,
  'update.mode': 'none',
  'extensions.ignoreRecommendations': true,
  'editor.minimap.enabled': false,
  'editor.cursorBlinking': 'solid',
  'workbench.reduceMotion': 'on',
  // A resting pointer would bring up a text over the row that is clicked next.
  'workbench.hover.delay': 3_600_000,
  // In a browser, VS Code saves by itself unless told not to.
  'files.autoSave': 'off',
  'remote.autoForwardPorts': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'security.workspace.trust.startupPrompt': 'never',
};

/** Nothing moves: each picture between two states, such as of a scroll bar that fades, is drawn by the processor that the run needs. */
const STILL = '*, ::before, ::after { animation: none !important; transition: none !important; }';

/** For any step: a busy machine is slow, and a wait in vain is rare. */
export const PATIENCE_MS = 90_000;
/** Belongs to the window. */
const [WIDTH, HEIGHT] = [1400, 900];

/**
 * One browser for all editors that this process opens one after another: what it compiled of the workbench for one is there
 * for the next, which costs half as much. With PEAGEN_TEST_PICTURES it draws twice the pixels, for pictures that people see.
 */
let browserContext: Promise<BrowserContext> | undefined;
/** What closed editors leave: a page that shows the next one, at the same address, has its programs compiled already. */
const idlePorts: number[] = [];
const idlePages: Page[] = [];

async function launchBrowser(): Promise<BrowserContext> {
  const browser = await chromium.launch({
    executablePath: chromiumPath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-sync',
    ],
  });
  const context = await browser.newContext({
    viewport: { width: WIDTH, height: HEIGHT },
    deviceScaleFactor: process.env['PEAGEN_TEST_PICTURES'] === undefined ? 1 : 2,
  });
  await context.addInitScript(`{
    const still = new CSSStyleSheet();
    still.replaceSync(${JSON.stringify(STILL)});
    document.adoptedStyleSheets.push(still);
  }`);
  context.setDefaultTimeout(PATIENCE_MS);
  return context;
}

/** For when the last editor of the process is closed. */
export async function closeBrowser(): Promise<void> {
  await (await browserContext)?.browser()?.close();
  browserContext = undefined;
}

export class Editor {
  readonly page: Page;
  private readonly server: ChildProcess;
  private readonly home: string;
  private url: string;

  /** What the window and its extension host wrote to the console: without its native parts, the server keeps no log files. */
  readonly said: string[] = [];

  private constructor(page: Page, server: ChildProcess, home: string, url: string) {
    this.page = page;
    page.on('console', (message) => this.said.push(message.text()));
    this.server = server;
    this.home = home;
    this.url = url;
  }

  static async open(options: EditorOptions): Promise<Editor> {
    const home = mkdtempSync(join(tmpdir(), 'peagen-vscode-'));
    const folders = ['--user-data-dir', join(home, 'data'), '--extensions-dir', join(home, 'extensions')];
    mkdirSync(join(home, 'data', 'Machine'), { recursive: true });
    mkdirSync(join(home, 'data', 'User'), { recursive: true });
    const text = JSON.stringify({ ...settings, ...options.settings });
    writeFileSync(join(home, 'data', 'Machine', 'settings.json'), text);
    if (options.hands === true) {
      cpSync(join(import.meta.dirname, '..', 'hands'), join(home, 'extensions', 'peagen-test.hands-0.0.1'), { recursive: true });
    }
    const accept = '--accept-server-license-terms';
    // Found by VS Code when it makes its list of installed extensions, at the first start.
    if (options.companion !== undefined)
      cpSync(options.companion, join(home, 'extensions', 'companion-1.0.0'), { recursive: true });
    if (options.vsix !== undefined) {
      execFileSync(serverNode(), [serverMain(), accept, '--install-extension', options.vsix, ...folders], { stdio: 'pipe' });
    }
    const port = idlePorts.pop() ?? (await freePort());
    const trust = options.trust === false ? [] : ['--disable-workspace-trust'];
    const server = spawn(
      serverNode(),
      [
        serverMain(),
        accept,
        '--without-connection-token',
        '--enable-smoke-test-driver',
        '--disable-telemetry',
        ...['--host', '127.0.0.1', '--port', String(port)],
        ...folders,
        ...trust,
      ],
      { env: { ...process.env, ...calm, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    server.stderr?.resume();
    browserContext ??= launchBrowser();
    const context = await browserContext;
    const page = idlePages.pop() ?? (await context.newPage());
    const editor = new Editor(page, server, home, urlOf(port, options));
    try {
      await listening(server);
      await editor.load();
    } catch (caught) {
      await editor.close();
      throw caught;
    }
    return editor;
  }

  /** A second window of the same editor on the same place; it ends with the editor. */
  async secondWindow(): Promise<Editor> {
    const page = await this.page.context().newPage();
    const second = new Editor(page, this.server, this.home, this.url);
    await second.load();
    return second;
  }

  /** Opens the window, or opens it again. */
  async load(): Promise<void> {
    await this.page.goto(this.url);
    await this.page.locator('.monaco-workbench').waitFor();
    await this.page.locator('.statusbar').waitFor();
  }

  /** Has the window show something else, as long as the editor is the same. */
  async show(options: EditorOptions): Promise<void> {
    this.url = urlOf(Number(new URL(this.url).port), options);
    await this.load();
  }

  /** As a user does, so that the window has put away what it remembers; leaving the page gives it no time for that. */
  async reload(): Promise<void> {
    const left = this.page.waitForEvent('load', { timeout: PATIENCE_MS });
    await this.command('Developer: Reload Window');
    await left;
    await this.page.locator('.monaco-workbench').waitFor();
    await this.page.locator('.statusbar').waitFor();
  }

  /**
   * Runs a command by its title, as a user does: again when something that opens just now takes the focus away, or when
   * the palette was listed before the extension's commands were known.
   */
  async command(title: string): Promise<void> {
    const input = this.page.locator('.quick-input-widget input');
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: title }).first();
    for (const deadline = Date.now() + PATIENCE_MS; ; ) {
      try {
        await this.page.keyboard.press('F1');
        await input.fill(`>${title}`, { timeout: 5000 });
        // The row itself: what Enter takes may have changed since.
        await row.click({ timeout: 5000 });
        return;
      } catch (caught) {
        if (Date.now() > deadline) throw caught;
        await this.page.keyboard.press('Escape');
      }
    }
  }

  /** Opens a file of the folder at a line, counted from 1. */
  async openFile(name: string, line = 1): Promise<void> {
    await this.page.keyboard.press('Control+p');
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(`${name}:${line}`);
    // The first row: what was there before the text was read is not meant.
    await this.page
      .locator('.quick-input-list .monaco-list-row:first-child')
      .filter({ hasText: name.split('/').at(-1) ?? name })
      .waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator(`.tab.active[data-resource-name="${name.split('/').at(-1)}"]`).waitFor();
    // The tab is there before its text is.
    await this.page.locator('#status\\.editor\\.selection', { hasText: `Ln ${line},` }).waitFor();
  }

  /** Chooses a row of the open pick. */
  async pick(text: string | RegExp): Promise<void> {
    await this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: text }).first().click();
  }

  /** Runs a command that asks at once, until `answers` can act on it; once more where something took the focus, which closes a pick. */
  async ask(command: string, asked: Locator, answers: (asked: Locator, timeout: number) => Promise<void>): Promise<void> {
    for (let left = 5; ; left--) {
      await this.command(command);
      try {
        await answers(asked, 10_000);
        return;
      } catch (caught) {
        if (left === 0 || (await asked.isVisible())) throw caught;
      }
    }
  }

  /** Runs a command and chooses a row of its pick. */
  async pickFrom(command: string, text: string): Promise<void> {
    const row = this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: text }).first();
    await this.ask(command, row, (asked, timeout) => asked.click({ timeout }));
  }

  /** Returns the open input box. */
  async answer(title: string, text: string): Promise<void> {
    await this.page.locator('.quick-input-title', { hasText: title }).waitFor();
    await this.page.locator('.quick-input-widget input').fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** A message, in the list of them: driven by a test, VS Code shows none by itself. The list closes when it becomes empty. */
  async message(text: string | RegExp) {
    const center = this.page.locator('.notifications-center.visible');
    const found = this.page.locator('.notifications-center .monaco-list-row', { hasText: text });
    for (const deadline = Date.now() + PATIENCE_MS; ; ) {
      if (!(await center.isVisible())) await this.command('Notifications: Show Notifications');
      try {
        await found.first().waitFor({ timeout: 3000 });
        return found;
      } catch (caught) {
        if (Date.now() > deadline) throw caught;
      }
    }
  }

  /** Chooses from the menu of a row of a view; fails, with the menu closed, when the row was drawn again meanwhile. */
  async choose(row: Locator, title: string): Promise<void> {
    const menu = this.page.locator('.context-view .monaco-menu');
    try {
      await row.locator('.label-name').click({ button: 'right', timeout: 5000 });
      const item = this.page.locator('.context-view .action-label', { hasText: new RegExp(`^${title}`) });
      await item.click({ timeout: 5000 });
      // One that has only just opened takes no click, and stays.
      const stays = await menu.waitFor({ state: 'hidden', timeout: 1000 }).then(
        () => false,
        () => true,
      );
      if (stays) await item.click({ timeout: 5000 });
    } catch (caught) {
      await this.page.keyboard.press('Escape');
      // Without the focus it receives no key, and would be in the way of every further click: one next to it closes it.
      if (await menu.isVisible()) await this.page.mouse.click(WIDTH / 2, HEIGHT - 200);
      throw caught;
    }
  }

  rows(text?: string | RegExp) {
    const rows = this.page.locator('.pane-body .monaco-list-row');
    return text === undefined ? rows : rows.filter({ hasText: text });
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(screenshots, { recursive: true });
    const version = editorVersion() === 'newest' ? '' : `${editorVersion()}-`;
    await this.page.screenshot({ path: join(screenshots, `${version}${name}.png`), scale: 'css' });
  }

  /** What is left of a test that failed: a picture, and next to it what the window has said. */
  async keepFailure(title: string): Promise<void> {
    const name = `failed-${title.replaceAll(/\W+/g, '-')}`;
    await this.screenshot(name);
    writeFileSync(join(screenshots, `${name}.log`), this.said.join('\n'));
  }

  /** One part of the window, in all its pixels, without what the pointer brings up: for the walkthrough. */
  async detail(name: string, part: Locator, height?: number): Promise<void> {
    mkdirSync(screenshots, { recursive: true });
    await this.page.mouse.move(WIDTH - 400, HEIGHT - 80);
    const box = await part.boundingBox();
    if (box === null) throw new Error(`there is nothing to take "${name}" of`);
    const clip = { ...box, height: Math.min(box.height, height ?? box.height) };
    const style = '.workbench-hover-container, .context-view:has(.monaco-hover) { visibility: hidden !important; }';
    await this.page.screenshot({ path: join(screenshots, `${name}.png`), clip, scale: 'device', style });
  }

  /** Ends what runs the extension, without a word to it: it lives on for hours after its window. */
  killExtensionHosts(): void {
    const processes = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
    for (const pid of processes) {
      try {
        const read = (name: string) => readFileSync(join('/proc', pid, name), 'utf8');
        if (!read('cmdline').includes('--type=extensionHost')) continue;
        if (Number(/^PPid:\s*(\d+)/m.exec(read('status'))?.[1]) === this.server.pid) process.kill(Number(pid), 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
    }
  }

  /** Closes its windows, and leaves nothing of what they remember to the next editor at this address. */
  private async forget(): Promise<void> {
    const context = this.page.context();
    const { origin } = new URL(this.url);
    for (const page of context.pages()) if (page !== this.page && page.url().startsWith(origin)) await page.close();
    const page = this.page.isClosed() ? await context.newPage() : this.page;
    page.removeAllListeners();
    await page.goto('about:blank');
    const session = await context.newCDPSession(page);
    const storageTypes = 'cookies,file_systems,indexeddb,local_storage,service_workers,cache_storage';
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes });
    await session.detach();
    await context.clearPermissions();
    idlePages.push(page);
  }

  /** `last` runs while what the extension stored is still there, and when no extension could undo it. */
  async close(last: () => void = () => undefined): Promise<void> {
    await this.forget();
    this.killExtensionHosts();
    this.server.kill();
    if (this.server.exitCode === null && this.server.signalCode === null) {
      await new Promise((resolve) => this.server.once('exit', resolve));
    }
    idlePorts.push(Number(new URL(this.url).port));
    last();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function urlOf(port: number, { extension, tests, file, folder, workspace }: EditorOptions): string {
  const remote = (path: string) => `vscode-remote://127.0.0.1:${port}${path}`;
  const payload: [string, string][] = [];
  if (extension !== undefined) payload.push(['extensionDevelopmentPath', remote(extension)]);
  if (tests !== undefined) payload.push(['extensionTestsPath', remote(tests)]);
  if (file !== undefined) payload.push(['openFile', remote(file)]);
  const [kind, value] =
    folder !== undefined ? ['folder', folder] : workspace !== undefined ? ['workspace', workspace] : ['ew', 'true'];
  return `http://127.0.0.1:${port}/?${kind}=${encodeURIComponent(value)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
}

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port'))));
    });
  });
}

function listening(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    server.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('Extension host agent listening')) resolve();
    });
    server.once('exit', (code) => reject(new Error(`VS Code's server ended with ${code}: ${text}`)));
  });
}
