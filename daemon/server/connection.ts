/**
 * One client's session: JSON-RPC over its socket, or over a pair of streams in one process. Its `shutdown` and `exit` end this session, never the process, and
 * every error goes back as data.
 */
import type { Duplex } from 'node:stream';
import { createConnection, type ProposedFeatures, type WatchDog } from 'vscode-languageserver';
import { type CancellationToken, createProtocolConnection, ResponseError } from 'vscode-languageserver-protocol/node';
import type * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import type { NotificationDefinition, RequestDefinition } from '../../shared/protocol/message.ts';
import type { ConfigSettings } from '../../shared/protocol/session.ts';
import type { HelloParams } from '../client/handshake.ts';
import { parseMessage, toResponseError } from '../client/messages.ts';
import { askPeer, closeSoon, StreamReader, StreamWriter } from '../client/transport.ts';
import type { Log } from '../telemetry/log.ts';
import { traced } from '../telemetry/trace.ts';

export class Session {
  readonly client: string;
  readonly trusted: boolean;
  /** Undefined: the workspace's own. */
  readonly config: ConfigSettings | undefined;
  /** The language server's view of this connection, for the LSP features. */
  readonly lsp: ProposedFeatures.Connection;
  private readonly traceparent: string | undefined;
  private readonly stream: Duplex;
  private readonly log: Log;

  constructor(stream: Duplex, hello: HelloParams, log: Log) {
    this.client = hello.client;
    this.trusted = hello.trusted;
    this.config = hello.config;
    this.traceparent = hello.traceparent;
    this.stream = stream;
    this.log = log;
    const watchDog: WatchDog = { shutdownReceived: false, initialize: () => undefined, exit: () => this.close() };
    // Into our log, not to the client: what cannot be sent would be reported by sending, for ever.
    const debug = (message: string) => log.debug({ client: hello.client }, message);
    const logger = { error: debug, warn: debug, info: debug, log: debug };
    this.lsp = createConnection(
      () => createProtocolConnection(new StreamReader(stream), new StreamWriter(stream), logger),
      watchDog,
    );
  }

  /** Begins to read. All handlers must be in place. */
  listen(onClose: () => void): void {
    this.stream.once('close', () => {
      this.lsp.dispose();
      onClose();
    });
    this.lsp.listen();
  }

  answer<P extends z.ZodType, R extends z.ZodType>(
    definition: RequestDefinition<P, R>,
    handler: (params: z.infer<P>, token: CancellationToken) => Promise<z.input<R>>,
  ): void {
    this.lsp.onRequest(definition.method, async (received: unknown, token: CancellationToken) => {
      try {
        const params = parseMessage(definition.params, received, `The parameters of ${definition.method}`);
        const span = { kind: 'server' as const, parent: this.traceparent };
        return await traced(definition.method, span, () => handler(params, token));
      } catch (caught) {
        return this.failure(definition.method, caught);
      }
    });
  }

  /** Whatever was thrown, as the answer to a request. */
  failure(method: string, caught: unknown): ResponseError<unknown> {
    const error = PeagenError.from(caught);
    const level = error.code === 'internal' ? 'error' : 'info';
    this.log[level]({ method, code: error.code, err: error.code === 'internal' ? caught : undefined }, error.line);
    const { code, message, data } = toResponseError(error);
    return new ResponseError(code, message, data);
  }

  notify<P extends z.ZodType>(definition: NotificationDefinition<P>, params: z.input<P>): void {
    if (this.stream.destroyed || this.stream.writableEnded) return;
    this.lsp.sendNotification(definition.method, params).catch((caught: unknown) => {
      this.log.debug({ client: this.client, err: caught }, 'a notification did not reach its client');
    });
  }

  /** Asks the client. Rejects with its error, and with `unavailable` when it has gone. */
  async ask<P extends z.ZodType, R extends z.ZodType>(
    definition: RequestDefinition<P, R>,
    params: z.input<P>,
    signal: AbortSignal,
  ): Promise<z.infer<R>> {
    const answer = askPeer((token) => this.lsp.sendRequest(definition.method, params, token), signal);
    return parseMessage(definition.result, await answer, `The answer to ${definition.method}`);
  }

  /** Sends what is under way, then closes. */
  close(): void {
    closeSoon(this.stream);
  }
}
