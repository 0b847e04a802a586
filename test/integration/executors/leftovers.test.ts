/** What a process that was killed leaves in the temporary folder, and who takes it away. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { makeTemporary, removeLeftTemporaries } from '../../../daemon/executors/temporary.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('temporary folders of a process that was killed', () => {
  let child: ChildProcess | undefined;
  let workspace: string;
  // One of its own, so that no other process that starts meanwhile removes them.
  const usual = process.env['TMPDIR'];
  let temporary: string;
  before(() => {
    temporary = mkdtempSync(join(tmpdir(), 'peagen-leftovers-'));
    process.env['TMPDIR'] = temporary;
    workspace = mkdtempSync(join(tmpdir(), 'peagen-project-'));
    mkdirSync(join(workspace, 'src'));
    writeFileSync(join(workspace, 'src', 'a.py'), 'x = 1\n');
  });
  after(() => {
    if (usual === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = usual;
    rmSync(temporary, { recursive: true });
  });
  afterEach(() => void child?.kill('SIGKILL'));

  /** Runs a module that prints a path, and kills its process while it waits. */
  async function killedAfter(module: string): Promise<string> {
    child = spawn(process.execPath, ['--input-type=module', '-e', `${module}; setInterval(() => undefined, 1000);`], {
      cwd: root,
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    const ended = once(child, 'exit');
    const [line] = await Promise.race([once(child.stdout ?? child, 'data'), ended.then(() => assert.fail(said))]);
    child.kill('SIGKILL');
    await ended;
    return String(line).trim();
  }

  it('are removed by the next start, those of the living are not', async () => {
    const mine = await makeTemporary('box');
    const left = await killedAfter(
      "const { makeTemporary } = await import('./daemon/executors/temporary.ts'); console.log(await makeTemporary('box'))",
    );
    writeFileSync(join(left, 'file'), 'x');
    assert.ok((await removeLeftTemporaries()) >= 1);
    assert.equal(existsSync(left), false);
    assert.equal(existsSync(mine), true);
    rmSync(mine, { recursive: true });
  });

  it('stay when the process may live in another container', async () => {
    const left = await killedAfter(
      "const { makeTemporary } = await import('./daemon/executors/temporary.ts'); console.log(await makeTemporary('box'))",
    );
    const [, , pid, , random] = basename(left).split('-');
    const foreign = join(tmpdir(), `peagen-box-${pid}-7-${random}`);
    renameSync(left, foreign);
    await removeLeftTemporaries();
    assert.equal(existsSync(foreign), true);
    rmSync(foreign, { recursive: true });
  });

  it('go with the copies of a workspace that were mounted in them', async () => {
    const folder = await killedAfter(
      `const { copyOf } = await import('./daemon/judging/copies/copy.ts'); console.log((await copyOf(${JSON.stringify(workspace)}, { files: [] }, { signal: new AbortController().signal })).folder)`,
    );
    assert.equal(readFileSync(join(folder, 'src', 'a.py'), 'utf8'), 'x = 1\n');
    await removeLeftTemporaries();
    assert.equal(existsSync(folder), false);
    if (process.platform === 'linux') assert.equal(readFileSync('/proc/self/mounts', 'utf8').includes(folder), false);
    assert.equal(readFileSync(join(workspace, 'src', 'a.py'), 'utf8'), 'x = 1\n');
  });
});
