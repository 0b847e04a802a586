/** Hosts that share nothing with the submitter but the queue: other folders, another user, and a workspace they cannot read. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TaskClient } from '../../../daemon/engine/task-client.ts';
import { namedExecuteTask } from '../../../daemon/engine/tasks.ts';
import { isRoot } from '../../../daemon/executors/reach.ts';
import { LocalFabric } from '../../../daemon/fabric/local-fabric.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import type { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import { ExecuteData, type ExecutePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { Task } from '../../../shared/task.ts';
import { startHost } from '../../redis/host.ts';
import { RedisServer, requireRedis } from '../../redis/server.ts';
import { programOf } from '../judging/judging.ts';
import { until } from './worker-fabric.ts';

const HOSTS = 3;
const BURST = 48;
/** A user that no machine has: it owns no file of the workspace. */
const STRANGER = 41_234;
const NAME = 'any/machine';

const original = 'def total(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n';
const faster = 'def total(n):\n    return n * (n - 1) // 2\n';
const wrong = 'def total(n):\n    return n\n';

const files: Readonly<Record<string, string>> = {
  'target.py': original,
  'helper.py': 'EXPECTED = 2999 * 3000 // 2\n',
  'data/limit.txt': '3000',
  'check.sh': '#!/bin/sh\npython3 -m py_compile target.py && ./data/tool\n',
  'data/tool': '#!/bin/sh\ntest -f target.py\n',
  'test_target.py':
    'import unittest\nfrom helper import EXPECTED\nfrom target import total\nclass T(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(total(int(open("data/link.txt").read())), EXPECTED)\n',
  'evaluator.py':
    'import importlib.util, pathlib\nHERE = pathlib.Path(__file__).parent\ndef evaluate(program_path):\n    spec = importlib.util.spec_from_file_location("program", program_path)\n    module = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(module)\n    n = int((HERE / "data" / "limit.txt").read_text())\n    return {"combined_score": float(module.total(n))}\n',
};

