import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { isAlive } from '../../daemon/alive.ts';
import { encodeFrame, FrameReader } from '../../daemon/client/frames.ts';
import { DaemonStatus } from '../../shared/protocol/session.ts';
import { InspectFile } from '../../shared/protocol/targets.ts';
import { builtScript } from '../built.ts';
import { cli, finished, Home, until } from '../integration/daemon/home.ts';

const status = { jsonrpc: '2.0', id: 1, method: DaemonStatus.method, params: {} };

/** A bridge process as an editor runs it; answers the first message that arrives with this id. */
function bridgeOf(home: Home, ...options: string[]) {
  const child = home.node(cli, 'daemon', 'connect', '--workspace', 'workspace', ...options);
  const reader = new FrameReader();
  const messages: { id?: number; result?: { pid: number } }[] = [];
  child.stdout?.on('data', (chunk: Buffer) => {
    for (const body of reader.push(chunk)) messages.push(JSON.parse(body.toString()));
  });
  child.stdin?.on('error', () => child.kill());
  return {
    child,
    ended: finished(child),
    async ask(message: { id: number }) {
      child.stdin?.write(encodeFrame(message));
      await until(() => messages.some((m) => m.id === message.id), `the answer to ${message.id}`);
      return messages.find((m) => m.id === message.id)?.result;
    },
  };
}

async function rawSession(home: Home): Promise<Socket> {
  const client = await home.client();
  assert.equal((await client.request(DaemonStatus, {})).workspace, home.workspace);
  const { connect } = await import('../../daemon/client/start.ts');
  const socket = await connect(home.place, { client: 'raw', trusted: true });
  assert.ok(socket);
  return socket;
}

