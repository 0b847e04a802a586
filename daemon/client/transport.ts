/** Carries JSON-RPC messages over an authenticated socket. A peer that sends garbage or does not read is cut off. */
import type { Socket } from 'node:net';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageReader,
  type MessageWriter,
} from 'vscode-languageserver-protocol/node';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { encodeFrame, FrameReader } from './frames.ts';

/** Bytes that may wait for a peer that does not read, before it is cut off. It can reconnect and ask anew. */
export const MAX_UNREAD = 64 * 1024 * 1024;

const MessageShape = z.looseObject({ jsonrpc: z.literal('2.0') });

export class SocketReader extends AbstractMessageReader implements MessageReader {
  private readonly socket: Socket;
  private readonly frames = new FrameReader();

  constructor(socket: Socket) {
    super();
    this.socket = socket;
  }

  listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer) => {
      try {
        for (const body of this.frames.push(chunk)) callback(parse(body));
      } catch (caught) {
        this.fireError(caught);
        this.socket.destroy();
      }
    };
    const onClose = () => this.fireClose();
    this.socket.on('data', onData).on('close', onClose);
    this.socket.resume();
    return { dispose: () => this.socket.off('data', onData).off('close', onClose) };
  }
}

function parse(body: Buffer): Message {
  try {
    return MessageShape.parse(JSON.parse(body.toString()));
  } catch (cause) {
    throw new PeagenError('invalid_input', `Not a JSON-RPC message: ${body.toString('utf8', 0, 80)}`, { cause });
  }
}

export class SocketWriter extends AbstractMessageWriter implements MessageWriter {
  private readonly socket: Socket;

  constructor(socket: Socket) {
    super();
    this.socket = socket;
    socket.on('close', () => this.fireClose());
  }

  write(message: Message): Promise<void> {
    if (this.socket.destroyed || this.socket.writableEnded) {
      return Promise.reject(new PeagenError('unavailable', 'The connection is closed.'));
    }
    this.socket.write(encodeFrame(message));
    if (this.socket.writableLength > MAX_UNREAD) {
      const error = new PeagenError('too_large', `A peer left ${this.socket.writableLength} bytes unread and was cut off.`);
      this.fireError(error, message, 0);
      this.socket.destroy();
    }
    return Promise.resolve();
  }

  end(): void {
    this.socket.end();
  }
}
