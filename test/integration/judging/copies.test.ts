/** Which folders of a machine an evaluation gets to see, and that copying them ends with its task. */
import assert from 'node:assert/strict';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createExecuteHandler } from '../../../daemon/handlers/execute.ts';
import { copyOf, shownAt } from '../../../daemon/judging/copies/copy.ts';
import { copySmall, smallEntries } from '../../../daemon/judging/copies/small.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { Task } from '../../../shared/task.ts';

const program = { language: 'python', files: [{ path: 'a.py', text: 'x = 1\n' }], spans: [{ path: 'a.py', start: 0, end: 5 }] };
const { signal } = new AbortController();

describe('the copies of a folder', () => {
  let place: string;
  let root: string;
  beforeEach(async () => {
    place = await realpath(await mkdtemp(join(tmpdir(), 'peagen-copies-')));
    root = join(place, 'project');
    await mkdir(root);
    await mkdir(join(place, '.ssh'));
    await writeFile(join(place, '.ssh', 'id_rsa'), 'secret');
    await writeFile(join(root, 'own.txt'), 'own');
  });
  afterEach(async () => {
    delete process.env['PEAGEN_ALLOW_FOLDERS'];
    await rm(place, { recursive: true, force: true });
  });

  for (const name of ['.venv', 'node_modules']) {
    it(`show nothing outside of the workspace through its own link ${name}, until the user allows it`, async () => {
      await symlink('../.ssh', join(root, name));
      await assert.rejects(copyOf(root, program, { signal }), {
        code: 'untrusted',
        message: new RegExp(`${name} leads out of the workspace`),
        hint: new RegExp(`peagen config allow ${place}/.ssh`),
      });
      process.env['PEAGEN_ALLOW_FOLDERS'] = join(place, '.ssh');
      await using copy = await copyOf(root, program, { signal });
      assert.ok(copy.mounts.some(({ from }) => from === join(place, '.ssh')));
    });
  }

  it('follow a link to another place of the same repository', async () => {
    await mkdir(join(place, '.git'));
    await mkdir(join(place, 'node_modules'));
    await symlink('../node_modules', join(root, 'node_modules'));
    await using copy = await copyOf(root, program, { signal });
    assert.ok(copy.mounts.some(({ from }) => from === join(place, 'node_modules')));
  });

  for (const folder of ['/proc/self', '/sys', '/dev', '/']) {
    it(`are not made of ${folder}`, async function () {
      if (process.platform !== 'linux') return this.skip();
      await assert.rejects(copyOf(folder, program, { signal }), { code: 'invalid_input', message: /it is a part of the system/ });
      const tier = { name: 'any', unavailable: async () => undefined, open: () => assert.fail('opened') };
      await assert.rejects(shownAt('/x', folder, tier, signal), { code: 'invalid_input' });
    });
  }

  it('of a private folder are shared by all that only look, until the folder changes', async function () {
    if (process.getuid?.() !== 0 || process.platform !== 'linux') return this.skip();
    await chmod(root, 0o700);
    const tier = { name: 'any', foreign: true, unavailable: async () => undefined, open: () => assert.fail('opened') };
    await using one = await shownAt('/x', root, tier, signal);
    await using two = await shownAt('/x', root, tier, signal);
    assert.equal(one.folder, two.folder);
    assert.deepEqual([one.mounts[0]?.writable, (await stat(one.folder)).mode & 0o777], [undefined, 0o700]);
    await writeFile(join(root, 'own.txt'), 'changed');
    await using three = await shownAt('/x', root, tier, signal);
    assert.equal(await readFile(join(three.folder, 'own.txt'), 'utf8'), 'changed');
    assert.equal(await readFile(join(one.folder, 'own.txt'), 'utf8'), 'own');
  });

  it('of a few files are like the originals: permissions, links and times', async () => {
    await mkdir(join(root, 'bin'), { mode: 0o750 });
    await writeFile(join(root, 'bin', 'tool'), 'x', { mode: 0o755 });
    await symlink('bin/tool', join(root, 'link'));
    await utimes(join(root, 'own.txt'), 1000, 2000);
    const entries = smallEntries(root);
    assert.ok(entries);
    const target = join(place, 'target');
    await mkdir(target);
    copySmall(root, target, entries, process.getuid?.() ?? 0);
    assert.equal(await readlink(join(target, 'link')), 'bin/tool');
    assert.equal((await stat(join(target, 'bin', 'tool'))).mode & 0o777, 0o755);
    assert.equal((await stat(join(target, 'bin'))).mode & 0o777, 0o750);
    assert.equal((await stat(join(target, 'own.txt'))).mtimeMs, 2_000_000);
    for (let i = 0; i < 60; i++) await writeFile(join(root, `f${i}`), '');
    assert.equal(smallEntries(root), undefined);
  });

  it('end with their task, and leave nothing behind', async () => {
    for (let i = 0; i < 2000; i++) await writeFile(join(root, `f${i}`), 'x'.repeat(1000));
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = join(place, 'tmp');
    await mkdir(join(place, 'tmp'));
    try {
      const task = new AbortController();
      const copying = copyOf(root, program, { signal: task.signal });
      task.abort(new Error('the lease was lost'));
      await assert.rejects(copying, { message: 'the lease was lost' });
      const left = async () => (await readdir(join(place, 'tmp'))).filter((name) => name.startsWith('peagen-'));
      while ((await left()).length > 0) await new Promise((resolve) => setImmediate(resolve));
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });

  describe('for a task of a shared queue', () => {
    const handle = (payload: object, cwd: string) => {
      const config = Config.parse({ task_queue: { provider: 'redis', url: 'redis://127.0.0.1:9' } });
      const created_at = new Date().toISOString();
      const task: Task = { kind: 'execute', id: newTaskId(), payload, requires: ['cpu'], attempts: 0, created_at, schema_v: 1 };
      const context = { workerId: 'w', signal, log: createLog({ level: 'silent' }), config, registry: builtinRegistry() };
      const before = process.cwd();
      process.chdir(cwd);
      return createExecuteHandler('execute', [])
        .handle(task, context)
        .finally(() => process.chdir(before));
    };
    const common = { mode: 'alone', program, deterministic: false };
    const basis = (evaluator: object) => ({ evaluator, original: program, data: null });

    it('are refused outside of the workspace of the host: by the folder of the command, and by that of the check', async () => {
      const home = await mkdtemp(join(place, 'host-'));
      const command = { name: 'command', options: { root: join(place, '.ssh'), command: 'cat id_rsa' } };
      const refused = { code: 'untrusted', message: /names the folder .*, which is not in the workspace of this host/ };
      await assert.rejects(handle({ ...common, basis: basis(command) }, home), refused);
      const check = { command: 'cat id_rsa', root: join(place, '.ssh') };
      await assert.rejects(handle({ ...common, basis: basis({ name: 'function', options: {} }), check }, home), refused);
      await symlink(join(place, '.ssh'), join(home, 'inside'));
      const linked = { name: 'command', options: { root: join(home, 'inside'), command: 'cat id_rsa' } };
      await assert.rejects(handle({ ...common, basis: basis(linked) }, home), refused);
    });

    it('are made of folders in its workspace, and of those that its user allows', async () => {
      const command = { name: 'command', options: { root, command: 'cat own.txt' } };
      await handle({ ...common, basis: basis(command) }, place);
      const home = await mkdtemp(join(place, 'host-'));
      process.env['PEAGEN_ALLOW_FOLDERS'] = root;
      await handle({ ...common, basis: basis(command) }, home);
    });
  });
});
