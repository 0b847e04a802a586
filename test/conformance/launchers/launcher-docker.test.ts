import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { DockerLauncher } from '../../../daemon/fabric/launchers/docker.ts';
import { containerOptions, workerImage } from '../../../daemon/fabric/launchers/docker-spec.ts';
import { buildWorkerImage } from '../../../daemon/fabric/launchers/image.ts';
import { exitReasonOf } from '../../../daemon/fabric/launchers/log-tail.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { copyPackages, packageNames } from '../../../daemon/plugins/copy.ts';
import { Config } from '../../../shared/config.ts';
import type { PeagenError } from '../../../shared/errors.ts';
import { ExecuteData } from '../../../shared/payloads.ts';
import { bundleDaemon } from '../../bundle.ts';
import { programOf } from '../../integration/judging/judging.ts';
import { missingRedis, RedisServer } from '../../redis/server.ts';
import { task } from '../queue/queue-setup.ts';
import { evaluateTask, launcherConformance } from './launcher.ts';
import { Engine, missingEngine } from './launcher-engine.ts';

const redisConfig = (url: string, idleMs: number) =>
  Config.parse({
    task_queue: { provider: 'redis', url },
    worker: { defaults: { idle_timeout: `${idleMs}ms`, isolation: 'container' } },
  });

