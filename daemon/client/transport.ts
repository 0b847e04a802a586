/**
 * Carries JSON-RPC messages over an authenticated socket, or over a pair of streams in one process. A peer that sends garbage
 * or does not read is cut off.
 */
import type { Duplex } from 'node:stream';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type CancellationToken,
  CancellationTokenSource,
  ConnectionError,
  type DataCallback,
  type Disposable,
  ErrorCodes,
  type Message,
  type MessageReader,
  type MessageWriter,
  ResponseError,
} from 'vscode-languageserver-protocol/node';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import { fromResponseError } from './messages.ts';

/** Bytes that may wait for a peer that does not read, before it is cut off. It can reconnect and ask again. */
const MAX_UNREAD = 64 * 1024 * 1024;

const MessageShape = z.looseObject({ jsonrpc: z.literal('2.0') });

/** Sends what is under way, then closes, whether the peer closes its end or not. */
export function closeSoon(stream: Duplex): void {
  stream.end(() => stream.destroy());
}

export class StreamReader extends AbstractMessageReader implements MessageReader {
  private readonly stream: Duplex;
  private readonly frames = new FrameReader();

  constructor(stream: Duplex) {
    super();
    this.stream = stream;
  }

  listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer) => {
      try {
        for (const body of this.frames.push(chunk)) callback(parse(body));
      } catch (caught) {
        this.fireError(caught);
        this.stream.destroy();
      }
    };
    const onClose = () => this.fireClose();
    this.stream.on('data', onData).on('close', onClose);
    this.stream.resume();
    return { dispose: () => this.stream.off('data', onData).off('close', onClose) };
  }
}

function parse(body: Buffer): Message {
  try {
    return MessageShape.parse(JSON.parse(body.toString()));
  } catch (cause) {
    throw new PeagenError('invalid_input', `Not a JSON-RPC message: ${body.toString('utf8', 0, 80)}`, { cause });
  }
}

export class StreamWriter extends AbstractMessageWriter implements MessageWriter {
  private readonly stream: Duplex;

  constructor(stream: Duplex) {
    super();
    this.stream = stream;
    stream.on('close', () => this.fireClose());
  }

  write(message: Message): Promise<void> {
    if (this.stream.destroyed || this.stream.writableEnded) {
      return Promise.reject(new PeagenError('unavailable', 'The connection is closed.'));
    }
    this.stream.write(encodeFrame(message));
    if (this.stream.writableLength > MAX_UNREAD) {
      const error = new PeagenError('too_large', `A peer left ${this.stream.writableLength} bytes unread and was cut off.`);
      this.fireError(error, message, 0);
      this.stream.destroy();
    }
    return Promise.resolve();
  }

  end(): void {
    this.stream.end();
  }
}

/** Sends a request that can be withdrawn; what the peer failed with comes back as a PeagenError. */
export async function askPeer(
  send: (token: CancellationToken) => Promise<unknown>,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const source = new CancellationTokenSource();
  const cancel = () => source.cancel();
  if (signal?.aborted === true) cancel();
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    return await send(source.token);
  } catch (caught) {
    if (signal?.aborted === true && signal.reason instanceof PeagenError) throw signal.reason;
    if (isLost(caught)) throw new PeagenError('unavailable', 'The other side went away before it answered.', { cause: caught });
    throw fromResponseError(caught);
  } finally {
    signal?.removeEventListener('abort', cancel);
    source.dispose();
  }
}

function isLost(caught: unknown): boolean {
  return (
    caught instanceof ConnectionError || (caught instanceof ResponseError && caught.code === ErrorCodes.PendingResponseRejected)
  );
}