describe('hosts without the workspace', () => {
  let server: RedisServer;
  let workspace: string;
  const others: string[] = [];
  const hosts: ChildProcess[] = [];
  const fabrics: LocalFabric[] = [];

  before(async function () {
    requireRedis(this);
    server = await RedisServer.start();
    workspace = await mkdtemp(join(tmpdir(), 'peagen-submitter-'));
    await mkdir(join(workspace, 'data'));
    for (const [path, text] of Object.entries(files)) await writeFile(join(workspace, path), text);
    for (const path of ['check.sh', 'data/tool']) await chmod(join(workspace, path), 0o755);
    await symlink('limit.txt', join(workspace, 'data', 'link.txt'));
    await chmod(workspace, 0o700);
  });
  afterEach(async () => {
    for (const host of hosts.splice(0)) host.kill('SIGKILL');
    for (const fabric of fabrics.splice(0)) await fabric.close();
    const client = server.client();
    await client.flushall();
    client.disconnect();
  });
  after(async () => {
    await server?.stop();
    for (const folder of [workspace, ...others]) if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function startOne(): Promise<void> {
    const place = await mkdtemp(join(tmpdir(), 'peagen-elsewhere-'));
    others.push(place);
    if (isRoot) await chown(place, STRANGER, STRANGER);
    const options = { args: ['--concurrency', '2'], ...(isRoot ? { uid: STRANGER } : {}) };
    hosts.push(await startHost({ url: server.url, workspace: NAME }, place, options));
  }

  /** One that runs nothing by itself where the queue is shared. */
  async function submitter(shared: boolean): Promise<{ client: TaskClient; fabric: LocalFabric }> {
    const queue = { provider: 'redis', url: server.url, workspace: NAME };
    const config = Config.parse(shared ? { task_queue: queue, worker: { defaults: { caps_only: ['llm'] } } } : {});
    const log = createLog({ level: 'silent' });
    const fabric = await LocalFabric.open({ config, registry: builtinRegistry(), log, workspace });
    fabrics.push(fabric);
    return { fabric, client: new TaskClient(fabric) };
  }

  const { signal } = new AbortController();
  const programOfText = (text: string): Program => programOf('python', text);
  const evaluators = (root: string) => ({
    command: { name: 'command', options: { command: 'python3 -m unittest -q', root, metrics: [] } },
    openevolve: { name: 'openevolve', options: { root } },
    function: {
      name: 'function',
      options: { entry: { path: 'target.py', fn: 'total' }, calls: [{ args: [50] }, { args: [7] }] },
    },
  });
  type Kind = keyof ReturnType<typeof evaluators>;

  const executeTask = (key: string, name: string, payload: Partial<ExecutePayload> & Pick<ExecutePayload, 'basis' | 'program'>) =>
    namedExecuteTask(
      { key },
      name,
      {
        mode: 'candidate',
        deterministic: true,
        effort: 'quick',
        check: { command: './check.sh', root: workspace },
        ...payload,
      } as ExecutePayload,
      ['python'],
    );
  const judgedBy = async (client: TaskClient, kind: Kind, texts: readonly string[]) => {
    const key = newTaskId();
    const run = async (task: Task) => ExecuteData.parse(await client.run(task, signal));
    const basis = { evaluator: evaluators(workspace)[kind], original: programOfText(original), data: null };
    const prepared = await run(executeTask(key, 'basis', { mode: 'basis', program: basis.original, basis }));
    assert.ok(prepared.basis);
    const judged = texts.map((text, at) => {
      assert.ok(prepared.basis);
      return run(executeTask(key, `candidate-${at}`, { program: programOfText(text), basis: prepared.basis }));
    });
    return { basis: prepared.basis, executions: (await Promise.all(judged)).map(({ execution }) => execution) };
  };

  it('give what the submitter itself gives, for a command, an evaluator folder, a function and a check', async () => {
    await startOne();
    const [here, there] = [await submitter(false), await submitter(true)];
    const unparsed = 'def total(n):\n    return (\n';
    for (const kind of ['command', 'openevolve', 'function'] as const) {
      const texts = [faster, wrong, unparsed];
      const local = await judgedBy(here.client, kind, texts);
      const remote = await judgedBy(there.client, kind, texts);
      const shown = ({ executions }: typeof local) =>
        executions.map(({ outcome, metrics }) => [outcome.kind, metrics['combined_score'] ?? 0]);
      assert.deepEqual(shown(remote), shown(local), kind);
      assert.deepEqual(remote.basis.evaluator.options['root'], local.basis.evaluator.options['root'], 'the path is ours again');
      assert.equal(remote.executions[2]?.outcome.kind, 'invalid', 'the check ran first');
    }
  });

  it('work off a burst together, with a depth that falls and no path of the submitter in any task', async () => {
    const { client, fabric } = await submitter(true);
    const redis = server.client();
    const basis = { evaluator: evaluators(workspace).openevolve, original: programOfText(original), data: null };
    const key = newTaskId();
    const tasks = Array.from({ length: BURST }, (_, at) =>
      executeTask(key, `burst-${at}`, { mode: 'alone', program: programOfText(`# ${at}\n${original}`), basis }),
    );
    const workers = new Map<string, string | undefined>();
    fabric.collector.on((result) => void workers.set(result.task_id, result.worker_id));
    const running = Promise.all(tasks.map(async (task) => ExecuteData.parse(await client.run(task, signal))));
    const waiting = async () => (await fabric.queue.depth()).pending;
    await until('all wait', async () => (await waiting()) === BURST);
    for (const entries of await Promise.all(
      (await redis.keys(`peagen:{${NAME}}:lane:*`)).map((lane) => redis.xrangeBuffer(lane, '-', '+')),
    )) {
      assert.ok(entries.length > 0);
      assert.ok(!Buffer.concat(entries.flatMap(([, fields]) => fields)).includes(workspace));
    }
    redis.disconnect();
    // Workers of builds that know no folders have no such tag, and claim none of these.
    assert.deepEqual(Object.keys((await fabric.queue.depth()).byLane), ['execute/cpu+folders+python']);
    await Promise.all(Array.from({ length: HOSTS }, startOne));
    const depths: number[] = [];
    const done = running.finally(() => depths.push(0));
    while (depths.at(-1) !== 0) depths.push(await waiting());
    for (const { execution } of await done) {
      assert.deepEqual(
        [execution.outcome.kind, execution.metrics['combined_score']],
        ['correct', 4_498_500],
        execution.outcome.detail,
      );
    }
    assert.deepEqual(
      depths,
      depths.toSorted((a, b) => b - a),
      'the depth only falls',
    );
    assert.equal(workers.size, BURST);
    const { dead } = await fabric.queue.depth();
    assert.equal(dead, 0);
  });

  it('say in the submitter’s own words what is wrong with its folder', async () => {
    await startOne();
    const { client } = await submitter(true);
    const basis = {
      evaluator: { name: 'command', options: { command: 'false', root: workspace, metrics: [] } },
      original: programOfText(original),
      data: null,
    };
    const asked = client.run(executeTask(newTaskId(), 'basis', { mode: 'basis', program: basis.original, basis }), signal);
    await assert.rejects(asked, (error: PeagenError) => {
      assert.equal(error.code, 'original_fails');
      assert.ok(error.message.includes(`succeed in ${workspace} first`) || error.hint?.includes(workspace), error.line);
      assert.ok(!/sha256:|elsewhere/.test(error.line), error.line);
      return true;
    });
  });
});
