/**
 * The dashboard in an editor tab: sends its page the run that it shows, and what changes of it at most some twenty
 * times a second; does what the page asks for. While it is hidden nothing is sent.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { RunFeed, viewOf } from '../../../shared/dashboard/feed.ts';
import { dashboardHtml, policy } from '../../../shared/dashboard/html.ts';
import { FromPage, type ToPage } from '../../../shared/dashboard/messages.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { History } from '../../../shared/history.ts';
import type { RunId } from '../../../shared/ids.ts';
import { GetElite } from '../../../shared/protocol/runs.ts';
import { CrossElites } from '../../../shared/protocol/steering.ts';
import { type Ancestor, GetHistory, GetLineage, WatchFabric } from '../../../shared/protocol/watch.ts';
import type { RunInfo } from '../../../shared/run.ts';
import { openElite } from '../../commands/candidates/review-elite.ts';
import { metricName } from '../../metric-words.ts';
import { mutatorName } from '../../origin-words.ts';
import type { Peagen } from '../../peagen.ts';
import type { WindowRun } from '../../runs/runs.ts';
import { certainText, resultOf, speedIn, stateOf, targetName, worthText } from '../../words.ts';
import { axisInWords } from '../ranges.ts';
import { pageTexts } from './texts.ts';

const FLUSH_MS = 50;
const words = { targetName, stateOf, speedIn, axisInWords, mutatorName, resultOf, worthText, metricName, certainText };
const controls = {
  pause: 'peagen.pauseRun',
  continue: 'peagen.unpauseRun',
  stop: 'peagen.stopRun',
  resume: 'peagen.resumeRun',
} as const;

export class DashboardPanel implements vscode.Disposable {
  private readonly peagen: Peagen;
  private readonly panel: vscode.WebviewPanel;
  private readonly subscriptions: vscode.Disposable[];
  private feed = new RunFeed(words);
  /** The run that shows; undefined until the page has been sent one. */
  private run: RunId | undefined;
  private timer: NodeJS.Timeout | undefined;
  private watching: vscode.Uri | undefined;
  /** Under way: the run that is sent before the page has asked for it. */
  private ahead: Promise<void> | undefined;
  /** From the beginning: the editor holds what is sent until the page is there. */
  private hears = true;

  constructor(peagen: Peagen, panel: vscode.WebviewPanel) {
    this.peagen = peagen;
    this.panel = panel;
    const files = vscode.Uri.joinPath(peagen.extension.extensionUri, 'dist', 'dashboard');
    panel.iconPath = vscode.Uri.joinPath(peagen.extension.extensionUri, 'media', 'peagen.svg');
    panel.webview.options = { enableScripts: true, localResourceRoots: [files] };
    this.subscriptions = [
      panel.webview.onDidReceiveMessage((message: unknown) => this.received(message)),
      panel.onDidChangeViewState(() => this.visibility()),
      panel.onDidDispose(() => this.dispose()),
      peagen.runs.onDidHear(({ run }) => run === this.run && this.soon()),
      peagen.runs.onDidChange(() => this.changed()),
      peagen.fabric.onDidChange(({ root, state }) => {
        if (root.toString() === this.watching?.toString()) this.post({ type: 'fabric', state });
      }),
    ];
    const { cspSource } = panel.webview;
    const nonce = randomBytes(16).toString('hex');
    const read = (name: string) => readFileSync(vscode.Uri.joinPath(files, name).fsPath, 'utf8');
    panel.webview.html = dashboardHtml({
      nonce,
      csp: policy({ nonce, source: cspSource }),
      script: read('page.js'),
      style: read('style.css'),
      graphs: panel.webview.asWebviewUri(vscode.Uri.joinPath(files, 'graphs.js')).toString(),
      language: vscode.env.language,
      texts: pageTexts(),
    });
  }

  /** Shows a run as soon as the page is there; without one the newest. */
  begin(run?: RunId): void {
    this.run = run;
    const ahead = this.show(run).finally(() => {
      if (this.ahead === ahead) this.ahead = undefined;
    });
    this.ahead = ahead;
    // Told when the page waits for it, which then asks.
    ahead.catch((caught: unknown) => this.peagen.log.debug(String(caught)));
  }

  reveal(): void {
    this.panel.reveal();
  }

  /** Shows a run; without one the newest. */
  async show(run?: RunId): Promise<void> {
    const { runs } = this.peagen;
    await runs.refresh();
    const chosen = (run === undefined ? undefined : runs.get(run)) ?? runs.list()[0];
    this.sendRuns();
    if (chosen === undefined) return;
    await this.load(chosen);
    this.run = chosen.info.run;
    this.feed = new RunFeed(words);
    this.post({ type: 'run', course: this.feed.whole(chosen) });
    await this.watch(chosen.root);
  }

  private async received(message: unknown): Promise<void> {
    const parsed = FromPage.safeParse(message);
    if (!parsed.success) return;
    try {
      await this.answer(parsed.data);
    } catch (caught) {
      this.post({ type: 'said', text: PeagenError.from(caught).line, failed: true });
      this.peagen.log.warn(PeagenError.from(caught).line);
    }
  }

  private async answer(message: FromPage): Promise<void> {
    // The page was loaded: at first, or after it was hidden, or with the window.
    if (message.type === 'ready') {
      this.hears = true;
      const comes = this.ahead;
      await comes;
      const run = message.run ?? this.run;
      // The page already has what was sent while it was there, and what it reported itself.
      const has = comes !== undefined ? this.run : message.shown;
      if (run === undefined || has !== run) await this.show(run);
      return;
    }
    if (message.type === 'choose') return await this.show(message.run);
    const run = this.peagen.runs.get(message.run);
    if (run === undefined) throw new PeagenError('not_found', vscode.l10n.t('The run {0} is not known any more.', message.run));
    const client = await this.peagen.daemon(run.root);
    switch (message.type) {
      case 'review': {
        const detail = await client.request(GetElite, { run: message.run, sha256: message.sha256 });
        await openElite(this.peagen, { run, detail });
        return;
      }
      case 'lineage': {
        const { sha256: of } = message;
        const found = await client.request(GetLineage, { run: message.run, sha256: of });
        const ancestors = found.map((ancestor) => ({
          ...ancestor,
          worth: worthOf(run.info, ancestor),
          mutator: mutatorName(ancestor.mutator),
          summary: ancestor.summary,
        }));
        this.post({ type: 'lineage', lineage: { run: message.run, of, ancestors } });
        return;
      }
      case 'cross': {
        const { a, b } = message;
        await client.request(CrossElites, { run: message.run, a, b });
        this.post({ type: 'said', text: vscode.l10n.t('The two will be combined next.'), failed: false });
        return;
      }
      case 'control':
        await vscode.commands.executeCommand(controls[message.what], { kind: 'run', run: message.run });
    }
  }

  /** What is missing for a run to be shown: its elites and its course so far. */
  private async load(run: WindowRun): Promise<void> {
    const history = async () => {
      const client = await this.peagen.daemon(run.root);
      run.history ??= new History(await client.request(GetHistory, { run: run.info.run }));
    };
    await Promise.all([
      run.elites === undefined ? this.peagen.runs.elites(run.info.run) : undefined,
      run.history === undefined ? history() : undefined,
    ]);
  }

  private changed(): void {
    this.sendRuns();
    // The first run there is shows itself.
    if (this.run === undefined && this.hears && this.panel.visible) void this.received({ type: 'ready' });
    else this.soon();
  }

  private sendRuns(): void {
    this.post({ type: 'runs', runs: this.peagen.runs.list().map(({ info }) => viewOf(info, words)) });
  }

  private soon(): void {
    if (!this.panel.visible || this.run === undefined) return;
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MS);
  }

  private async flush(): Promise<void> {
    try {
      const run = this.run === undefined ? undefined : this.peagen.runs.get(this.run);
      if (run === undefined) return;
      await this.load(run);
      this.post({ type: 'patch', patch: this.feed.patch(run) });
    } catch (caught) {
      this.peagen.log.warn(PeagenError.from(caught).line);
    } finally {
      this.timer = undefined;
    }
  }

  private async watch(root: vscode.Uri | undefined): Promise<void> {
    const before = this.watching;
    if (before?.toString() === root?.toString()) return;
    this.watching = root;
    const tell = async (at: vscode.Uri, watch: boolean) => (await this.peagen.daemon(at)).request(WatchFabric, { watch });
    if (before !== undefined) await tell(before, false);
    if (root !== undefined) this.post({ type: 'fabric', state: await tell(root, true) });
  }

  private visibility(): void {
    if (this.panel.visible) return;
    this.hears = false;
    this.ahead = undefined;
    clearTimeout(this.timer);
    this.timer = undefined;
    this.watch(undefined).catch((caught: unknown) => this.peagen.log.debug(String(caught)));
  }

  private post(message: ToPage): void {
    if (this.hears && this.panel.visible) void this.panel.webview.postMessage(message);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.run = undefined;
    this.hears = false;
    this.watch(undefined).catch((caught: unknown) => this.peagen.log.debug(String(caught)));
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}

function worthOf(info: RunInfo, { sha256, fitness, metrics }: Ancestor): string | null {
  return fitness === null ? null : speedIn(info, { sha256, fitness, metrics });
}
