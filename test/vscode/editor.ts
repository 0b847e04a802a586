/** A real VS Code for a test: the server on a free port, a window of it in Chromium, and hands to use it with. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { chromium as chromiumPath, screenshots, serverMain } from './parts.ts';

export interface EditorOptions {
  /** Folder to open. */
  readonly folder: string;
  /** A folder to load the extension from. */
  readonly extension?: string;
  /** Also load the test extension beside this file, whose commands do what a person cannot do by hand. */
  readonly hands?: boolean;
  /** A package to install. */
  readonly vsix?: string;
  /** Tests to run in the extension host. */
  readonly tests?: string;
  readonly env?: Record<string, string>;
  readonly settings?: Record<string, unknown>;
  readonly trust?: boolean;
}

/** Colours and quiet: no walkthrough, no telemetry, nothing that moves in a picture. */
const settings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Default Dark Modern',
  'chat.disableAIFeatures': true,
  'update.mode': 'none',
  'extensions.ignoreRecommendations': true,
  'editor.minimap.enabled': false,
  'workbench.reduceMotion': 'on',
  // In a browser, VS Code saves by itself unless told not to.
  'files.autoSave': 'off',
  'remote.autoForwardPorts': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'security.workspace.trust.startupPrompt': 'never',
};

export class Editor {
  readonly page: Page;
  readonly #server: ChildProcess;
  readonly #browser: Browser;
  readonly #home: string;
  readonly #url: string;

  private constructor(page: Page, browser: Browser, server: ChildProcess, home: string, url: string) {
    this.page = page;
    this.#browser = browser;
    this.#server = server;
    this.#home = home;
    this.#url = url;
  }

  static async open(options: EditorOptions): Promise<Editor> {
    const home = mkdtempSync(join(tmpdir(), 'peagen-vscode-'));
    const folders = ['--user-data-dir', join(home, 'data'), '--extensions-dir', join(home, 'extensions')];
    mkdirSync(join(home, 'data', 'Machine'), { recursive: true });
    mkdirSync(join(home, 'data', 'User'), { recursive: true });
    const text = JSON.stringify({ ...settings, ...options.settings });
    writeFileSync(join(home, 'data', 'Machine', 'settings.json'), text);
    if (options.hands === true) {
      cpSync(join(import.meta.dirname, 'hands'), join(home, 'extensions', 'peagen-test.hands-0.0.1'), { recursive: true });
    }
    const accept = '--accept-server-license-terms';
    if (options.vsix !== undefined) {
      execFileSync(process.execPath, [serverMain, accept, '--install-extension', options.vsix, ...folders], { stdio: 'pipe' });
    }
    const port = await freePort();
    const trust = options.trust === false ? [] : ['--disable-workspace-trust'];
    const server = spawn(
      process.execPath,
      [
        serverMain,
        accept,
        '--without-connection-token',
        '--enable-smoke-test-driver',
        '--disable-telemetry',
        ...['--host', '127.0.0.1', '--port', String(port)],
        ...folders,
        ...trust,
      ],
      { env: { ...process.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    server.stderr?.resume();
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
    const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
    const page = await context.newPage();
    const remote = (path: string) => `vscode-remote://127.0.0.1:${port}${path}`;
    const payload: [string, string][] = [];
    if (options.extension !== undefined) payload.push(['extensionDevelopmentPath', remote(options.extension)]);
    if (options.tests !== undefined) payload.push(['extensionTestsPath', remote(options.tests)]);
    const url = `http://127.0.0.1:${port}/?folder=${encodeURIComponent(options.folder)}&payload=${encodeURIComponent(JSON.stringify(payload))}`;
    const editor = new Editor(page, browser, server, home, url);
    try {
      await listening(server);
      await editor.load();
    } catch (caught) {
      await editor.close();
      throw caught;
    }
    return editor;
  }

  /** Opens the window, or opens it again. */
  async load(): Promise<void> {
    await this.page.goto(this.#url);
    await this.page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
    await this.page.locator('.statusbar').waitFor();
  }

  /** Runs a command by its title, as a person does. */
  async command(title: string): Promise<void> {
    await this.page.keyboard.press('F1');
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(`>${title}`);
    await this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: title }).first().waitFor();
    await this.page.keyboard.press('Enter');
  }

  /** Opens a file of the folder at a line, counted from 1. */
  async openFile(name: string, line = 1): Promise<void> {
    await this.page.keyboard.press('Control+p');
    const input = this.page.locator('.quick-input-widget input');
    await input.waitFor();
    await input.fill(`${name}:${line}`);
    await this.page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await this.page.keyboard.press('Enter');
    await this.page.locator(`.tab.active[data-resource-name="${name.split('/').at(-1)}"]`).waitFor();
  }

  /** Chooses a row of the open pick. */
  async pick(text: string | RegExp): Promise<void> {
    await this.page.locator('.quick-input-list .monaco-list-row').filter({ hasText: text }).first().click();
  }

  /** Answers the open input box. */
  async answer(title: string, text: string): Promise<void> {
    await this.page.locator('.quick-input-title', { hasText: title }).waitFor();
    await this.page.locator('.quick-input-widget input').fill(text);
    await this.page.keyboard.press('Enter');
  }

  rows(text?: string | RegExp) {
    const rows = this.page.locator('.pane-body .monaco-list-row');
    return text === undefined ? rows : rows.filter({ hasText: text });
  }

  async screenshot(name: string): Promise<void> {
    mkdirSync(screenshots, { recursive: true });
    await this.page.screenshot({ path: join(screenshots, `${name}.png`) });
  }

  /** `last` runs while what the extension stored is still there. */
  async close(last: () => void = () => undefined): Promise<void> {
    await this.#browser.close();
    last();
    this.#server.kill();
    if (this.#server.exitCode === null && this.#server.signalCode === null) {
      await new Promise((resolve) => this.#server.once('exit', resolve));
    }
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }
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
