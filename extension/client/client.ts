/**
 * One window's connection to one folder's daemon: a language client over `peagen daemon connect`, with our own
 * messages parsed on receipt. A lost daemon is started again; runs wait for it in their journals.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, type StreamInfo } from 'vscode-languageclient/node';
import * as z from 'zod';
import { errorCodes, PeagenError } from '../../shared/errors.ts';
import { Choose } from '../../shared/protocol/choices.ts';
import type { NotificationDefinition, RequestDefinition } from '../../shared/protocol/message.ts';
import { OfferReviews, Proposed } from '../../shared/protocol/proposals.ts';
import { RunEventNotification } from '../../shared/protocol/runs.ts';
import { DaemonStatus, Health } from '../../shared/protocol/session.ts';
import { Alerts, FabricStatus } from '../../shared/protocol/watch.ts';
import { openProposed } from '../agents/proposed.ts';
import { reportError } from '../commands/errors.ts';
import { serveModels } from '../models/bridge.ts';
import type { Secrets } from '../models/secrets.ts';
import type { Peagen } from '../peagen.ts';
import { type Settings, settings } from '../settings.ts';
import { daemonCopy } from './copy.ts';
import { DaemonLog } from './daemon-log.ts';
import { readLogLine } from './log-line.ts';

/** Restarts within a minute before we leave it to the next command. */
const MAX_RESTARTS = 3;
const RESTART_WINDOW_MS = 60_000;

const ErrorBody = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
  hint: z.string().optional(),
  retryable: z.boolean(),
});

export async function connectDaemon(peagen: Peagen, root: vscode.Uri): Promise<EditorClient> {
  if (!vscode.workspace.isTrusted) {
    throw new PeagenError('untrusted', vscode.l10n.t('This workspace is not trusted, so Peagen executes nothing in it.'), {
      hint: vscode.l10n.t('Trust the workspace, then try again.'),
    });
  }
  if (root.scheme !== 'file') {
    throw new PeagenError('unsupported', vscode.l10n.t('Peagen runs programs, and {0}: folders cannot run any.', root.scheme), {
      hint: vscode.l10n.t('Open the folder on a disk or a remote machine.'),
    });
  }
  const script = await daemonCopy(peagen.extension.extensionPath, peagen.extension.globalStorageUri.fsPath);
  const client = new EditorClient(peagen, root, script);
  await client.connection();
  return client;
}

export class EditorClient implements vscode.Disposable {
  readonly root: vscode.Uri;
  private readonly peagen: Peagen;
  private readonly script: string;
  private client: Promise<LanguageClient> | undefined;
  private bridge: ChildProcess | undefined;
  private parts: vscode.Disposable[] = [];
  private log: DaemonLog | undefined;
  private restarts: number[] = [];
  private disposed = false;

  constructor(peagen: Peagen, root: vscode.Uri, script: string) {
    this.peagen = peagen;
    this.root = root;
    this.script = script;
  }

  /** The connection; made again when it was lost. */
  connection(): Promise<LanguageClient> {
    if (this.client !== undefined) return this.client;
    const made = this.connect();
    this.client = made;
    made.catch(() => {
      if (this.client === made) this.client = undefined;
    });
    return made;
  }

