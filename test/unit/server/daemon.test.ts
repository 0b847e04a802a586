import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { ExitNotification, InitializeRequest, ShutdownRequest } from 'vscode-languageserver-protocol/node';
import { encodeFrame, FrameReader } from '../../../daemon/client/frames.ts';
import { locate } from '../../../daemon/client/locate.ts';
import { connect } from '../../../daemon/client/start.ts';
import { readToken } from '../../../daemon/client/token.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { PROTOCOL_VERSION } from '../../../shared/protocol/message.ts';
import { ShowQueue, TendDeadLetters } from '../../../shared/protocol/queue.ts';
import { ListRuns, PlanRun, RunEventNotification, StartRun, StopRun } from '../../../shared/protocol/runs.ts';
import { DaemonStatus, DaemonStop, Health } from '../../../shared/protocol/session.ts';
import { InspectFile, Mutate } from '../../../shared/protocol/targets.ts';
import { take, task, worker } from '../../conformance/queue/queue-setup.ts';
import { request, type Scene, scene, scratch } from './scene.ts';

const requestId = 'request-1';

/** What the daemon says to a client that sends these bytes, until it closes. */
async function answerTo(socketPath: string, bytes: Buffer): Promise<unknown[]> {
  const socket: Socket = createConnection(socketPath);
  const reader = new FrameReader();
  const answers: unknown[] = [];
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    for (const body of reader.push(chunk)) answers.push(JSON.parse(body.toString()));
  });
  socket.write(bytes);
  await once(socket, 'close');
  return answers;
}

const hello = (s: Scene, change: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'peagen/hello',
  params: { protocol: PROTOCOL_VERSION, buildId: 'test', token: readToken(s.place.token), pid: 1, client: 'x', ...change },
});

describe('the handshake', () => {
  it('closes the connection without a word when the token is wrong', async () => {
    await using s = await scene();
    assert.deepEqual(await answerTo(s.place.socket, encodeFrame(hello(s, { token: 'f'.repeat(64) }))), []);
  });

  it('closes the connection without a word when anything but Hello comes first', async () => {
    await using s = await scene();
    const status = encodeFrame({ jsonrpc: '2.0', id: 1, method: DaemonStatus.method, params: {} });
    for (const bytes of [
      status,
      encodeFrame([]),
      encodeFrame('hello'),
      Buffer.from('Content-Length: 3\r\n\r\n{x}'),
      Buffer.alloc(3000),
    ]) {
      assert.deepEqual(await answerTo(s.place.socket, bytes), []);
    }
  });

  it('refuses a Hello that is larger than any real one', async () => {
    await using s = await scene();
    assert.deepEqual(await answerTo(s.place.socket, encodeFrame(hello(s, { client: 'x'.repeat(40_000) }))), []);
  });

  it('says what is wrong to a client of another build or protocol', async () => {
    await using s = await scene();
    for (const [change, message] of [
      [{ buildId: 'old' }, /build old, this daemon test/],
      [{ protocol: 99 }, /protocol 99, this daemon 1/],
    ] as const) {
      const [answer] = (await answerTo(s.place.socket, encodeFrame(hello(s, change)))) as [{ error: { message: string } }];
      assert.match(answer.error.message, message);
    }
  });

  it('serves what a client wrote right behind its Hello', async () => {
    await using s = await scene();
    const bytes = [
      hello(s, {}),
      { jsonrpc: '2.0', id: 2, method: DaemonStatus.method, params: {} },
      { jsonrpc: '2.0', method: 'exit' },
    ];
    const answers = (await answerTo(s.place.socket, Buffer.concat(bytes.map(encodeFrame)))) as { id?: number }[];
    assert.deepEqual(
      answers.map((answer) => answer.id),
      [1, undefined, 2],
    );
  });

  it('goes on when the token file was removed, as cleaners of temporary folders do', async () => {
    await using s = await scene();
    await s.client();
    rmSync(s.place.token);
    const client = await s.client();
    assert.equal((await client.request(DaemonStatus, {})).clients, 2);
  });
});

