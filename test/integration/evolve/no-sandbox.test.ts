/** A machine without any sandbox: what still runs there, with which words, and what never does. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { access, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandboxes } from '../../../daemon/executors/open.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { Config } from '../../../shared/config.ts';
import { runPeagen } from '../../peagen.ts';

const sample = join(import.meta.dirname, '..', '..', '..', 'media', 'samples', 'bad_sort');

describe('a machine without a sandbox', () => {
  let folder: string;
  let env: NodeJS.ProcessEnv;
  before(async function () {
    if (process.platform !== 'linux') this.skip();
    folder = await mkdtemp(join(tmpdir(), 'peagen-bare-'));
    const bin = join(folder, 'bin');
    await mkdir(bin);
    for (const name of ['python3', 'setpriv', 'sh', 'env']) {
      await symlink(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(bin, name));
    }
    env = { ...process.env, PATH: bin, DOCKER_HOST: `unix://${folder}/no-engine.sock` };
  });
  after(async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  /** A candidate that leaves a file when it runs, wherever it may write. */
  const spy = async () => {
    const mark = join(folder, 'it-ran');
    await rm(mark, { force: true });
    await writeFile(
      join(folder, 'changed.py'),
      `open(${JSON.stringify(mark)}, "w").close()\ndef bad_sort(items):\n    return None\n`,
    );
    const ran = () =>
      access(mark).then(
        () => true,
        () => false,
      );
    return ran;
  };
  const judge = (more: NodeJS.ProcessEnv = {}, ...args: string[]) =>
    runPeagen(['judge', sample, '--candidate', 'changed.py', '--sync', '--no-derive', ...args], folder, { ...env, ...more });

  it('never runs the candidate of "peagen judge", and names the package to install', async () => {
    const ran = await spy();
    const { status, stderr } = await judge();
    assert.equal(status, 1);
    assert.match(stderr, /^peagen: No sandbox can be used, so the code is not run: .*install bubblewrap.*\n$/);
    assert.equal(await ran(), false);
  });

  it('runs it without one when the user says so on the command line or in the environment, with a warning each time', async () => {
    const ran = await spy();
    const byName = [await judge({ PEAGEN__EVALUATE__SANDBOX: 'plain' }), await judge({}, '--sandbox', 'plain')];
    for (const { stderr } of byName) assert.match(stderr, /warning: Candidates run WITHOUT a sandbox/);
    assert.equal(await ran(), true);
  });

  it('searches with offline mutators, with a warning', async () => {
    const { status, stderr } = await runPeagen(
      [
        'evolve',
        'run',
        sample,
        '--sync',
        '--no-derive',
        '--no-confirm',
        '--deterministic',
        '--generations',
        '1',
        '--population',
        '2',
        '--seed',
        '1',
      ],
      folder,
      env,
    );
    assert.equal(status, 0, stderr);
    assert.match(stderr, /warning: Candidates run WITHOUT a sandbox/);
  });

  it('does not search with the programs of a model', async () => {
    const backends = JSON.stringify([{ name: 'm', model: 'm', base_url: 'http://127.0.0.1:9/v1' }]);
    const { status, stderr } = await runPeagen(
      ['evolve', 'run', sample, '--sync', '--no-derive', '--generations', '1', '--mutator', 'patch', '--backend', 'm', '--yes'],
      folder,
      { ...env, PEAGEN__LLM__BACKENDS: backends },
    );
    assert.equal(status, 1);
    assert.match(stderr, /peagen: No sandbox can be used/);
  });

  it('does not serve a shared queue, not even when the plain tier is named', async () => {
    const queue = { PEAGEN__TASK_QUEUE__PROVIDER: 'redis', PEAGEN__TASK_QUEUE__URL: 'redis://127.0.0.1:9' };
    const start = (more: NodeJS.ProcessEnv) => runPeagen(['worker', 'start'], folder, { ...env, ...queue, ...more });
    assert.match((await start({})).stderr, /^peagen: No sandbox can be used.*install bubblewrap[^\n]*\n$/);
    const named = await start({ PEAGEN__EVALUATE__SANDBOX: 'plain' });
    assert.equal(named.status, 1);
    assert.match(named.stderr, /^peagen: The sandbox "plain" is refused: tasks of a shared queue never run without a sandbox/);
  });

  it('runs no task of a shared queue in the plain tier, whatever the task says of its origin', async () => {
    const config = Config.parse({ task_queue: { provider: 'redis', url: 'redis://h' }, evaluate: { sandbox: 'plain' } });
    await assert.rejects(openSandboxes(config, builtinRegistry(), 'queue'), {
      code: 'unavailable',
      message: /"plain" is refused/,
    });
  });
});