  private async connect(): Promise<LanguageClient> {
    let said = '';
    const open = async (): Promise<StreamInfo> => {
      const { nodePath, sandbox, parallel } = settings(this.root);
      const bridge = spawn(
        nodePath ?? process.execPath,
        [this.script, 'daemon', 'connect', '--workspace', this.root.fsPath, '--client', 'VS Code'],
        // In a desktop window, execPath is Electron, which this variable makes a Node.
        {
          env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', ...configured({ sandbox, parallel }) },
          stdio: ['pipe', 'pipe', 'pipe'],
        },
      );
      this.bridge = bridge;
      bridge.stderr.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-2000);
        for (const line of text.split('\n')) {
          const read = readLogLine(line);
          if (read !== undefined) this.peagen.log[read.level](read.text);
        }
      });
      bridge.on('error', (error) => {
        said += error.message;
      });
      // A failed write to a bridge shows in the end of the bridge.
      bridge.stdin.on('error', (error) => this.peagen.log.debug(error.message));
      return { reader: bridge.stdout, writer: bridge.stdin, detached: true };
    };
    const { editor, chosen } = await this.peagen.models();
    const client = new LanguageClient('peagen', 'Peagen', open, {
      outputChannel: this.peagen.log,
      traceOutputChannel: withoutSecrets(this.peagen.log, chosen.secrets),
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      // The daemon's own lenses, actions and commands are for editors that have none.
      initializationOptions: { editorCommands: true },
      // Said in words by us, to the command that waits for it.
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          this.closed(client);
          return { action: CloseAction.DoNotRestart, handled: true };
        },
      },
    });
    let isHealthKnown = false;
    this.hear(client, Health, (health) => {
      isHealthKnown = true;
      this.peagen.status.show(health);
    });
    this.hear(client, FabricStatus, (state) => this.peagen.fabric.hear(this.root, state));
    this.hear(client, Alerts, ({ alerts }) => void this.peagen.fabric.alerted(this.root, alerts));
    this.hear(client, RunEventNotification, ({ run, event, info }) => this.peagen.runs.hear(this.root, run, event, info));
    this.hear(client, Proposed, (elite) => this.proposed(elite));
    const models = serveModels(this.peagen, editor, client);
    const choose = async () => client.sendRequest(Choose.method, await chosen.forDaemon());
    const chosenAnew = chosen.onChange(async () => {
      await choose().catch((caught: unknown) =>
        this.peagen.log.warn(`What you chose did not reach the daemon: ${String(caught)}`),
      );
    });
    this.parts = [models, chosenAnew];
    let isIdle = true;
    try {
      await client.start();
      // Before anything else is asked: a daemon that has just started knows nothing of it.
      await choose();
      const { log, running } = DaemonStatus.result.parse(await client.sendRequest(DaemonStatus.method, {}));
      isIdle = running.length === 0;
      this.log = await DaemonLog.follow(log, this.peagen.log, (text) => chosen.secrets.redact(text));
      await models.offer();
      await client.sendNotification(OfferReviews.method, {});
    } catch (caught) {
      const reason = said.trim().split('\n').at(-1) || (caught instanceof Error ? caught.message : String(caught));
      throw new PeagenError('unavailable', vscode.l10n.t('The Peagen daemon did not start: {0}', reason), {
        hint: vscode.l10n.t('See the Peagen output for details.'),
        cause: caught,
      });
    }
    if (!isHealthKnown) this.peagen.status.show({ health: 'ok', quiescent: isIdle });
    return client;
  }

  /** Sends a request; its result is parsed, and its error is the PeagenError that the daemon threw. */
  async request<P extends z.ZodType, R extends z.ZodType>(
    { method, params, result }: RequestDefinition<P, R>,
    value: z.input<P>,
    token?: vscode.CancellationToken,
  ): Promise<z.output<R>> {
    let answer: unknown;
    try {
      const client = await this.connection();
      answer = await client.sendRequest(method, params.parse(value), token);
    } catch (caught) {
      throw asPeagenError(caught);
    }
    return result.parse(answer);
  }

  /** What an agent proposes to the user. */
  private proposed(elite: z.output<typeof Proposed.params>): void {
    openProposed(this.peagen, this.root, elite).catch((caught: unknown) => reportError(this.peagen, caught));
  }

  private hear<P extends z.ZodType>(
    client: LanguageClient,
    { method, params }: NotificationDefinition<P>,
    handler: (value: z.output<P>) => void,
  ): void {
    client.onNotification(method, (value: unknown) => {
      const parsed = params.safeParse(value);
      if (parsed.success) handler(parsed.data);
      else this.peagen.log.warn(`${method} from the daemon makes no sense here: ${z.prettifyError(parsed.error)}`);
    });
  }

  /** A daemon that ended is found or started again: runs of other windows may go on, and ours can be resumed. */
  private closed(client: LanguageClient): void {
    const lost = this.client;
    this.client = undefined;
    if (!this.disposed) void this.log?.end();
    this.end();
    if (this.disposed || lost === undefined) return;
    lost.then(
      (current) => {
        if (current === client) void this.reconnect();
      },
      () => undefined,
    );
  }

  private async reconnect(): Promise<void> {
    const now = Date.now();
    this.restarts = [...this.restarts.filter((at) => now - at < RESTART_WINDOW_MS), now];
    this.peagen.log.warn('The connection to the daemon was lost.');
    if (this.restarts.length > MAX_RESTARTS) {
      this.peagen.status.show({
        health: 'error',
        quiescent: true,
        message: vscode.l10n.t('The Peagen daemon keeps crashing. See its log.'),
      });
      return;
    }
    try {
      await this.connection();
      await this.peagen.runs.refresh(true);
    } catch (caught) {
      const { line } = PeagenError.from(caught);
      this.peagen.log.error(line);
      this.peagen.status.show({ health: 'error', quiescent: true, message: line });
    }
  }

  /** Ends what belongs to the connection that is over. */
  private end(): void {
    for (const part of this.parts) part.dispose();
    this.parts = [];
  }

  /** Ends this window's connection, not the daemon. */
  dispose(): void {
    this.disposed = true;
    this.log?.dispose();
    this.end();
    const bridge = this.bridge;
    this.client
      ?.then((client) => client.stop())
      .catch((caught) => this.peagen.log.debug(`Disconnecting: ${String(caught)}`))
      .finally(() => bridge?.kill());
  }
}

function asPeagenError(caught: unknown): PeagenError {
  const body = ErrorBody.safeParse(typeof caught === 'object' && caught !== null && 'data' in caught ? caught.data : undefined);
  if (!body.success) return PeagenError.from(caught);
  const { code, message, hint, retryable } = body.data;
  return new PeagenError(code, message, { hint, retryable });
}

/** The log as a user turns it up to read the traffic, in which secrets travel to the daemon. */
function withoutSecrets(log: vscode.LogOutputChannel, secrets: Secrets): vscode.LogOutputChannel {
  return new Proxy(log, {
    get: (target, name) => {
      if (name === 'trace') return (message: string) => target.trace(secrets.redact(message));
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Settings of the editor, as the daemon that is started reads its configuration. */
function configured({ sandbox, parallel }: Pick<Settings, 'sandbox' | 'parallel'>): Record<string, string> {
  return {
    ...(sandbox === undefined ? {} : { PEAGEN__EVALUATE__SANDBOX: sandbox }),
    ...(parallel === undefined ? {} : { PEAGEN__WORKER__DEFAULTS__MAX_PARALLEL: String(parallel) }),
  };
}
