/** Looks at a Redis as the queue would use it: version, permissions, latency, and which workers serve the workspace there. */
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { ClusterReport } from '../../../../shared/protocol/cluster.ts';
import { scripts } from '../scripts.ts';
import { type Address, parseAddress } from './address.ts';
import { Connection } from './connection.ts';
import { RedisPools } from './pools.ts';

const PATIENCE_MS = 5000;
const PINGS = 9;

export async function checkCluster(url: string, prefix: string, env: NodeJS.ProcessEnv): Promise<ClusterReport> {
  const address: Address = parseAddress(url, env);
  const connection = await Connection.open(address, () => undefined);
  try {
    const info = String(await connection.ask('info', ['server'], PATIENCE_MS));
    const version = /^valkey_version:(.*?)\r?$/m.exec(info)?.[1] ?? /^redis_version:(.*?)\r?$/m.exec(info)?.[1] ?? 'unknown';
    const denied = z
      .array(z.instanceof(Buffer))
      .parse(await connection.run(scripts.check, prefix, [randomBytes(6).toString('hex')], PATIENCE_MS))
      .map(String);
    const latency = await latencyOf(connection);
    const common = { where: address.where, user: address.user, version, denied, latency_ms: latency };
    if (denied.length > 0) return { ...common, pools: [], pending: 0, claimed: 0 };
    const pools = await new RedisPools(connection, prefix).list();
    return { ...common, pools, ...(await tasksOf(connection, prefix)) };
  } finally {
    await connection.close();
  }
}

async function latencyOf(connection: Connection): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < PINGS; i++) {
    const started = performance.now();
    await connection.ask('ping', [], PATIENCE_MS);
    taken.push(performance.now() - started);
  }
  return taken.sort((a, b) => a - b)[PINGS >> 1] ?? 0;
}

/** As the script `depth` returns it: now, delayed, dead, then lane, waiting, claimed, oldest for each lane. */
async function tasksOf(connection: Connection, prefix: string): Promise<{ pending: number; claimed: number }> {
  const answer = z.array(z.unknown()).parse(await connection.run(scripts.depth, prefix, [], PATIENCE_MS));
  let [pending, claimed] = [0, 0];
  for (let i = 3; i + 3 < answer.length; i += 4) {
    pending += Number(answer[i + 1]);
    claimed += Number(answer[i + 2]);
  }
  return { pending, claimed };
}
