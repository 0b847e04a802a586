/** A host that may run no code, behind a queue that machines share. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LocalFabric } from '../../../daemon/fabric/local-fabric.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { take, task, worker } from '../../conformance/queue/queue-setup.ts';
import { RedisServer, requireRedis } from '../../redis/server.ts';

describe('a host without a sandbox', () => {
  let server: RedisServer;
  before(async function () {
    requireRedis(this);
    server = await RedisServer.start();
  });
  after(() => server?.stop());

  it('claims nothing that runs code, and leaves it to a host that has one', async () => {
    const workspace = await mkdtemp(join(tmpdir(), 'peagen-bare-host-'));
    const config = Config.parse({
      task_queue: { provider: 'redis', url: server.url, workspace: 'bare' },
      // Refused for tasks of a shared queue, as a machine without any other is.
      evaluate: { sandbox: 'plain' },
    });
    const fabric = await LocalFabric.open({
      config,
      registry: builtinRegistry(),
      log: createLog({ level: 'silent' }),
      workspace,
    });
    try {
      const pools = await fabric.queue.pools?.list();
      assert.deepEqual(
        pools?.flatMap(({ classes }) => classes.flatMap(({ caps }) => caps)),
        [],
      );
      const waiting = task();
      await fabric.queue.enqueue([waiting]);
      fabric.wake();
      const claimed = await take(fabric.queue, worker('a host with one'));
      assert.equal(claimed.task.id, waiting.id);
    } finally {
      await fabric.close();
      await rm(workspace, { recursive: true });
    }
  });
});
