/** A process with a spawner that runs one task and prints its result, for tests that kill it. Arguments: workspace, mark file, what the task does. */
import { Broker } from '../../daemon/fabric/broker.ts';
import { ProcessLauncher } from '../../daemon/fabric/launchers/process.ts';
import { WarmSpawner } from '../../daemon/fabric/spawner/warm-spawner.ts';
import { workerClasses } from '../../daemon/fabric/spawner/worker-classes.ts';
import { StubQueue } from '../../daemon/fabric/stub/stub-queue.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import { Config } from '../../shared/config.ts';
import { newTaskId } from '../../shared/ids.ts';
import { handlersPackage, testHandlers } from '../integration/fabric/worker-fabric.ts';

const [workspace = '.', mark = '', what = 'hang'] = process.argv.slice(2);
const config = Config.parse({ plugins: { packages: [handlersPackage] }, worker: { defaults: { plugins: testHandlers } } });
const log = createLog({ level: 'silent' });
const queue = new StubQueue({ leaseMs: 30_000, maxRetry: 3, retryDelayMs: 20 });
const launcher = new ProcessLauncher({ config, workspace });
const classes = workerClasses(['cpu'], config, 1);
const spawner = new WarmSpawner({ queue, launcher, broker: new Broker({ queue, config, log }), classes, config, log });
spawner.start();
const payload = { do: what, mark, ms: 600_000 };
const created_at = new Date().toISOString();
const id = newTaskId();
await queue.enqueue([{ kind: 'render', id, payload, requires: ['cpu'], attempts: 0, created_at, schema_v: 1 }]);
spawner.wake();
process.stdout.write(`${JSON.stringify((await queue.waitResult(id, { timeoutMs: 600_000 }))?.data)}\n`);
await spawner.close();
await queue.close();