describe('a session', () => {
  it('names the parameter that is wrong', async () => {
    await using s = await scene();
    const client = await s.client();
    const wrong = client.request(StartRun, { requestId: 'short', request });
    await assert.rejects(wrong, { code: 'invalid_input', message: /peagen\/run\/start at requestId/ });
  });

  it('brings an error of the engine to the client whole', async () => {
    await using s = await scene();
    const client = await s.client();
    await assert.rejects(client.request(PlanRun, request), {
      name: 'PeagenError',
      code: 'original_fails',
      message: 'sort([2, 1]) raised ValueError.',
      hint: 'Choose other inputs.',
      retryable: false,
    });
    await assert.rejects(client.request(Mutate, { target: request.target }), { code: 'internal', message: /not a function/ });
  });

  it('notifies every client of the workspace of what happens in a run', async () => {
    await using s = await scene();
    const [one, two] = [await s.client(), await s.client({ trusted: false })];
    const heard = new Promise((resolve) => two.on(RunEventNotification, ({ run, event }) => resolve([run, event.type])));
    const { run } = await one.request(StartRun, { requestId, request });
    await one.request(StopRun, { run });
    assert.deepEqual(await heard, [run, 'stopped']);
  });

  it('starts nothing twice when a request is repeated over another connection', async () => {
    await using s = await scene();
    const first = await (await s.client()).request(StartRun, { requestId, request });
    const again = await (await s.client()).request(StartRun, { requestId, request });
    assert.equal(again.run, first.run);
  });

  it('ends alone when its client says shutdown and exit', async () => {
    await using s = await scene();
    const [one, two] = [await s.client(), await s.client()];
    await one.connection.sendRequest(InitializeRequest.type, { processId: 1, rootUri: null, capabilities: {} });
    await one.connection.sendRequest(ShutdownRequest.type);
    await one.connection.sendNotification(ExitNotification.type);
    await one.closed;
    assert.deepEqual(await two.request(ListRuns, {}), []);
  });

  it('says how the daemon is, at once and whenever that changes', async () => {
    await using s = await scene();
    const client = await s.client();
    const quiescent: boolean[] = [];
    const settled = new Promise<void>((resolve) => {
      client.on(Health, (health) => {
        quiescent.push(health.quiescent);
        if (quiescent.length === 3) resolve();
      });
    });
    const { run } = await client.request(StartRun, { requestId, request });
    s.engines[0]?.tell(run, { type: 'unpaused', at: new Date().toISOString() });
    await client.request(StopRun, { run });
    await settled;
    assert.deepEqual(quiescent, [true, false, true]);
  });

  it('is cut off when its client does not read, before the memory of the daemon is full', async () => {
    await using s = await scene();
    const reader = await s.client();
    const { run } = await reader.request(StartRun, { requestId, request });
    const lazy = await connect(s.place, { client: 'lazy', trusted: true });
    const detail = 'x'.repeat(4 * 1024 * 1024);
    for (let sent = 0; sent < 20; sent++) {
      const heard = new Promise((resolve) => reader.on(RunEventNotification, resolve));
      s.engines[0]?.tell(run, { type: 'stopped', at: new Date().toISOString(), reason: 'user', detail });
      await heard;
    }
    assert.equal((await reader.request(DaemonStatus, {})).clients, 1);
    lazy?.destroy();
  });

  it('looks at a file without the engine', async () => {
    await using s = await scene();
    const client = await s.client({ trusted: false });
    const text = 'def sort(items):\n    return sorted(items)\n';
    const found = await client.request(InspectFile, { path: 'a.py', text });
    assert.deepEqual([found.language, found.functions.map((fn) => fn.name)], ['python', ['sort']]);
    const other = await client.request(InspectFile, { path: 'a.txt', text: '' });
    assert.equal(other.supported, false);
    assert.equal(s.engines.length, 0);
  });
});

