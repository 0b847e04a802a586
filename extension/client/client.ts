/**
 * One window's connection to one folder's daemon: a language client over `peagen daemon connect`, with our own
 * messages parsed on receipt. A lost daemon is started again; runs wait for it in their journals.
 */
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn, State } from 'vscode-languageclient/node';
import * as z from 'zod';
import { errorTable, PeagenError } from '../../shared/errors.ts';
import type { NotificationDefinition, RequestDefinition } from '../../shared/protocol/message.ts';
import { RunEventNotification } from '../../shared/protocol/runs.ts';
import { Health } from '../../shared/protocol/session.ts';
import type { Peagen } from '../peagen.ts';
import { settings } from '../settings.ts';
import { daemonCopy } from './copy.ts';

/** Restarts within a minute before we leave it to the next command. */
const MAX_RESTARTS = 3;
const RESTART_WINDOW_MS = 60_000;

const ErrorBody = z.object({
  code: z.enum(Object.keys(errorTable) as [keyof typeof errorTable]),
  message: z.string(),
  hint: z.string().optional(),
  retryable: z.boolean(),
});

export async function connectDaemon(peagen: Peagen, root: vscode.Uri): Promise<DaemonClient> {
  if (!vscode.workspace.isTrusted) {
    throw new PeagenError('untrusted', 'This workspace is not trusted, so Peagen executes nothing in it.', {
      hint: 'Trust the workspace, then try again.',
    });
  }
  if (root.scheme !== 'file') {
    throw new PeagenError('unsupported', `Peagen runs programs, and ${root.scheme}: folders cannot run any.`, {
      hint: 'Open the folder on a disk or a remote machine.',
    });
  }
  const script = await daemonCopy(peagen.extension.extensionPath, peagen.extension.globalStorageUri.fsPath);
  const client = new DaemonClient(peagen, root, script);
  await client.start();
  return client;
}

export class DaemonClient implements vscode.Disposable {
  readonly root: vscode.Uri;
  readonly #client: LanguageClient;
  readonly #peagen: Peagen;
  #restarts: number[] = [];
  #lost = false;

  constructor(peagen: Peagen, root: vscode.Uri, script: string) {
    this.#peagen = peagen;
    this.root = root;
    this.#client = new LanguageClient(
      'peagen',
      'Peagen',
      {
        command: settings(root).nodePath ?? process.execPath,
        args: [script, 'daemon', 'connect', '--workspace', root.fsPath, '--client', 'VS Code'],
        // In a desktop window, execPath is Electron, which is a Node when told so.
        options: { env: { ...process.env, ELECTRON_RUN_AS_NODE: '1' } },
      },
      {
        outputChannel: peagen.log,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        // Written in words by us, where a command waits for it.
        initializationFailedHandler: () => false,
        errorHandler: { error: () => ({ action: ErrorAction.Continue, handled: true }), closed: () => this.#closed() },
      },
    );
  }

  async start(): Promise<void> {
    this.on(Health, (health) => this.#peagen.status.show(health));
    this.on(RunEventNotification, ({ run, event }) => this.#peagen.runs.hear(this.root, run, event));
    this.#client.onDidChangeState(({ newState }) => {
      if (newState === State.Running && this.#lost) this.#returned();
    });
    try {
      await this.#client.start();
    } catch (caught) {
      throw new PeagenError('unavailable', `The Peagen daemon did not start: ${message(caught)}`, {
        hint: 'See the Peagen output for details.',
        cause: caught,
      });
    }
    this.#peagen.status.show({ health: 'ok', quiescent: true });
  }

  /** Sends a request; its result is parsed, and its error is the PeagenError that the daemon threw. */
  async request<P extends z.ZodType, R extends z.ZodType>(
    { method, params, result }: RequestDefinition<P, R>,
    value: z.input<P>,
    token?: vscode.CancellationToken,
  ): Promise<z.output<R>> {
    let answer: unknown;
    try {
      answer = await this.#client.sendRequest(method, params.parse(value), token);
    } catch (caught) {
      throw asPeagenError(caught);
    }
    return result.parse(answer);
  }

  on<P extends z.ZodType>(
    { method, params }: NotificationDefinition<P>,
    handler: (value: z.output<P>) => void,
  ): vscode.Disposable {
    return this.#client.onNotification(method, (value: unknown) => {
      const parsed = params.safeParse(value);
      if (parsed.success) handler(parsed.data);
      else this.#peagen.log.warn(`${method} from the daemon makes no sense here: ${z.prettifyError(parsed.error)}`);
    });
  }

  dispose(): void {
    this.#client.stop().catch((caught) => this.#peagen.log.debug(`Disconnecting: ${message(caught)}`));
  }

  #closed(): { action: CloseAction; handled: boolean } {
    const now = Date.now();
    this.#restarts = [...this.#restarts.filter((at) => now - at < RESTART_WINDOW_MS), now];
    this.#lost = true;
    if (this.#restarts.length <= MAX_RESTARTS) return { action: CloseAction.Restart, handled: true };
    this.#peagen.status.show({ health: 'error', quiescent: true, message: 'The daemon keeps ending; see its log.' });
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  #returned(): void {
    this.#lost = false;
    this.#peagen.log.warn('The daemon ended and was started again.');
    this.#peagen.status.show({ health: 'ok', quiescent: true });
    this.#peagen.runs.refresh(true);
  }
}

function asPeagenError(caught: unknown): PeagenError {
  const body = ErrorBody.safeParse(typeof caught === 'object' && caught !== null && 'data' in caught ? caught.data : undefined);
  return body.success ? PeagenError.fromJSON({ ...body.data, hint: body.data.hint ?? '' }) : PeagenError.from(caught);
}

function message(caught: unknown): string {
  return caught instanceof Error ? caught.message : String(caught);
}
