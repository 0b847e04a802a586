/** A typed client of the daemon, for the command line and the tests: results are parsed like everything received. */
import type { Socket } from 'node:net';
import { createMessageConnection, type MessageConnection } from 'vscode-languageserver-protocol/node';
import type * as z from 'zod';
import type { NotificationDefinition, RequestDefinition } from '../../shared/protocol/message.ts';
import { fromResponseError, parseMessage } from './messages.ts';
import { SocketReader, SocketWriter } from './transport.ts';

export class DaemonClient {
  readonly connection: MessageConnection;
  /** Resolves when the daemon has gone or the connection was closed. */
  readonly closed: Promise<void>;
  private readonly socket: Socket;

  /** `socket` has the handshake behind it; see start.ts. */
  constructor(socket: Socket) {
    this.socket = socket;
    this.connection = createMessageConnection(new SocketReader(socket), new SocketWriter(socket));
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
    this.connection.listen();
  }

  async request<P extends z.ZodType, R extends z.ZodType>(
    definition: RequestDefinition<P, R>,
    params: z.input<P>,
  ): Promise<z.infer<R>> {
    let received: unknown;
    try {
      received = await this.connection.sendRequest(definition.method, params);
    } catch (caught) {
      throw fromResponseError(caught);
    }
    return parseMessage(definition.result, received, `The answer to ${definition.method}`);
  }

  on<P extends z.ZodType>(definition: NotificationDefinition<P>, listener: (params: z.infer<P>) => void): void {
    this.connection.onNotification(definition.method, (received: unknown) =>
      listener(parseMessage(definition.params, received, definition.method)),
    );
  }

  close(): void {
    this.socket.destroySoon();
  }
}