describe('an untrusted workspace', () => {
  it('executes nothing and does not read the configuration', async () => {
    await using s = await scene();
    const client = await s.client({ trusted: false });
    const { target } = request;
    await assert.rejects(client.request(StartRun, { requestId, request }), { code: 'untrusted', message: /is not trusted/ });
    await assert.rejects(client.request(PlanRun, request), { code: 'untrusted' });
    await assert.rejects(client.request(Mutate, { target }), { code: 'untrusted' });
    await assert.rejects(client.request(ListRuns, {}), { code: 'untrusted' });
    assert.equal(s.engines.length, 0);
  });

  it('shows the runs of a trusted window, and can stop them', async () => {
    await using s = await scene();
    const [trusted, other] = [await s.client(), await s.client({ trusted: false })];
    const { run } = await trusted.request(StartRun, { requestId, request });
    assert.equal((await other.request(ListRuns, {})).length, 1);
    assert.equal((await other.request(StopRun, { run })).state, 'finished');
  });
});

describe('the life of a daemon', () => {
  it('ends when nobody has needed it for the grace period', async () => {
    await using s = await scene(300);
    const client = await s.client();
    client.close();
    assert.equal(await s.daemon.ended, 'idle');
  });

  it('outlives its clients while a run goes on', async () => {
    await using s = await scene(1000);
    const client = await s.client();
    const { run } = await client.request(StartRun, { requestId, request });
    client.close();
    await client.closed;
    const later = await s.client();
    assert.deepEqual((await later.request(DaemonStatus, {})).running, [run]);
    await later.request(StopRun, { run });
    later.close();
    assert.equal(await s.daemon.ended, 'idle');
  });

  it('ends on request, after the answer, and closes the engine', async () => {
    await using s = await scene();
    const client = await s.client();
    await client.request(ListRuns, {});
    assert.deepEqual(await client.request(DaemonStop, {}), { pid: process.pid });
    await client.closed;
    assert.equal(s.engines[0]?.closed, true);
    assert.equal(await connect(s.place, { client: 'x', trusted: true }), undefined);
  });

  it('ends when its socket is gone: nobody can reach it any more', async () => {
    await using s = await scene();
    rmSync(s.place.socket);
    assert.match(await s.daemon.ended, /socket is gone/);
  });

  it('uses a changed configuration as soon as nothing runs', async () => {
    await using s = await scene();
    const client = await s.client();
    const { run } = await client.request(StartRun, { requestId, request });
    s.config.version = 2;
    await client.request(ListRuns, {});
    assert.equal(s.engines.length, 1);
    await client.request(StopRun, { run });
    await client.request(ListRuns, {});
    assert.deepEqual(
      s.engines.map((engine) => engine.closed),
      [true, false],
    );
  });

  it('is not started where nobody asked for one', async () => {
    const { workspace, env, remove } = scratch();
    assert.equal(await connect(locate(workspace, { env, build: 'test' }), { client: 'x', trusted: true }), undefined);
    remove();
  });
});

describe('the queues in the memory of a daemon', () => {
  it('are shown as one, and their dead letters can be put back or removed', async () => {
    await using s = await scene();
    const client = await s.client();
    await client.request(ListRuns, {});
    const queues = [1, 2].map(() => new StubQueue({ leaseMs: 60_000, maxRetry: 3, retryDelayMs: 1000 }));
    s.engines[0]?.queues.push(...queues);
    const died: string[] = [];
    for (const queue of queues) {
      const [dead, waiting] = [task(), task({ kind: 'render' })];
      await queue.enqueue([dead]);
      await queue.fail(await take(queue, worker('a')), { reason: 'no', code: 'internal', retryable: false });
      await queue.enqueue([waiting]);
      died.push(dead.id);
    }
    const { depth, letters, waiting } = await client.request(ShowQueue, { most: 1 });
    assert.deepEqual(
      waiting.map(({ kind }) => kind),
      ['render'],
    );
    assert.deepEqual([depth.pending, depth.dead, depth.byLane['render/cpu']], [2, 2, 2]);
    assert.deepEqual(letters.map(({ id }) => id).sort(), died.sort());
    assert.deepEqual(await client.request(TendDeadLetters, { what: 'retry', ids: died.slice(0, 1) }), { count: 1 });
    assert.deepEqual(await client.request(TendDeadLetters, { what: 'purge' }), { count: 1 });
    assert.equal((await client.request(ShowQueue, {})).depth.pending, 3);
    const stranger = await s.client({ trusted: false });
    await assert.rejects(stranger.request(TendDeadLetters, { what: 'purge' }), /not trusted/);
    await Promise.all(queues.map((queue) => queue.close()));
  });
});
