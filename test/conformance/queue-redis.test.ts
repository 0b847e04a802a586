import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAddress } from '../../daemon/fabric/redis/address.ts';
import { RedisQueue } from '../../daemon/fabric/redis/redis-queue.ts';
import { missingRedis, RedisServer, type RedisServerOptions } from '../redis/server.ts';
import { type Open, queueConformance } from './queue-cases.ts';

const PASSWORD = 'correct-horse';

/** The ACL of a daemon: its workspace's keys, what the scripts call, nothing else. */
const daemonUser = [
  'user default off',
  `user peagen on >${PASSWORD} ~peagen:{test/*}:* -@all +@read +@write +@stream +evalsha +eval +info +time +blpop +hello +ping +client|setname -@dangerous +info -@admin`,
];

function variant(name: string, options: RedisServerOptions, env: NodeJS.ProcessEnv, user: string): void {
  describe(name, function () {
    this.timeout(30_000);
    let server: RedisServer;
    const missing = missingRedis();
    before(async function () {
      if (missing !== undefined) {
        console.log(`skipped: ${missing}`);
        this.skip();
      }
      server = await RedisServer.start(options);
    });
    after(async () => {
      await server?.stop();
    });
    const open: Open = async (queueOptions) => {
      const address = parseAddress(server.url.replace('://', `://${user}`), { ...env, PEAGEN_REDIS_CA: server.ca });
      const prefix = `peagen:{test/${randomBytes(6).toString('hex')}}:`;
      const make = () =>
        RedisQueue.open(address, {
          leaseMs: 30_000,
          maxRetry: 3,
          retryDelayMs: 1000,
          ...queueOptions,
          prefix,
          report: (line) => {
            if (!/the store is away|dead letters/.test(line)) console.log(line);
          },
        });
      return { queue: await make(), second: await make(), pass: (ms) => delay(ms) };
    };
    queueConformance(name, open);
  });
}

variant('redis', {}, {}, '');
variant('redis with TLS and an ACL user', { tls: true, acl: daemonUser }, { PEAGEN_REDIS_PASSWORD: PASSWORD }, 'peagen@');
variant('redis with append-only files', { appendOnly: true }, {}, '');
