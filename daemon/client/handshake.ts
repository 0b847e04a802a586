/**
 * The client's end of the handshake: the first frame is Hello with the user's token, the answer identifies the daemon.
 * Until that is settled nothing else of the connection is read. The daemon's end is server/handshake.ts.
 */
import type { Socket } from 'node:net';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/message.ts';
import { Hello } from '../../shared/protocol/session.ts';
import { encodeFrame, FrameReader } from './frames.ts';
import type { DaemonPlace } from './locate.ts';
import { fromResponseError } from './messages.ts';
import { readToken } from './token.ts';

const MAX_HELLO = 32_768;
const HELLO_TIMEOUT_MS = 5000;

export type HelloParams = z.infer<typeof Hello.params>;
export type HelloResult = z.infer<typeof Hello.result>;

const AnswerFrame = z.object({
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});

/** Client's end. The socket is paused afterwards, at the first byte behind the answer. */
export async function sayHello(
  socket: Socket,
  place: DaemonPlace,
  who: Pick<HelloParams, 'client' | 'trusted' | 'config' | 'keys' | 'traceparent'>,
): Promise<HelloResult> {
  const params: HelloParams = {
    protocol: PROTOCOL_VERSION,
    buildId: place.buildId,
    token: readToken(place.token),
    pid: process.pid,
    ...who,
  };
  socket.write(encodeFrame({ jsonrpc: '2.0', id: 0, method: Hello.method, params }));
  const answer = AnswerFrame.parse(await firstFrame(socket));
  if (answer.error !== undefined) throw fromResponseError(answer.error);
  return Hello.result.parse(answer.result);
}

/** The first frame as JSON; what came behind it is put back. */
export async function firstFrame(socket: Socket): Promise<unknown> {
  const reader = new FrameReader(MAX_HELLO);
  const body = await new Promise<Buffer>((resolve, reject) => {
    const timer = setTimeout(
      () => settle(() => reject(new PeagenError('timeout', `No handshake within ${HELLO_TIMEOUT_MS} ms.`))),
      HELLO_TIMEOUT_MS,
    );
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      socket.pause();
      socket.off('data', onData).off('close', onClose).off('error', onError);
      outcome();
    };
    const onClose = () => settle(() => reject(new PeagenError('unavailable', 'The connection was closed during the handshake.')));
    const onError = (cause: Error) =>
      settle(() => reject(new PeagenError('unavailable', 'The connection broke during the handshake.', { cause })));
    const onData = (chunk: Buffer) => {
      try {
        const frame = reader.push(chunk).next();
        if (frame.done !== true) settle(() => resolve(frame.value));
      } catch (caught) {
        settle(() => reject(caught));
      }
    };
    socket.on('data', onData).on('close', onClose).on('error', onError);
    socket.resume();
  });
  const rest = reader.rest();
  if (rest.length > 0) socket.unshift(rest);
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new PeagenError('invalid_input', 'The first frame is not JSON.', { cause });
  }
}
