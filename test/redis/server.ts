/** A Redis server of the test's own: on a free port, in a folder of its own, killed and restarted at will. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';

/** Why there is no Redis to test with; undefined when there is one. With CI set, its absence is a failure. */
export function missingRedis(): string | undefined {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    if (process.env['CI']) throw new Error('redis-server is not installed, and CI is set.');
    return 'redis-server is not installed';
  }
}

/** Skips a test, or those of a hook's suite, that need a Redis where there is none. */
export function requireRedis(test: Mocha.Context): void {
  const missing = missingRedis();
  if (missing === undefined) return;
  console.log(`skipped: ${missing}`);
  test.skip();
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

export interface RedisServerOptions {
  readonly appendOnly?: boolean;
  readonly tls?: boolean;
  /** Lines of an ACL file. */
  readonly acl?: readonly string[];
  readonly extra?: readonly string[];
}

export class RedisServer {
  readonly port: number;
  readonly folder: string;
  readonly ca: string;
  private readonly options: RedisServerOptions;
  private process: ChildProcess | undefined;

  private constructor(port: number, options: RedisServerOptions) {
    this.port = port;
    this.options = options;
    this.folder = mkdtempSync(join(tmpdir(), 'peagen-redis-'));
    this.ca = join(this.folder, 'ca.crt');
    if (options.tls) makeCertificates(this.folder);
    if (options.acl) writeFileSync(join(this.folder, 'users.acl'), `${options.acl.join('\n')}\n`);
  }

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    await server.up();
    return server;
  }

  get pid(): number {
    return this.process?.pid ?? 0;
  }

  get url(): string {
    return `${this.options.tls ? 'rediss' : 'redis'}://127.0.0.1:${this.port}`;
  }

  /** Starts it, again after `kill`, on the same port and folder. */
  async up(): Promise<void> {
    const { tls, acl, appendOnly, extra = [] } = this.options;
    const file = (name: string) => join(this.folder, name);
    const port = String(this.port);
    const args = [
      ...(tls
        ? ['--port', '0', '--tls-port', port, '--tls-cert-file', file('server.crt'), '--tls-key-file', file('server.key')]
        : ['--port', port]),
      ...(tls ? ['--tls-ca-cert-file', file('ca.crt'), '--tls-auth-clients', 'no'] : []),
      ...(acl ? ['--aclfile', file('users.acl')] : []),
      ...['--bind', '127.0.0.1', '--dir', this.folder, '--save', '', '--appendonly', appendOnly ? 'yes' : 'no'],
      ...extra,
    ];
    const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    this.process = child;
    let said = '';
    child.stdout.on('data', (data) => {
      said += String(data);
    });
    for (let i = 0; i < 500 && !/Ready to accept connections/.test(said); i++) {
      if (child.exitCode !== null) throw new Error(`redis-server ended: ${said}`);
      await delay(20);
    }
  }

  /** SIGKILL: nothing is flushed by the server itself. */
  async kill(): Promise<void> {
    const child = this.process;
    this.process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A plain client for looking behind the scenes. */
  client(options: RedisOptions = {}): Redis {
    return new Redis({ host: '127.0.0.1', port: this.port, disableClientInfo: true, ...options, replyMapping: 'legacy' });
  }
}

function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  openssl(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-subj',
    '/CN=test authority',
  );
  openssl('req', '-newkey', 'rsa:2048', '-nodes', '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=127.0.0.1');
  writeFileSync(join(folder, 'san.cnf'), 'subjectAltName=IP:127.0.0.1\n');
  openssl(
    'x509',
    '-req',
    '-in',
    'server.csr',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    '-CAcreateserial',
    '-days',
    '2',
    '-out',
    'server.crt',
    '-extfile',
    'san.cnf',
  );
}
