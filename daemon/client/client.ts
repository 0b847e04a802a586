/** A typed client of the daemon, for the command line, agents and the tests: results are parsed like everything received. */
import type { Duplex } from 'node:stream';
import { createMessageConnection, type MessageConnection, ResponseError } from 'vscode-languageserver-protocol/node';
import type * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
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
  /** Requests without an answer. */
  private asking = 0;

  private readonly answered: (method: string, ms: number) => void;

  /**
   * `stream`: a socket with the handshake behind it (start.ts), or the near end of a pair of streams. `answered` is called with how long
   * each request took.
   */
  constructor(stream: Duplex, answered: (method: string, ms: number) => void = () => undefined) {
    this.stream = stream;
    this.answered = answered;
    this.connection = createMessageConnection(new StreamReader(stream), new StreamWriter(stream));
    this.closed = new Promise((resolve) => stream.once('close', () => resolve()));
    // Rejects what is still asked, after what has been received is handled. This process waits for that, if anything is.
    void this.closed.then(() => {
      const settling = setTimeout(() => this.connection.dispose(), SETTLE_MS);
      if (this.asking === 0) settling.unref();
    });
    this.connection.listen();
  }

  /** Rejects with what the daemon failed with, with the signal's reason, or with `unavailable` when the daemon has gone. */
  async request<P extends z.ZodType, R extends z.ZodType>(
    definition: RequestDefinition<P, R>,
    params: z.input<P>,
    signal?: AbortSignal,
  ): Promise<z.infer<R>> {
    this.asking++;
    const began = performance.now();
    try {
      const received = await askPeer((token) => this.connection.sendRequest(definition.method, params, token), signal);
      return parseMessage(definition.result, received, `The answer to ${definition.method}`);
    } catch (caught) {
      if (!this.stream.closed || PeagenError.from(caught).code !== 'unavailable') throw caught;
      throw new PeagenError('unavailable', 'The daemon ended before it answered.', {
        hint: 'Its log says why: "peagen daemon logs". A run goes on with "peagen evolve run --resume".',
        cause: caught,
      });
    } finally {
      this.answered(definition.method, performance.now() - began);
      this.asking--;
    }
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
