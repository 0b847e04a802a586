/** The one object that commands, views and reviews share. Its heavier parts are loaded when first asked for. */
import * as vscode from 'vscode';
import type { EditorClient } from './client/client.ts';
import { keepRecent } from './log.ts';
import type { Models } from './models/models.ts';
import { Pages } from './pages.ts';
import type { Reviews } from './review/reviews.ts';
import { ProgressItem } from './runs/progress-item.ts';
import { Runs } from './runs/runs.ts';
import { StatusItem } from './status.ts';
import { Fabric } from './views/dashboard/fabric.ts';

export class Peagen implements vscode.Disposable {
  readonly extension: vscode.ExtensionContext;
  private readonly windowLog = keepRecent(vscode.window.createOutputChannel('Peagen', { log: true }));
  readonly log = this.windowLog.channel;
  readonly status = new StatusItem();
  readonly fabric = new Fabric();
  readonly runs: Runs;
  private readonly progress: ProgressItem;
  readonly pages: Pages;
  /** The rows selected in the Evolution view. */
  selection: () => readonly unknown[] = () => [];
  /** Draws the Evolution view again, whatever the editor holds of it. */
  redraw: () => void = () => undefined;
  /** Whether a proposal for this file waits for a decision. */
  underReview: (uri: vscode.Uri) => boolean = () => false;
  private readonly daemons = new Map<string, Promise<EditorClient>>();
  private loadedReviews: Promise<Reviews> | undefined;
  private loadedModels: Promise<Models> | undefined;

  constructor(extension: vscode.ExtensionContext) {
    this.extension = extension;
    this.runs = new Runs(this);
    this.progress = new ProgressItem(this.runs);
    this.pages = new Pages(extension.storageUri, this.log);
  }

  /** The end of this window's log. */
  recentLog(): readonly string[] {
    return this.windowLog.recent();
  }

  /** The connection to a folder's daemon; finds or starts it. Throws `untrusted` where nothing may execute. */
  daemon(root: vscode.Uri): Promise<EditorClient> {
    const key = root.toString();
    let client = this.daemons.get(key);
    if (client === undefined) {
      client = import('./late.ts').then((late) => late.connectDaemon(this, root));
      // A failed start is not kept: the next command tries again.
      client.catch(() => this.daemons.delete(key));
      this.daemons.set(key, client);
    }
    return client;
  }

  /** Whether a folder's daemon was already asked for, so that asking it costs little. */
  isConnected(root: vscode.Uri): boolean {
    return this.daemons.has(root.toString());
  }

  reviews(): Promise<Reviews> {
    this.loadedReviews ??= import('./late.ts').then((late) => new late.Reviews(this));
    return this.loadedReviews;
  }

  /** From now on the workspace's runs may be shown. */
  trusted(): void {
    this.runs.refresh(true).catch((caught) => this.log.error(`Listing runs: ${String(caught)}`));
  }

  /** Reviews that were open and runs that were followed when the window closed. Loads nothing when there are none. */
  restore(): void {
    const failed = (what: string) => (caught: unknown) => this.log.error(`Restoring ${what}: ${String(caught)}`);
    this.restoreReviews().catch(failed('reviews'));
    if (!vscode.workspace.isTrusted || this.extension.workspaceState.get('followed') === undefined) return;
    import('./late.ts').then((late) => late.followAgain(this)).catch(failed('the progress of runs'));
  }

  private async restoreReviews(): Promise<void> {
    const storage = this.extension.storageUri;
    if (storage === undefined) return;
    const left = await vscode.workspace.fs.readDirectory(vscode.Uri.joinPath(storage, 'reviews')).then(
      (entries) => entries.length,
      () => 0,
    );
    if (left > 0) await (await this.reviews()).restore();
  }

  models(): Promise<Models> {
    this.loadedModels ??= import('./late.ts').then((late) => new late.Models(this));
    return this.loadedModels;
  }

  dispose(): void {
    for (const daemon of this.daemons.values()) {
      daemon.then(
        (client) => client.dispose(),
        () => undefined,
      );
    }
    this.loadedReviews?.then((reviews) => reviews.dispose());
    this.loadedModels?.then((models) => models.dispose());
    this.progress.dispose();
    this.runs.dispose();
    this.fabric.dispose();
    this.pages.dispose();
    this.status.dispose();
    this.log.dispose();
  }
}
