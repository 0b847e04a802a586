/**
 * `peagen daemon connect`: a client's way to the daemon. Finds or starts it, does the handshake, then passes bytes
 * between standard input and output and the socket. Knows nothing of the messages, except whether the client sent `exit`.
 */

import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { EXIT_DAEMON_LOST } from '../../shared/errors.ts';
import { FrameReader } from './frames.ts';
import { locate } from './locate.ts';
import { connectOrStart, type Who } from './start.ts';

export interface BridgeStreams {
  input: Readable;
  output: Writable;
}

/** Returns the exit status. Throws when no daemon can be had. */
export async function bridge(workspace: string, who: Who, streams: BridgeStreams): Promise<number> {
  const socket = await connectOrStart(locate(workspace), who);
  return await pipe(socket, streams);
}

async function pipe(socket: Socket, { input, output }: BridgeStreams): Promise<number> {
  let saidGoodbye = false;
  const watched = new FrameReader();
  let framed = true;
  const watch = (chunk: Buffer) => {
    try {
      for (const body of watched.push(chunk)) {
        if (body.length < 100 && (JSON.parse(body.toString()) as { method?: unknown } | null)?.method === 'exit')
          saidGoodbye = true;
      }
    } catch {
      // Not frames: the daemon will see that too, and close.
      framed = false;
    }
  };
  input.on('data', (chunk: Buffer) => {
    if (framed) watch(chunk);
    if (!socket.write(chunk)) input.pause();
  });
  socket.on('drain', () => input.resume());
  input.on('end', () => {
    saidGoodbye = true;
    socket.end();
  });
  // The client is gone, and reads no more.
  output.on('error', () => {
    saidGoodbye = true;
    socket.destroy();
  });
  socket.pipe(output, { end: false });
  await new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return saidGoodbye ? 0 : EXIT_DAEMON_LOST;
}
