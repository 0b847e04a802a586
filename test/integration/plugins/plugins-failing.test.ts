/** Parts of plugins that throw or hang: each is named in one line, ends its own task or question alone, and nothing else. */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { samplesDir } from '../../../daemon/assets.ts';
import { workerClasses } from '../../../daemon/fabric/spawner/worker-classes.ts';
import { StubQueue } from '../../../daemon/fabric/stub/stub-queue.ts';
import { openWorkers, type Workers } from '../../../daemon/fabric/workers.ts';
import { openRegistry } from '../../../daemon/plugins/packages.ts';
import type { Registry } from '../../../daemon/registry.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Task } from '../../../shared/task.ts';
import { builtScript } from '../../built.ts';
import { evaluateTask } from '../../conformance/launchers/launcher.ts';
import { task } from '../../conformance/queue/queue-setup.ts';
import { runPeagen } from '../../peagen.ts';
import { programOf } from '../judging/judging.ts';

const HANG = '(() => { for (;;); })()';
/** Hangs as well, and leaves the processors to the tests next to this one. */
const WAIT = '(() => { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); })()';
const THROW = '(() => { throw new Error("bang"); })()';
/** A module whose part has this body; NAME is what the manifest calls it. */
const part = (body: string) => `export default { make: (_options, { name: NAME }) => (${body}) };\n`;
const mutator = (does: string) => part(`{ name: NAME, requires: [], mutate: async () => ${does} }`);
const evaluator = (parse: string, prepare: string) =>
  part(
    `{ name: NAME, metric: 'score', requires: () => [], parse: () => ${parse}, prepare: async () => ${prepare}, judge: async () => 0 }`,
  );
const feature = (does: string) => part(`{ name: NAME, unit: '', value: () => ${does} }`);
const queue = (does: string) => part(does);

const modules: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  mutators: {
    'mutator-hangs': mutator(HANG),
    'mutator-throws': mutator(THROW),
    'mutator-shapeless': part("{ name: NAME, requires: 'llm' }"),
    'mutator-unmade': part(THROW),
  },
  evaluators: {
    'evaluator-hangs': evaluator('undefined', WAIT),
    'evaluator-throws': evaluator('undefined', THROW),
    'evaluator-hangs-early': evaluator(WAIT, '0'),
    'evaluator-throws-early': evaluator(THROW, '0'),
  },
  features: { 'feature-hangs': feature(WAIT), 'feature-throws': feature(THROW) },
  queues: {
    'queue-throws': queue('Promise.reject(new Error("no server"))'),
    'queue-hangs': queue(`new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : () => ${WAIT}) })`),
    'queue-hangs-early': `${WAIT};\n${queue('{}')}`,
  },
};

