/**
 * What a server speaks that has just failed us: TLS or plain text. Asked for, not guessed: a server that is being
 * restarted hangs up, too, and one that is overloaded is silent, too.
 */
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

interface ServerAddress {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

const LOCAL = '127.0.0.1';
const REDIS_PORT = 6379;

/** True when a handshake succeeds there, or is refused in the words of TLS. */
export function speaksTls({ host = LOCAL, port = REDIS_PORT }: ServerAddress, timeoutMs: number): Promise<boolean> {
  // Nothing is sent on this connection: only the protocol of the answer matters.
  const socket = connectTls({ host, port, timeout: timeoutMs, rejectUnauthorized: false });
  return answer(
    socket,
    'secureConnect',
    (error) => /alert/i.test(error.message),
    () => true,
  );
}

/** True when a reply in the protocol of Redis comes, an error too. */
export function speaksPlain({ host = LOCAL, port = REDIS_PORT }: ServerAddress, timeoutMs: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: timeoutMs });
  socket.write('PING\r\n');
  return answer(
    socket,
    'data',
    () => false,
    (data) => /^[+-]/.test(String(data)),
  );
}

async function answer(
  socket: Socket,
  event: 'secureConnect' | 'data',
  ofError: (error: Error) => boolean,
  ofAnswer: (data: unknown) => boolean,
): Promise<boolean> {
  try {
    return await new Promise((resolve) => {
      socket.once(event, (data: unknown) => resolve(ofAnswer(data)));
      socket.once('error', (error) => resolve(ofError(error)));
      for (const over of ['timeout', 'close']) socket.once(over, () => resolve(false));
    });
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}
