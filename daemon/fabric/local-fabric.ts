/** The whole fabric of one process, from configuration: queue, result store, collector, and the spawner with its workers. */
import type { Config } from '../../shared/config.ts';
import type { Registry } from '../plugins/registry.ts';
import type { Log } from '../telemetry/log.ts';
import { Broker } from './broker.ts';
import { detectCaps } from './caps.ts';
import { Collector } from './collector.ts';
import type { TaskQueue } from './queue.ts';
import type { ResultStore } from './results.ts';
import { sampleDepth } from './sampler.ts';
import { Spawner } from './spawner.ts';
import { workerClasses } from './worker-classes.ts';

export interface LocalFabricOptions {
  readonly config: Config;
  readonly registry: Registry;
  readonly log: Log;
  /** Absolute folder that holds `.peagen`. */
  readonly workspace: string;
}

export interface LocalFabric {
  readonly queue: TaskQueue;
  readonly collector: Collector;
  readonly results: ResultStore;
  /** Call `wake` after each enqueue. */
  readonly spawner: Spawner;
  close(): Promise<void>;
}

export async function openLocalFabric({ config, registry, log, workspace }: LocalFabricOptions): Promise<LocalFabric> {
  const launcher = (await registry.load('launcher', config.worker.defaults.launcher))(config, workspace);
  const results = await (await registry.load('results', config.result_backend.provider))(config, workspace);
  const queue = await (await registry.load('queue', config.task_queue.provider))(config, workspace);
  const collector = new Collector(queue, results, log);
  const classes = workerClasses(await detectCaps({ config, env: process.env }), config);
  const spawner = new Spawner({ queue, launcher, broker: new Broker({ queue, config, log }), classes, config, log });
  spawner.start();
  const stopSampling = sampleDepth(queue, log);
  return {
    queue,
    collector,
    results,
    spawner,
    close: async () => {
      stopSampling();
      await spawner.close();
      await collector.close();
      await queue.close();
      await results.close();
    },
  };
}
