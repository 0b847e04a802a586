/** The worked examples of plugins, built and tested as their authors would, and then used by commands. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { openRegistry } from '../../../daemon/plugins/packages.ts';
import type { Server } from '../../../media/examples/plugins/postgres-queue/test/server.ts';
import { Config } from '../../../shared/config.ts';
import { builtPackage } from '../../built.ts';
import { evaluateTask } from '../../conformance/launchers/launcher.ts';
import { runPeagen } from '../../peagen.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const needed = ['zod', 'pg', 'msgpackr', 'mocha', 'typescript', '@types/mocha', '@types/node', '@types/pg'];
const ServerModule = z.object({ Server: z.custom<typeof Server>((value) => typeof value === 'function' && 'start' in value) });

describe('the worked examples of plugins', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  const at = (name: string) => join(folder, name);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-examples-'));
    // The operator of this machine has put them there.
    env = { ...process.env, PEAGEN_PLUGINS: folder };
    await cp(join(root, 'media', 'examples', 'plugins'), folder, {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path),
    });
    const modules = at('node_modules');
    await mkdir(modules);
    await symlink(builtPackage(), join(modules, 'peagen'));
    for (const name of needed) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(root, 'node_modules', name), join(modules, name));
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const build = async (name: string): Promise<string> => {
    const path = `${join(root, 'node_modules', '.bin')}:${process.env['PATH']}`;
    const { stdout } = await run('npm', ['test'], { cwd: at(name), env: { ...env, PATH: path } }).catch((caught) => caught);
    return stdout;
  };
  const evolve = (...args: string[]) => {
    const inputs = [
      '--inputs',
      '[[[3,1,2]],[[2,2,1]]]',
      '--no-derive',
      '--no-confirm',
      '--generations',
      '2',
      '--population',
      '2',
      '--seed',
      '1',
    ];
    return runPeagen(
      ['evolve', 'run', '--target-file', 'twice.py', '--entry-fn', 'twice', ...inputs, '--sync', '--json', ...args],
      at('ws'),
      env,
    );
  };
  const workspaceWith = async (...packages: string[]) => {
    await mkdir(at('ws'), { recursive: true });
    await writeFile(join(at('ws'), 'twice.py'), 'def twice(a):\n    b = list(sorted(sorted(a)))\n    return b\n');
    await writeFile(join(at('ws'), '.peagen.toml'), `[plugins]\npackages = ${JSON.stringify(packages.map(at))}\n`);
  };

  it('mutator: passes its suite, and a run makes candidates with it', async () => {
    assert.match(await build('idioms-mutator'), /7 passing/);
    await workspaceWith('idioms-mutator');
    const { status, stderr, lastJson } = await evolve('--mutator', 'idioms');
    assert.equal(status, 0, stderr);
    assert.ok(z.object({ candidates: z.number().min(1) }).safeParse(lastJson).success, JSON.stringify(lastJson));
  });

  it('selector with feedback: passes its suite, and a run selects with it', async () => {
    assert.match(await build('softmax-selector'), /8 passing/);
    await workspaceWith('softmax-selector');
    const { status, stderr } = await evolve('--selector', 'softmax', '--mutator', 'structural');
    assert.equal(status, 0, stderr);
  });

  it('task queue over PostgreSQL: passes its suite, and serves hosts and commands', async () => {
    assert.match(await build('postgres-queue'), /55 passing/);
    const module = ServerModule.parse(await import(pathToFileURL(join(at('postgres-queue'), 'dist', 'test', 'server.js')).href));
    const server = await module.Server.start();
    const config = Config.parse({
      task_queue: { provider: 'postgres', url: server.url, workspace: 'team/examples' },
      plugins: { packages: [at('postgres-queue')] },
    });
    const queue = await (await (await openRegistry(config, folder, { env })).load('queue', 'postgres'))(config, folder);
    try {
      const host = at('host');
      await mkdir(host);
      const { provider, url, workspace } = config.task_queue;
      const table = Object.entries({ provider, url, workspace }).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
      const packages = `[plugins]\npackages = ${JSON.stringify(config.plugins.packages)}\n`;
      await writeFile(join(host, '.peagen.toml'), `[task_queue]\n${table.join('')}${packages}`);
      const tasks = Array.from({ length: 6 }, evaluateTask);
      await queue.enqueue(tasks);
      const waiting = await runPeagen(['queue', 'depth', '--json'], host, env);
      assert.equal(z.object({ pending: z.number() }).parse(waiting.lastJson).pending, 6, waiting.stderr);
      const served = runPeagen(['worker', 'start', '--caps', 'cpu', '--exit-after-idle', '1s', '--json'], host, env);
      for (const { id } of tasks) assert.equal((await queue.waitResult(id, { timeoutMs: 60_000 }))?.status, 'ok');
      const { status, stderr, lastJson } = await served;
      assert.equal(status, 0, stderr);
      assert.deepEqual(z.object({ stopped: z.string(), exits: z.object({ done: z.number() }) }).parse(lastJson), {
        stopped: 'idle',
        exits: { done: 6 },
      });
    } finally {
      await queue.close();
      await server.stop();
    }
  });
});