describe('chaos: the daemon', () => {
  it('killed: each bridge ends with 75, and a new one starts a new daemon over what was left', async () => {
    await using home = new Home();
    const [one, two] = [bridgeOf(home), bridgeOf(home, '--untrusted')];
    const first = (await one.ask(status))?.pid ?? 0;
    assert.equal((await two.ask(status))?.pid, first);
    process.kill(first, 'SIGKILL');
    assert.deepEqual([(await one.ended).code, (await two.ended).code], [75, 75]);
    assert.ok(existsSync(home.place.socket), 'the stale socket is there');
    const again = (await bridgeOf(home).ask(status))?.pid ?? 0;
    assert.ok(again !== first && isAlive(again));
    assert.ok(!existsSync(home.place.lock));
  });

  it('ends when asked, though the files it was started from are gone', async () => {
    await using home = new Home();
    const install = (name: string) => {
      const folder = join(home.folder, name);
      mkdirSync(folder);
      const shipped = join(dirname(builtScript('cli')), '..');
      cpSync(shipped, join(folder, 'dist'), { recursive: true });
      copyFileSync(join(shipped, '..', 'package.json'), join(folder, 'package.json'));
      return join(folder, 'dist', 'daemon', 'cli.js');
    };
    const [removed, kept] = [install('removed'), install('kept')];
    const daemon = (script: string, command: string) =>
      finished(home.node(script, 'daemon', command, '--workspace', 'workspace', '--json'));
    const { pid } = JSON.parse((await daemon(removed, 'start')).stdout);
    rmSync(join(home.folder, 'removed'), { recursive: true });
    const stopped = await daemon(kept, 'stop');
    assert.deepEqual(JSON.parse(stopped.stdout), { stopped: true, pid }, stopped.stderr);
    assert.equal(isAlive(pid), false);
  });

  it('killed together with its starter: the stale lock does not stop the next', async () => {
    await using home = new Home();
    writeFileSync(home.place.lock, JSON.stringify({ pid: 2 ** 22 - 1, started: '1' }));
    writeFileSync(home.place.socket, '');
    assert.ok((await (await home.client()).request(DaemonStatus, {})).pid > 0);
  });

  it('ends a bridge with 0 when its editor has said exit, or closed its end', async () => {
    await using home = new Home();
    const [polite, gone] = [bridgeOf(home), bridgeOf(home)];
    await polite.ask(status);
    await gone.ask(status);
    polite.child.stdin?.write(encodeFrame({ jsonrpc: '2.0', method: 'exit' }));
    gone.child.stdin?.end();
    assert.deepEqual([(await polite.ended).code, (await gone.ended).code], [0, 0]);
    assert.equal(home.daemons().length, 1);
  });

  it('cuts off a client that sends garbage or a huge frame, and serves the others', async () => {
    await using home = new Home();
    const good = await home.client();
    const attacks = [
      Buffer.from('Content-Length: 999999999\r\n\r\n'),
      Buffer.from('Content-Length: 5\r\n\r\n{"a":'),
      encodeFrame(null),
      encodeFrame([1, 2]),
      encodeFrame({ jsonrpc: '1.0', method: 'x' }),
      Buffer.alloc(100_000, 0xff),
    ];
    for (const attack of attacks) {
      const socket = await rawSession(home);
      socket.resume();
      socket.write(attack);
      await new Promise((resolve) => socket.once('close', resolve));
    }
    assert.equal((await good.request(DaemonStatus, {})).clients > 0, true);
    assert.equal(home.daemons().length, 1);
  });

  it('survives messages that are JSON-RPC but nonsense', async () => {
    await using home = new Home();
    const socket = await rawSession(home);
    const nonsense = [
      { jsonrpc: '2.0' },
      { jsonrpc: '2.0', id: {}, method: 7 },
      { jsonrpc: '2.0', id: 5, result: 1 },
      { jsonrpc: '2.0', id: 1, method: 'no/such/method' },
      { jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 'x' } },
      { jsonrpc: '2.0', id: 2, method: InspectFile.method, params: null },
      { jsonrpc: '2.0', id: 3, method: InspectFile.method, params: [{ path: '__proto__', text: 5 }] },
      { jsonrpc: '2.0', id: 4, method: 'initialize', params: { capabilities: 'none' } },
    ];
    for (const message of nonsense) socket.write(encodeFrame(message));
    socket.end();
    await once(socket.resume(), 'close');
    assert.ok((await (await home.client()).request(DaemonStatus, {})).pid > 0);
    assert.equal(home.daemons().length, 1);
  });

  it('is not stopped by many connections, nor by many that never say Hello', async () => {
    await using home = new Home();
    await home.client();
    const silent = await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = createConnection(home.place.socket);
        socket.on('error', () => socket.destroy());
        await once(socket, 'connect');
        return socket;
      }),
    );
    const clients = await Promise.all(Array.from({ length: 60 }, () => home.client()));
    assert.equal((await clients[59]?.request(DaemonStatus, {}))?.clients, 61);
    for (const socket of silent) socket.destroy();
  });

  it('refuses a runtime folder that someone has replaced by a link', async () => {
    await using home = new Home();
    mkdirSync(join(home.folder, 'trap'), { mode: 0o700 });
    rmdirSync(home.place.folder);
    symlinkSync(join(home.folder, 'trap'), home.place.folder);
    const { code, stderr } = await home.peagen('daemon', 'start', '--workspace', 'workspace');
    assert.deepEqual([code === 0, /symbolic link/.test(stderr)], [false, true]);
  });

  it('refuses a token that others can read', async () => {
    await using home = new Home();
    await home.client();
    chmodSync(home.place.token, 0o644);
    const { code, stderr } = await home.peagen('daemon', 'status', '--workspace', 'workspace');
    assert.deepEqual([code === 0, /not a private file/.test(stderr)], [false, true]);
    chmodSync(home.place.token, 0o600);
  });

  it('ends in order on SIGTERM, leaving no socket and no process', async () => {
    await using home = new Home();
    const client = await home.client();
    const { pid } = await client.request(DaemonStatus, {});
    process.kill(pid, 'SIGTERM');
    await client.closed;
    await until(() => !isAlive(pid), 'its end');
    assert.ok(!existsSync(home.place.socket));
    assert.match(readFileSync(home.place.log, 'utf8'), /"reason":"SIGTERM","msg":"ended"/);
  });

  it('two windows on one folder share it; the second lives on when the first crashes', async () => {
    await using home = new Home();
    const [one, two] = [bridgeOf(home), bridgeOf(home)];
    const pid = (await one.ask(status))?.pid;
    assert.equal((await two.ask(status))?.pid, pid);
    one.child.kill('SIGKILL');
    await one.ended;
    assert.equal((await two.ask({ ...status, id: 2 }))?.pid, pid);
  });
});
