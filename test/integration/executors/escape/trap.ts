/** What stands around a sandbox while a hostile program runs in it: secrets, servers, a victim. It notices being touched. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { findInterpreter } from '../../../../daemon/executors/interpreters.ts';

export interface Targets {
  readonly secret: string;
  readonly token: string;
  readonly workspace: string;
  readonly unix: string;
  readonly abstract: string;
  readonly port: number;
  readonly udp: number;
  readonly victim: number;
  readonly parent: number;
  readonly sign: string;
  /** The names of the machine, the user and the user's folders. */
  readonly names: readonly string[];
  /** Where Node lies, which its sandboxes may know. */
  readonly node: string;
}

const { username } = userInfo();
const names = [hostname(), ...(username === 'root' ? [] : [username]), homedir(), join(import.meta.dirname, '../../../..')];

export class Trap {
  readonly targets: Targets;
  private readonly folder: string;
  private readonly victim: ChildProcess;
  private readonly servers: readonly Server[];
  private readonly datagrams: Socket;
  private readonly heard: string[] = [];

  private constructor(folder: string, targets: Targets, victim: ChildProcess, servers: readonly Server[], datagrams: Socket) {
    this.folder = folder;
    this.targets = targets;
    this.victim = victim;
    this.servers = servers;
    this.datagrams = datagrams;
    for (const server of servers) {
      server.on('connection', (socket) => {
        this.heard.push('a connection');
        socket.destroy();
      });
    }
    datagrams.on('message', () => this.heard.push('a datagram'));
  }

  static async set(): Promise<Trap> {
    const folder = mkdtempSync(join(tmpdir(), 'peagen-trap-'));
    // Anybody may read it: only the sandbox stands in between.
    chmodSync(folder, 0o755);
    const token = `token-${process.pid}-${Date.now()}`;
    writeFileSync(join(folder, 'id_rsa'), token);
    writeFileSync(join(folder, 'main.py'), 'print("the workspace")\n');
    const victim = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      env: { SECRET_TOKEN: token },
      stdio: 'ignore',
    });
    process.env['PEAGEN_SECRET_TOKEN'] = token;
    const tcp = createServer();
    const unix = createServer();
    const abstract = createServer();
    const datagrams = createSocket('udp4');
    const listening = [tcp, unix, abstract].map((server) => new Promise((resolve) => server.once('listening', resolve)));
    tcp.listen(0, '127.0.0.1');
    unix.listen(join(folder, 'engine.sock'));
    abstract.listen(`\0${token}`);
    await Promise.all(listening);
    chmodSync(join(folder, 'engine.sock'), 0o777);
    await new Promise<void>((resolve) => datagrams.bind(0, '127.0.0.1', resolve));
    const address = tcp.address();
    const targets: Targets = {
      secret: join(folder, 'id_rsa'),
      token,
      workspace: folder,
      unix: join(folder, 'engine.sock'),
      abstract: token,
      port: typeof address === 'object' && address !== null ? address.port : 0,
      udp: datagrams.address().port,
      victim: victim.pid ?? 0,
      parent: process.pid,
      sign: `sign-${token}`,
      names: [...names, folder],
      node: (await findInterpreter('node')).path,
    };
    return new Trap(folder, targets, victim, [tcp, unix, abstract], datagrams);
  }

  /** The targets with a sign of one's own, by which processes that live on are known for that program's. */
  targetsFor(name: string): Targets {
    return { ...this.targets, sign: `${this.targets.sign} ${name}` };
  }

  /** Whatever programs did to the outside, and what of the one with `sign` lives on; empty when nothing. */
  damage(sign: string): string[] {
    const found = [...this.heard.splice(0)];
    if (this.victim.exitCode !== null || this.victim.signalCode !== null) found.push('the victim is dead');
    if (readFileSync(this.targets.secret, 'utf8') !== this.targets.token) found.push('the secret was changed');
    const files = readdirSync(this.folder).sort();
    if (files.join() !== 'engine.sock,id_rsa,main.py') found.push(`files: ${files.join(', ')}`);
    for (const path of ['/usr/evil', '/etc/evil', '/evil']) if (existsSync(path)) found.push(`${path} exists`);
    found.push(...survivors(sign));
    return found;
  }

  async close(): Promise<void> {
    delete process.env['PEAGEN_SECRET_TOKEN'];
    this.victim.kill('SIGKILL');
    this.datagrams.close();
    await Promise.all(this.servers.map((server) => new Promise((resolve) => server.close(resolve))));
    rmSync(this.folder, { recursive: true });
  }
}

function survivors(sign: string): string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').includes(sign) ? [`process ${name} lives on`] : [];
    } catch {
      return [];
    }
  });
}
