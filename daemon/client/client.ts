/** A typed client of the daemon, for the command line, agents and the tests: results are parsed like everything received. */
import type { Duplex } from 'node:stream';
import { createMessageConnection, type MessageConnection, ResponseError } from 'vscode-languageserver-protocol/node';
import type * as z from 'zod';
import type { NotificationDefinition, RequestDefinition } from '../../shared/protocol/message.ts';
import { parseMessage, toResponseError } from './messages.ts';
import { askPeer, closeSoon, StreamReader, StreamWriter } from './transport.ts';

/** Received messages are handled one a turn of the event loop; a connection that has closed is given this long for the rest. */
const SETTLE_MS = 300;

export class DaemonClient {
  readonly connection: MessageConnection;
  /** Resolves when the daemon has gone or the connection was closed. */
  readonly closed: Promise<void>;
  private readonly stream: Duplex;

  /** `stream`: a socket with the handshake behind it (start.ts), or the near end of a pair of streams. */
  constructor(stream: Duplex) {
    this.stream = stream;
    this.connection = createMessageConnection(new StreamReader(stream), new StreamWriter(stream));
    this.closed = new Promise((resolve) => stream.once('close', () => resolve()));
    // Rejects what is still asked, after what has been received is handled.
    void this.closed.then(() => setTimeout(() => this.connection.dispose(), SETTLE_MS).unref());
    this.connection.listen();
  }

  /** Rejects with what the daemon failed with, with the signal's reason, or with `unavailable` when the daemon has gone. */
  async request<P extends z.ZodType, R extends z.ZodType>(
    definition: RequestDefinition<P, R>,
    params: z.input<P>,
    signal?: AbortSignal,
  ): Promise<z.infer<R>> {
    const received = await askPeer((token) => this.connection.sendRequest(definition.method, params, token), signal);
    return parseMessage(definition.result, received, `The answer to ${definition.method}`);
  }

  /** Handles a request of the daemon; what the handler throws goes back as data. */
  answer<P extends z.ZodType, R extends z.ZodType>(
    definition: RequestDefinition<P, R>,
    handler: (params: z.infer<P>) => Promise<z.input<R>>,
  ): void {
    this.connection.onRequest(definition.method, async (received: unknown) => {
      try {
        return await handler(parseMessage(definition.params, received, `The parameters of ${definition.method}`));
      } catch (caught) {
        const { code, message, data } = toResponseError(caught);
        return new ResponseError(code, message, data);
      }
    });
  }

  on<P extends z.ZodType>(definition: NotificationDefinition<P>, listener: (params: z.infer<P>) => void): void {
    this.connection.onNotification(definition.method, (received: unknown) =>
      listener(parseMessage(definition.params, received, definition.method)),
    );
  }

  close(): void {
    closeSoon(this.stream);
  }
}