describe('workers in containers', () => {
  let engine: Engine;
  let redis: RedisServer;
  let bundle: string;
  let plugin: string;
  const workspaces: string[] = [];

  before(async function () {
    const missing = missingEngine() ?? missingRedis();
    if (missing !== undefined) {
      process.stderr.write(`skipped: ${missing}\n`);
      this.skip();
    }
    engine = await Engine.start();
    redis = await RedisServer.start();
    bundle = await mkdtemp(join(tmpdir(), 'peagen-bundle-'));
    await bundleDaemon({ worker: 'daemon/worker/main.ts' }, bundle);
    workspaces.push(bundle);
    plugin = join(bundle, 'plugin');
    await plantEcho(plugin);
    const plugins = (folder: string) => copyPackages([plugin], folder, { workspace: bundle, env: { PEAGEN_PLUGINS: bundle } });
    await buildWorkerImage({ docker: engine.docker, say: () => undefined, bundle, plugins });
  });
  after(async () => {
    await redis?.stop();
    await engine?.stop();
    for (const workspace of workspaces) await rm(workspace, { recursive: true, force: true });
  });

  const open = async (idleMs: number, on = engine, packages: string[] = []) => {
    // A folder of its own is a queue of its own.
    const workspace = await mkdtemp(join(tmpdir(), 'peagen-docker-'));
    workspaces.push(workspace);
    const names = packageNames(packages, workspace, process.env);
    const config = {
      ...redisConfig(redis.url, idleMs),
      ...Config.pick({ plugins: true }).parse({ plugins: { packages: names } }),
    };
    const queue = await (await builtinRegistry().load('queue', 'redis'))(config, workspace);
    const launcher = new DockerLauncher({ config, workspace, env: {}, docker: on.docker });
    const nowhere = new Docker({ socketPath: join(workspace, 'no.sock') });
    return {
      launcher,
      queue,
      config,
      broken: () => new DockerLauncher({ config, workspace, env: {}, docker: nowhere }),
      dispose: async () => {
        await launcher.close();
        await queue.close();
      },
    };
  };
  launcherConformance('docker', open);

  describe('beyond the contract', () => {
    it('leave no container behind', async () => {
      assert.deepEqual(await engine.docker.listContainers({ all: true }), []);
    });

    it('run the handler of a plugin that is in their image', async () => {
      const { launcher, queue, dispose } = await open(60_000, engine, [plugin]);
      const one = task({ kind: 'render', payload: 'to and fro', requires: ['cpu', 'echo'] });
      await queue.enqueue([one]);
      const worker = await launcher.launch(['cpu', 'echo']);
      assert.equal((await queue.waitResult(one.id, { timeoutMs: 60_000 }))?.data, 'to and fro, by echo-a and its dependency');
      assert.equal(exitReasonOf(...(await worker.exited.then(({ code, log }) => [code, log] as const))), 'done');
      await dispose();
    });

    it('have a system call filter, in which bubblewrap makes the sandbox of a candidate', async () => {
      const { launcher, queue, dispose } = await open(60_000);
      const worker = await launcher.launch(['cpu', 'python']);
      const [found] = await engine.docker.listContainers();
      const { State } = await engine.docker.getContainer(found?.Id ?? '').inspect();
      const filters = readFileSync(`/proc/${State.Pid}/status`, 'utf8').match(/^Seccomp\w*:\s*\d/gm);
      assert.deepEqual(filters, ['Seccomp:\t2', 'Seccomp_filters:\t1']);
      const program = programOf('python', 'def work(n):\n    return sum(range(n))\n');
      const basis = {
        evaluator: { name: 'function', options: { entry: { path: 'target.py', fn: 'work' }, calls: [{ args: [50] }] } },
        original: program,
        data: null,
      };
      const payload = { mode: 'basis', program, basis, deterministic: false };
      const one = task({ kind: 'execute', payload, requires: ['cpu', 'python'] });
      await queue.enqueue([one]);
      const { log } = await worker.exited;
      const data = (await queue.waitResult(one.id, { timeoutMs: 5000 }))?.data;
      assert.equal(ExecuteData.safeParse(data).data?.execution.outcome.kind, 'correct', `${JSON.stringify(data)} ${log}`);
      await dispose();
    });

    it('that a dead spawner left are found by the next one', async () => {
      const { launcher, queue, dispose } = await open(60_000);
      const worker = await launcher.launch(['cpu']);
      // As if another process, that has ended, had launched it.
      const [found] = await engine.docker.listContainers();
      assert.ok(found !== undefined);
      const { workspace, ...rest } = { workspace: workspaces.at(-1) ?? '', config: redisConfig(redis.url, 60_000) };
      const request = containerOptions({ id: 'left', caps: ['cpu'], workspace, env: {}, seccomp: 'unconfined', ...rest });
      const orphan = await engine.docker.createContainer({
        ...request,
        Labels: { ...request.Labels, 'peagen.spawner': '999999999' },
      });
      await orphan.start();
      const leftovers = await launcher.leftovers();
      assert.deepEqual(
        leftovers.map(({ id }) => id),
        ['left'],
      );
      for (const left of leftovers) {
        left.kill();
        await left.exited;
      }
      worker.kill();
      await worker.exited;
      assert.deepEqual(await engine.docker.listContainers({ all: true }), []);
      await queue.depth();
      await dispose();
    });

    it('are refused with the command to build their image when it is missing', async () => {
      const { launcher, dispose } = await open(60_000);
      const [repo = '', tag = ''] = workerImage.split(':');
      await engine.docker.getImage(workerImage).tag({ repo: 'peagen-aside', tag });
      await engine.docker.getImage(workerImage).remove();
      try {
        await assert.rejects(launcher.launch(['cpu']), (error: PeagenError) => {
          assert.match(error.line, /^The image \S+ is not there\. .*peagen worker image build/);
          return true;
        });
      } finally {
        const aside = engine.docker.getImage(`peagen-aside:${tag}`);
        await aside.tag({ repo, tag });
        await aside.remove();
        await dispose();
      }
    });

    it('run the image of the Dockerfile where its base can be had', async () => {
      assert.deepEqual(await buildWorkerImage({ docker: engine.docker, say: () => undefined, bundle }), {
        image: workerImage,
        from: 'local',
      });
      await standInBase();
      try {
        const said: string[] = [];
        const built = await buildWorkerImage({ docker: engine.docker, say: (line) => said.push(line), bundle });
        assert.deepEqual([built, said], [{ image: workerImage, from: 'dockerfile' }, []]);
        const { launcher, dispose } = await open(200);
        const worker = await launcher.launch(['cpu']);
        const { code, log } = await worker.exited;
        assert.deepEqual([code, /worker exit: idle/.test(log)], [0, true], log);
        await dispose();
      } finally {
        await engine.docker.getImage(base).remove({ force: true });
      }
    });

    const base = 'node:24-bookworm-slim';

    /** Under the name of the real base, which only a registry has: this machine's programs, and an apt-get that has nothing to do. */
    async function standInBase(): Promise<void> {
      const context = await mkdtemp(join(tmpdir(), 'peagen-base-'));
      workspaces.push(context);
      for (const tool of ['apt-get', 'useradd', 'rm']) await writeFile(join(context, tool), '#!/bin/sh\n', { mode: 0o755 });
      await writeFile(
        join(context, 'Dockerfile'),
        `FROM ${workerImage}\nUSER 0\nCOPY apt-get useradd rm /usr/bin/\nENTRYPOINT []\n`,
      );
      const sent = spawn('tar', ['-C', context, '-cf', '-', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
      const log = await engine.docker.buildImage(sent.stdout, { t: base });
      await new Promise((resolve, reject) => {
        engine.docker.modem.followProgress(log, (failure: Error | null) =>
          failure === null ? resolve(undefined) : reject(failure),
        );
      });
    }

    it('run a task with Podman, which may set lower limits and have no init', async function () {
      const missing = missingEngine('podman');
      if (missing !== undefined) {
        process.stderr.write(`skipped: ${missing}\n`);
        this.skip();
      }
      const podman = await Engine.start('podman');
      try {
        await buildWorkerImage({ docker: podman.docker, say: () => undefined, bundle });
        const { launcher, queue, dispose } = await open(60_000, podman);
        const task = evaluateTask();
        await queue.enqueue([task]);
        const worker = await launcher.launch(['cpu']);
        assert.equal((await queue.waitResult(task.id, { timeoutMs: 60_000 }))?.status, 'ok');
        const { code, log } = await worker.exited;
        assert.deepEqual([code, exitReasonOf(code, log)], [0, 'done']);
        assert.deepEqual(await podman.docker.listContainers({ all: true }), []);
        await dispose();
      } finally {
        await podman.stop();
      }
    });

    it('are launched again when the engine is back', async () => {
      const { launcher, dispose } = await open(60_000);
      await engine.down();
      await assert.rejects(launcher.launch(['cpu']), /does not answer/);
      await engine.up();
      const worker = await launcher.launch(['cpu']);
      worker.kill();
      await worker.exited;
      await dispose();
    });

    function request(caps: string[] = ['cpu'], env: NodeJS.ProcessEnv = {}) {
      const llm = { backends: [{ name: 'a', model: 'm', preset: 'openai' }] };
      const config = Config.parse({ task_queue: { provider: 'redis', url: redis.url }, llm });
      return { id: 'x', caps, config, workspace: '/work', env, seccomp: '' };
    }

    it('get keys only with the llm tag', () => {
      const env = { OPENAI_API_KEY: 'hush', OTHER: 'hush' };
      assert.ok(!JSON.stringify(containerOptions(request(['cpu'], env))).includes('hush'));
      const { Env = [] } = containerOptions(request(['cpu', 'llm'], env));
      assert.deepEqual(
        Env.filter((line) => line.includes('hush')),
        ['OPENAI_API_KEY=hush'],
      );
    });
  });
});

/** A package with a handler, and with a package that it depends on. */
async function plantEcho(folder: string): Promise<void> {
  const dependency = join(folder, 'node_modules', 'echo-b');
  await mkdir(dependency, { recursive: true });
  const write = async (where: string, description: object, code: string) => {
    await writeFile(join(where, 'package.json'), JSON.stringify({ version: '1.0.0', type: 'module', ...description }));
    await writeFile(join(where, 'index.js'), code);
  };
  const peagen = { api: 1, handlers: { echo: './index.js' } };
  await write(dependency, { name: 'echo-b', main: 'index.js' }, "export const by = 'echo-a and its dependency';\n");
  await write(
    folder,
    { name: 'echo-a', dependencies: { 'echo-b': '1.0.0' }, peagen },
    `import { by } from 'echo-b';
export default {
  make: () => ({
    ...{ kind: 'render', name: 'echo', version: '1', provides: ['cpu', 'echo'] },
    accepts: () => true,
    handle: async ({ payload }) => ({ status: 'ok', data: \`\${payload}, by \${by}\` }),
  }),
};
`,
  );
}
