/** The template sets that come with Peagen: what they render to passes its own tests. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { templateSetsDir } from '../../../daemon/assets.ts';
import { runPeagen } from '../../peagen.ts';

const run = promisify(execFile);
const modules = join(import.meta.dirname, '..', '..', '..', 'node_modules');

describe('A shipped template set', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-sets-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function rendered(set: string, root: string): Promise<string> {
    const payload = join(templateSetsDir, set, 'payload.yaml');
    const { status, stderr } = await runPeagen(['render', '--project', payload, '--out', 'out', '--sync'], folder);
    assert.equal(status, 0, stderr);
    assert.equal(stderr, '', 'nothing to warn about');
    return join(folder, 'out', root);
  }

  /** Fails when a test does; returns how many there were. */
  async function nodeTests(cwd: string): Promise<number> {
    // What this test's own runner puts into the environment would make node's a part of it.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const { stdout } = await run(process.execPath, ['--test', '--test-reporter=tap'], { cwd, env });
    return Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
  }

  async function typeCheck(cwd: string, types: string): Promise<void> {
    const args = [join(modules, 'typescript', 'bin', 'tsc'), '-p', '.', '--typeRoots', join(modules, '@types'), '--types', types];
    await run(process.execPath, args, { cwd }).catch((caught: { stdout: string }) => assert.fail(caught.stdout));
  }

  it('makes a Python package whose tests pass', async () => {
    const made = await rendered('python-package', 'shop/cart');
    const { stderr } = await run('python3', ['-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'], { cwd: made });
    assert.match(stderr, /Ran 8 tests[\s\S]*OK/);
  });

  it('makes a TypeScript package whose types hold and whose tests pass', async () => {
    const made = await rendered('typescript-package', 'shop/cart');
    await typeCheck(made, 'node');
    assert.equal(await nodeTests(made), 8);
  });

  it('makes a VS Code extension whose types hold, whose tests pass and which is built into what its manifest names', async () => {
    const made = await rendered('vscode-extension', 'lines/line-tools');
    await typeCheck(made, 'vscode,node');
    assert.equal(await nodeTests(made), 7);
    const args = [join(modules, 'typescript', 'bin', 'tsc'), '-p', '.', '--noEmit', 'false'];
    await run(process.execPath, [...args, '--typeRoots', join(modules, '@types'), '--types', 'vscode,node'], { cwd: made });
    const { main } = JSON.parse(await readFile(join(made, 'package.json'), 'utf8')) as { main: string };
    await access(join(made, main));
  });
});
