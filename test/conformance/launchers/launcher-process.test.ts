import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProcessLauncher } from '../../../daemon/fabric/launchers/process.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { Config } from '../../../shared/config.ts';
import { launcherConformance } from './launcher.ts';

launcherConformance('process', async (idleMs) => {
  const workspace = await mkdtemp(join(tmpdir(), 'peagen-launcher-'));
  const config = Config.parse({ worker: { defaults: { idle_timeout: `${idleMs}ms` } } });
  const queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 100 });
  const launcher = new ProcessLauncher({ config, workspace });
  return {
    launcher,
    queue,
    config,
    broken: () => new ProcessLauncher({ config, workspace: join(workspace, 'absent') }),
    dispose: async () => {
      await launcher.close();
      await queue.close();
      await rm(workspace, { recursive: true, force: true });
    },
  };
});
