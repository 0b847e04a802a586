/** The daemon's end of the handshake: nothing is read from a connection before its first frame is a Hello with the right token. */
import type { Socket } from 'node:net';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { PROTOCOL_VERSION } from '../../shared/protocol/message.ts';
import { Hello } from '../../shared/protocol/session.ts';
import { encodeFrame } from '../client/frames.ts';
import { firstFrame, type HelloParams, type HelloResult } from '../client/handshake.ts';
import type { DaemonPlace } from '../client/locate.ts';
import { toResponseError } from '../client/messages.ts';
import { readToken, sameToken } from '../client/token.ts';

const HelloFrame = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]),
  method: z.literal(Hello.method),
  params: z.unknown(),
});

/**
 * Daemon's end. Rejects, with the connection closed, unless the first frame is a Hello with the right token, protocol and
 * build. Only a client that knows the token learns what is wrong.
 */
export async function receiveHello(socket: Socket, place: DaemonPlace): Promise<HelloParams> {
  try {
    const frame = HelloFrame.parse(await firstFrame(socket));
    const params = Hello.params.parse(frame.params);
    if (!sameToken(params.token, readToken(place.token))) throw new PeagenError('untrusted', 'The token is wrong.');
    const mismatch = findMismatch(params, place);
    if (mismatch !== undefined) {
      socket.end(encodeFrame({ jsonrpc: '2.0', id: frame.id, error: toResponseError(mismatch) }));
      throw mismatch;
    }
    const result: HelloResult = { protocol: PROTOCOL_VERSION, buildId: place.buildId, pid: process.pid };
    socket.write(encodeFrame({ jsonrpc: '2.0', id: frame.id, result }));
    return params;
  } catch (caught) {
    if (!socket.writableEnded) socket.destroy();
    throw caught instanceof z.ZodError
      ? new PeagenError('invalid_input', 'The first frame is not a Hello.', { cause: caught })
      : caught;
  }
}

function findMismatch(params: HelloParams, place: DaemonPlace): PeagenError | undefined {
  const what =
    params.protocol !== PROTOCOL_VERSION
      ? `protocol ${params.protocol}, this daemon ${PROTOCOL_VERSION}`
      : params.buildId !== place.buildId
        ? `build ${params.buildId}, this daemon ${place.buildId}`
        : undefined;
  if (what === undefined) return undefined;
  return new PeagenError('unsupported', `The client speaks ${what}.`, {
    hint: 'Reload the window, so that both come from one installation.',
  });
}
