/** The runs of all folders as this window sees them. Notifies the views of changes, at most a few times a second. */
import { setTimeout as delay } from 'node:timers/promises';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { type FollowedState, followRun, keepElites, newRunState } from '../../shared/follow.ts';
import type { RunId } from '../../shared/ids.ts';
import type { Elite } from '../../shared/niche.ts';
import type { RunEvent, RunInfo } from '../../shared/run.ts';
import type { EditorClient } from '../client/client.ts';
import type { Peagen } from '../peagen.ts';
import { workspaceRoots } from '../roots.ts';
import { Elsewhere } from './elsewhere.ts';

export interface WindowRun extends FollowedState {
  readonly root: vscode.Uri;
  /** This window has asked for its end, which takes a while: the best is measured with care. */
  stopping: boolean;
  /** The user's own name for it. */
  name?: string | undefined;
}

/** Where the runs are asked for. */
interface Daemons extends Pick<Peagen, 'log'> {
  readonly extension: Pick<vscode.ExtensionContext, 'workspaceState'>;
  daemon(root: vscode.Uri): Promise<Pick<EditorClient, 'request'>>;
}

/** Where the workspace's state has the names that the user gave to runs. */
const NAMES = 'runNames';
/** Changes are gathered for this long before a view learns of them. */
const COALESCE_MS = 150;
/** A daemon that says nothing for this long, its start included, is reported as not answering; what it sends later is shown. */
const ANSWER_MS = 30_000;

export class Runs implements vscode.Disposable {
  private readonly peagen: Daemons;
  private readonly runs = new Map<RunId, WindowRun>();
  private readonly changed = new vscode.EventEmitter<ReadonlySet<RunId>>();
  private dirty = new Set<RunId>();
  private readonly heard = new vscode.EventEmitter<{ run: RunId; event: RunEvent; info: RunInfo | undefined }>();
  /** Which runs have changed; a new one is among them. */
  readonly onDidChange = this.changed.event;
  /** Every event as it comes, for callers that wait for one. */
  readonly onDidHear = this.heard.event;
  private timer: NodeJS.Timeout | undefined;
  private loading: Promise<void> | undefined;
  private readonly elsewhere: Elsewhere;
  private readonly subscription: vscode.Disposable;

