/** `peagen template-set`: sets of folders, whose authors are not trusted. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { addTemplateSets } from '../../../daemon/render/sets/add-sets.ts';
import { runPeagen } from '../../peagen.ts';

describe('peagen template-set', function () {
  this.timeout(120_000);
  let folder: string;
  let workspace: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-sets-'));
    workspace = join(folder, 'workspace');
    await mkdir(workspace);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }
  const set = (path: string) => ({ [`${path}/ptree.yaml.j2`]: '- FILE_NAME: a.j2\n', [`${path}/a.j2`]: 'text' });
  const peagen = (...args: string[]) => runPeagen(['template-set', ...args], workspace);
  const add = (source: string, more: { name?: string; replace?: boolean } = {}) =>
    addTemplateSets(source, { workspace, replace: false, dryRun: false, ...more });
  const added = async () => (await readdir(join(workspace, '.peagen', 'templates'), { recursive: true })).sort();

  it('adds, lists, shows and removes a set; none of the shipped ones is removed', async () => {
    await write({ ...set('mine'), 'mine/README.md': '# mine\n\nMy own\nset.\n\nMore.\n', 'mine/b.j2': '{{ "%d" % 3 }}' });
    assert.equal((await peagen('add', '../mine')).stdout, 'added mine (4 files)\n');
    const { stdout } = await peagen('list');
    assert.match(stdout, /^mine +added +My own set\.$/m);
    for (const name of ['python-package', 'typescript-package', 'vscode-extension']) {
      assert.match(stdout, new RegExp(`^${name} +shipped +\\w`, 'm'));
    }
    const shown = await peagen('show', 'mine');
    assert.match(shown.stdout, /from \/.*mine\)[\s\S]*ptree\.yaml\.j2[\s\S]*warning: b\.j2: Texts are not formatted by %/);
    const again = await peagen('add', '../mine');
    assert.match(again.stderr, /added already.*--force/);
    assert.equal((await peagen('add', '../mine', '--force')).status, 0);
    assert.equal((await peagen('remove', 'mine')).stdout, 'removed .peagen/templates/mine\n');
    assert.deepEqual(await added(), []);
    assert.match((await peagen('remove', 'python-package')).stderr, /shipped/);
    assert.match((await peagen('show', 'pyton-package')).stderr, /Did you mean "python-package"/);
  });

  it('begins a set that renders at once, from nothing or from another', async () => {
    for (const [name, ...from] of [['plain'], ['derived', '--from', 'typescript-package']] as const) {
      assert.equal((await peagen('init', name, ...from)).status, 0);
      const ended = await runPeagen(['render', '--project', `${name}.yaml`, '--out', 'out', '--sync'], workspace);
      assert.equal(ended.status, 0, ended.stderr);
      assert.match(await readFile(join(workspace, 'out', name, 'first', 'README.md'), 'utf8'), /^# first\n/);
    }
    assert.match((await peagen('init', 'plain')).stderr, /there already/);
  });

  it('refuses a set with a link, and one that is too large, and keeps nothing of them', async () => {
    await write({ ...set('linked'), ...set('large'), 'large/big.j2': 'x'.repeat(5 * 1024 * 1024) });
    await symlink('/etc/hostname', join(folder, 'linked', 'b.j2'));
    await assert.rejects(add('../linked'), { code: 'invalid_input', message: /b\.j2 is a link/ });
    await assert.rejects(add('../large'), { code: 'too_large', message: /big\.j2/ });
    await assert.rejects(add('../gone'), { code: 'not_found' });
    await assert.rejects(add('../linked', { name: '../x' }), { code: 'invalid_input' });
    assert.deepEqual(await readdir(join(workspace, '.peagen')), []);
  });

  it('adds every set of an installed package', async () => {
    await write({ ...set('workspace/node_modules/@team/sets/templates/web'), ...set('workspace/node_modules/@team/sets/app') });
    const made = await add('node_modules/@team/sets');
    assert.deepEqual(
      made.map(({ name }) => name),
      ['app', 'web'],
    );
    assert.ok((await added()).includes('web/ptree.yaml.j2'));
  });
});
