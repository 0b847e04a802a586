import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { S3ResultStore } from '../../daemon/fabric/results/s3.ts';
import { newTaskId } from '../../shared/ids.ts';
import { freePort } from '../redis/server.ts';
import { okResult } from './queue/queue-setup.ts';
import { resultsConformance } from './results-cases.ts';

interface Answer {
  status: number;
  body: Buffer;
  length?: string | undefined;
}

const noBucket: Answer = { status: 404, body: Buffer.from('<Error><Code>NoSuchBucket</Code></Error>') };

/** s3rver behind a front that adds what it lacks: `If-None-Match: *` (one request at a time per key) and missing buckets. */
class S3Server {
  private readonly folder = mkdtempSync(join(tmpdir(), 'peagen-s3-'));
  private readonly keys = new Map<string, Promise<unknown>>();
  private front: Server | undefined;
  private back: ChildProcess | undefined;
  private backPort = 0;
  port = 0;

  async start(): Promise<void> {
    this.backPort = await freePort();
    const args = [
      '--directory',
      this.folder,
      '--port',
      String(this.backPort),
      '--address',
      '127.0.0.1',
      '--configure-bucket',
      'results',
    ];
    const back = spawn(process.execPath, [resolve('node_modules/s3rver/bin/s3rver.js'), ...args], { stdio: 'pipe' });
    this.back = back;
    await new Promise<void>((ready, fail) => {
      back.stdout.on('data', (data) => /listening/i.test(String(data)) && ready());
      back.stderr.on('data', (data) => fail(new Error(String(data))));
      back.once('exit', (code) => fail(new Error(`s3rver ended with ${code}`)));
    });
    this.front = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () => {
        const forward = () =>
          this.forward(incoming.method ?? 'GET', incoming.url ?? '/', incoming.headers, Buffer.concat(chunks));
        const conditional = incoming.headers['if-none-match'] === '*';
        const before = this.keys.get(incoming.url ?? '') ?? Promise.resolve();
        const answer = before.then(async (): Promise<Answer> => {
          if (incoming.method === 'PUT' && !incoming.url?.startsWith('/results/')) return noBucket;
          if (conditional && this.exists(incoming.url ?? '/')) return { status: 412, body: Buffer.alloc(0) };
          return await forward();
        });
        this.keys.set(incoming.url ?? '', answer);
        answer.then(({ status, body, length }) =>
          outgoing.writeHead(status, { ...(length && { 'content-length': length }) }).end(body),
        );
      });
    });
    this.front.listen(0, '127.0.0.1');
    await new Promise((ready) => this.front?.once('listening', ready));
    const address = this.front.address();
    this.port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  }

  async stop(): Promise<void> {
    this.front?.closeAllConnections();
    this.front?.close();
    this.back?.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** s3rver keeps an object in a file of this name. */
  private exists(url: string): boolean {
    return existsSync(this.file(url));
  }

  file(url: string): string {
    return join(this.folder, `${decodeURIComponent(url)}._S3rver_object`);
  }

  private forward(method: string, path: string, headers: IncomingHttpHeaders, body: Buffer): Promise<Answer> {
    return new Promise((done, fail) => {
      const call = request({ host: '127.0.0.1', port: this.backPort, method, path, headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        const { statusCode: status = 500, headers } = answer;
        answer.on('end', () => done({ status, body: Buffer.concat(chunks), length: headers['content-length'] }));
      });
      call.on('error', fail);
      call.end(body);
    });
  }
}

describe('S3', () => {
  const server = new S3Server();
  before(() => server.start());
  after(() => server.stop());
  const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
  const open = (over: Partial<ConstructorParameters<typeof S3ResultStore>[0]> = {}) =>
    new S3ResultStore({
      endpoint: `http://127.0.0.1:${server.port}`,
      region: 'us-east-1',
      bucket: 'results',
      prefix: 'team/a b/',
      ...keys,
      ...over,
    });
  resultsConformance('S3', async () => open());

  it('says what to do about a wrong key, a missing bucket and a store that is away', async () => {
    const result = okResult(newTaskId());
    await assert.rejects(open({ accessKeyId: 'NOBODY' }).put(result), { code: 'storage_failed', message: /403/ });
    await assert.rejects(open({ bucket: 'missing' }).put(result), { code: 'storage_failed', hint: /Create the bucket/ });
    await assert.rejects(open({ endpoint: 'http://127.0.0.1:9' }).put(result), {
      code: 'storage_failed',
      message: /does not answer/,
      retryable: true,
    });
  });

  it('reads what is half-written again, and takes an empty object for none', async () => {
    const [store, result] = [open(), okResult(newTaskId())];
    assert.equal(await store.put(result), true);
    const file = server.file(`/results/team/a b/${result.task_id}.msgpack.gz`);
    const whole = readFileSync(file);
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    const reading = store.get(result.task_id);
    setTimeout(() => writeFileSync(file, whole), 300);
    assert.deepEqual(await reading, result);
    writeFileSync(file, '');
    assert.equal(await store.get(result.task_id), undefined);
    assert.equal(await store.put(result), true);
    assert.deepEqual(await store.get(result.task_id), result);
    writeFileSync(file, 'no archive');
    await assert.rejects(store.get(result.task_id), { code: 'storage_failed', message: /is damaged/, retryable: false });
  });
});