  constructor(peagen: Daemons) {
    this.peagen = peagen;
    this.elsewhere = new Elsewhere(peagen.extension.workspaceState, () => {
      this.refresh(true).catch((caught) => peagen.log.error(`Listing runs again: ${String(caught)}`));
    });
    // A window of several folders may learn of them when it has asked already.
    this.subscription = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      this.refresh(true).catch((caught) => peagen.log.error(`Listing runs of other folders: ${String(caught)}`));
    });
  }

  /** Newest first. */
  list(): WindowRun[] {
    return [...this.runs.values()].sort((a, b) => b.info.started_at.localeCompare(a.info.started_at));
  }

  get(run: RunId): WindowRun | undefined {
    return this.runs.get(run);
  }

  /** Asks the daemons of all folders, once until `again`. */
  refresh(again = false): Promise<void> {
    if (again) this.loading = undefined;
    this.loading ??= this.load().catch((caught) => {
      this.loading = undefined;
      throw caught;
    });
    return this.loading;
  }

  private async load(): Promise<void> {
    const { followedRuns, ListRuns } = await import('../late.ts');
    // The workspace's folders, and those of files outside of it that are being evolved.
    const followed = followedRuns(this.peagen.extension.workspaceState).map(({ root }) => vscode.Uri.parse(root, true));
    const roots = new Map([...workspaceRoots(), ...followed].map((root) => [root.toString(), root]));
    for (const { root } of this.runs.values()) if (!roots.has(root.toString())) this.forget(root, new Set());
    const elsewhere: RunInfo[] = [];
    const failures: unknown[] = [];
    const ask = async (root: vscode.Uri) => {
      const client = await this.peagen.daemon(root);
      // A run that ends while others are read from the disk is still running in the list: what came of it meanwhile is newer.
      const newer = new Set<RunId>();
      const listener = this.heard.event(({ run, info }) => info !== undefined && newer.add(run));
      const infos = await client.request(ListRuns, {}).finally(() => listener.dispose());
      elsewhere.push(...infos.filter((info) => info.elsewhere === true));
      this.forget(root, new Set(infos.map(({ run }) => run)));
      for (const info of infos) if (!newer.has(info.run) || !this.runs.has(info.run)) this.put(root, info);
    };
    // At the same time: a daemon that has to be started first, or never answers, does not hold up the other folders.
    const over = new AbortController();
    const asked = [...roots.values()].map((root) =>
      Promise.race([ask(root), silence(root, over.signal)]).catch((caught: unknown) => {
        // The runs of the other folders are shown all the same.
        failures.push(caught);
      }),
    );
    await Promise.all(asked);
    over.abort();
    this.elsewhere.note(elsewhere);
    if (failures.length > 0) throw failures[0];
  }

  /** What was known of a folder's runs may be old; of those that are not `left`, nothing is known any more. */
  private forget(root: vscode.Uri, left: ReadonlySet<RunId>): void {
    for (const [id, run] of this.runs) {
      if (run.root.toString() !== root.toString()) continue;
      run.elites = undefined;
      run.history = undefined;
      if (left.has(id)) continue;
      this.runs.delete(id);
      this.soon(id);
    }
  }

  put(root: vscode.Uri, info: RunInfo): void {
    const known = this.runs.get(info.run);
    if (known === undefined)
      this.runs.set(info.run, { ...newRunState(info), root, stopping: false, name: this.names()[info.run] });
    else known.info = info;
    this.soon(info.run);
  }

  /** An empty name is the function's own again. */
  async rename(run: RunId, name: string): Promise<void> {
    const { [run]: _, ...others } = this.names();
    await this.peagen.extension.workspaceState.update(NAMES, name === '' ? others : { ...others, [run]: name });
    const known = this.runs.get(run);
    if (known === undefined) return;
    known.name = name === '' ? undefined : name;
    this.soon(run);
  }

  private names(): Record<string, string> {
    return this.peagen.extension.workspaceState.get<Record<string, string>>(NAMES) ?? {};
  }

  /** The views show it from now on, until the run has ended. */
  stopping(run: RunId): void {
    const known = this.runs.get(run);
    if (known === undefined) return;
    known.stopping = true;
    this.soon(run);
  }

  async elites(run: RunId): Promise<Elite[]> {
    const known = this.runs.get(run);
    if (known === undefined) return [];
    if (known.elites === undefined) {
      const { ListElites } = await import('../late.ts');
      const client = await this.peagen.daemon(known.root);
      keepElites(known, await client.request(ListElites, { run }));
    }
    return [...(known.elites?.values() ?? [])].sort((a, b) => b.fitness - a.fitness);
  }

  /** `info`: the run after the event, while it is in progress. */
  hear(root: vscode.Uri, run: RunId, event: RunEvent, info?: RunInfo): void {
    const known = this.runs.get(run);
    this.heard.fire({ run, event, info });
    if (known === undefined) {
      // Started by another window or the command line.
      this.refresh(true).catch((caught) => this.peagen.log.error(`Listing runs of ${root.fsPath}: ${String(caught)}`));
      return;
    }
    if (followRun(known, event, info)) this.soon(run);
  }

  /** New elites are only new until the user has seen the view. */
  seen(): void {
    for (const run of this.runs.values()) run.fresh.clear();
  }

  private soon(run: RunId): void {
    this.dirty.add(run);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const dirty = this.dirty;
      this.dirty = new Set();
      this.changed.fire(dirty);
    }, COALESCE_MS);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.elsewhere.dispose();
    this.subscription.dispose();
    this.changed.dispose();
    this.heard.dispose();
  }
}

async function silence(root: vscode.Uri, signal: AbortSignal): Promise<void> {
  await delay(ANSWER_MS, undefined, { signal }).catch(() => undefined);
  if (signal.aborted) return;
  throw new PeagenError('unavailable', vscode.l10n.t('The Peagen daemon of {0} does not answer.', root.fsPath), {
    hint: vscode.l10n.t('See its log.'),
  });
}
