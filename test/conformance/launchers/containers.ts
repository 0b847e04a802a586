/** An engine and a Redis of the tests' own, and the image of the worker with the handlers for tests, made from the sources. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildWorkerImage } from '../../../daemon/fabric/launchers/image.ts';
import { copyPackages } from '../../../daemon/plugins/copy.ts';
import { bundleDaemon } from '../../bundle.ts';
import { handlersPackage } from '../../integration/fabric/worker-fabric.ts';
import { missingRedis, RedisServer } from '../../redis/server.ts';
import { Engine, missingEngine } from './launcher-engine.ts';

/** What the package of the handlers is called where it is found by name. */
export const handlersName = 'worker-handlers';

export class Containers {
  readonly task_queue: { readonly provider: 'redis'; readonly url: string; readonly lease_ms: number };
  private readonly engine: Engine;
  private readonly redis: RedisServer;
  private readonly bundle: string;

  private constructor(engine: Engine, redis: RedisServer, bundle: string) {
    // The end of a container is noticed when the lease of its task is over.
    this.task_queue = { provider: 'redis', url: redis.url, lease_ms: 5000 };
    [this.engine, this.redis, this.bundle] = [engine, redis, bundle];
    process.env['DOCKER_HOST'] = `unix://${engine.socket}`;
    process.env['PEAGEN_PLUGINS'] = [handlersPackage, bundle].join(delimiter);
  }

  /** For a `before` hook: the suite is skipped with the reason where there is no engine or no Redis. */
  static async start(context: Mocha.Context): Promise<Containers> {
    const missing = missingEngine() ?? missingRedis();
    if (missing !== undefined) {
      console.warn(`skipped: ${missing}`);
      context.skip();
    }
    const containers = new Containers(
      await Engine.start(),
      await RedisServer.start(),
      await mkdtemp(join(tmpdir(), 'peagen-bundle-')),
    );
    await containers.build();
    return containers;
  }

  private async build(): Promise<void> {
    const { bundle, engine } = this;
    const name = 'render-test';
    const folder = join(bundle, 'node_modules', handlersName);
    await bundleDaemon({ worker: 'daemon/worker/main.ts' }, bundle);
    await bundleDaemon({ [name]: `test/integration/fabric/worker-handlers/${name}.ts` }, folder);
    const peagen = { api: 1, handlers: { [name]: `./${name}.js` } };
    await writeFile(
      join(folder, 'package.json'),
      JSON.stringify({ name: handlersName, version: '1.0.0', type: 'module', peagen }),
    );
    const plugins = (place: string) => copyPackages([handlersName], place, { workspace: bundle, env: process.env });
    await buildWorkerImage({ docker: engine.docker, say: () => undefined, bundle, plugins });
  }

  /** Kills all that run. */
  async kill(): Promise<void> {
    const { docker } = this.engine;
    await Promise.all((await docker.listContainers()).map(({ Id }) => docker.getContainer(Id).kill()));
  }

  async stop(): Promise<void> {
    delete process.env['DOCKER_HOST'];
    process.env['PEAGEN_PLUGINS'] = handlersPackage;
    await this.redis.stop();
    await this.engine.stop();
    await rm(this.bundle, { recursive: true, force: true });
  }
}