describe('a part of a plugin', () => {
  let folder: string;
  let config: Config;
  let registry: Registry;
  let tasks: StubQueue;
  let workers: Workers;
  const usual = process.env['PEAGEN_PLUGINS'];

  before(async () => {
    // A build in this process would let it stand still, which the plugins in it are blamed for.
    builtScript('cli');
    folder = await mkdtemp(join(tmpdir(), 'peagen-failing-'));
    const place = join(folder, 'node_modules', 'failing');
    await mkdir(place, { recursive: true });
    const peagen: Record<string, unknown> = { api: 1 };
    for (const [kind, codes] of Object.entries(modules)) {
      peagen[kind] = Object.fromEntries(Object.keys(codes).map((name) => [name, `./${name}.js`]));
      for (const [name, code] of Object.entries(codes)) await writeFile(join(place, `${name}.js`), code);
    }
    await writeFile(join(place, 'package.json'), JSON.stringify({ name: 'failing', version: '1.0.0', type: 'module', peagen }));
    // The operator of this machine has put it there.
    process.env['PEAGEN_PLUGINS'] = folder;
    const defaults = { plugin_timeout: '5s' };
    config = Config.parse({ plugins: { packages: ['failing'] }, task_queue: { max_retry: 0 }, worker: { defaults } });
    registry = await openRegistry(config, folder);
    assert.deepEqual(registry.problems, []);
    tasks = new StubQueue({ leaseMs: 30_000, maxRetry: 0, retryDelayMs: 20 });
    const log = createLog({ level: 'silent' });
    const classes = workerClasses(['cpu', 'python'], config, 2);
    workers = await openWorkers({ queue: tasks, config, registry, log, workspace: folder, classes });
    workers.start();
  });
  after(async () => {
    await workers.close({ drainMs: 0 });
    await tasks.close();
    await rm(folder, { recursive: true, force: true });
    if (usual === undefined) delete process.env['PEAGEN_PLUGINS'];
    else process.env['PEAGEN_PLUGINS'] = usual;
  });

  const messageOf = async (one: Task): Promise<string> => {
    await tasks.enqueue([one]);
    const result = await tasks.waitResult(one.id, { timeoutMs: 60_000 });
    assert.equal(result?.status, 'error', JSON.stringify(result));
    return z.object({ message: z.string() }).parse(result?.data).message;
  };
  const original = programOf('python', 'def f():\n    return 1\n');
  const mutate = (name: string): Task => {
    const parent = { sha256: '0'.repeat(64), program: original, metrics: {} };
    return task({ kind: 'mutate', payload: { mutator: name, seed: 1, original, parent, inspirations: [] } });
  };
  const execute = (name: string): Task => {
    const basis = { evaluator: { name, options: {} }, original, data: null };
    return task({ requires: ['cpu', 'python'], payload: { mode: 'basis', program: original, basis, deterministic: true } });
  };
  const score = (name: string): Task => {
    const axes = [{ name, bin: 1, unit: '' }];
    const metrics = { speedup: 1 };
    const execution = { outcome: { kind: 'correct', detail: '' }, metrics, artifacts: {} };
    return task({
      kind: 'evaluate',
      payload: { execution, program: original, scoring: { axes, metric: 'speedup', generation: 0 } },
    });
  };

  for (const [kind, make] of [
    ['mutator', mutate],
    ['evaluator', execute],
    ['feature', score],
  ] as const) {
    it(`that hangs in a task ends it after its time limit: ${kind}`, async () => {
      const name = `${kind}-hangs`;
      assert.match(
        await messageOf(make(name)),
        new RegExp(`^The ${kind} "${name}" of failing@1\\.0\\.0 did not end within 5 s\\.$`),
      );
    });

    it(`that throws in a task fails it: ${kind}`, async () => {
      const name = `${kind}-throws`;
      assert.match(await messageOf(make(name)), new RegExp(`^The ${kind} "${name}" of failing@1\\.0\\.0: bang`));
    });
  }

  it('that hangs or throws when the daemon asks it is named, in bounded time', async () => {
    const spec = { name: '', options: {} };
    const load = async (name: string) => (await registry.load('evaluator', name))(config);
    const hanging = await load('evaluator-hangs-early');
    assert.throws(
      () => hanging.parse(spec),
      /^PeagenError: The evaluator "evaluator-hangs-early" of failing@1\.0\.0 gave no answer within 2 s\.$/,
    );
    const throwing = await load('evaluator-throws-early');
    assert.throws(() => throwing.parse(spec), /The evaluator "evaluator-throws-early" of failing@1\.0\.0 failed: bang$/);
    assert.deepEqual(throwing.requires('python'), []);
  });

  it('that cannot be made, or does not have the shape of its kind, is named', async () => {
    const [unmade, shapeless] = [
      await registry.load('mutator', 'mutator-unmade'),
      await registry.load('mutator', 'mutator-shapeless'),
    ];
    assert.throws(() => unmade(config), /The mutator "mutator-unmade" of failing@1\.0\.0 cannot be made: bang$/);
    assert.throws(
      () => shapeless(config),
      /The mutator "mutator-shapeless" of failing@1\.0\.0 does not have the shape of its kind/,
    );
    const open = await registry.load('queue', 'queue-throws');
    await assert.rejects(open(config, folder), /The queue "queue-throws" of failing@1\.0\.0 cannot be opened: no server$/);
  });

  it('that hangs when it is imported is named before the daemon imports it', async () => {
    const { code, message } = PeagenError.from(
      await registry.load('queue', 'queue-hangs-early').catch((caught: unknown) => caught),
    );
    assert.equal(code, 'timeout');
    assert.equal(message, 'The queue "queue-hangs-early" of failing@1.0.0 gave no answer within 10 s.');
  });

  it('that works in the daemon and lets it stand still is named in its log, and the daemon ends', async () => {
    await writeFile(join(folder, '.peagen.toml'), '[plugins]\npackages = ["failing"]\n[task_queue]\nprovider = "queue-hangs"\n');
    await cp(join(samplesDir, 'bad_sort', 'bad_sort.py'), join(folder, 'bad_sort.py'));
    const target = ['--target-file', 'bad_sort.py', '--entry-fn', 'bad_sort', '--inputs', '[[[3,1,2]]]', '--no-derive'];
    const { status, stderr } = await runPeagen(['evolve', 'run', ...target], folder);
    assert.equal(status, 1, stderr);
    assert.match(stderr, /The daemon ended before it answered\./);
    const { stdout } = await runPeagen(['daemon', 'logs'], folder);
    assert.match(
      stdout,
      /This process stood still for 15 s and ends\. These plugins work in it: queue "queue-hangs" of failing@1\.0\.0\./,
    );
  });

  it('leaves everything else at work', async () => {
    const one = evaluateTask();
    await tasks.enqueue([one]);
    assert.equal((await tasks.waitResult(one.id, { timeoutMs: 60_000 }))?.status, 'ok');
  });
});
