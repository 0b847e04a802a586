/** `peagen template-set`: sets from folders, packages and git, none of which is trusted. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { addTemplateSets } from '../../../daemon/render/sets/set-sources.ts';
import { runPeagen } from '../../peagen.ts';

const run = promisify(execFile);

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
  const git = (...args: string[]) =>
    run('git', ['-C', join(folder, 'repository'), '-c', 'user.name=a', '-c', 'user.email=a@b', ...args]);

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

  it('adds every set of a git repository, at a tag, with its commit', async () => {
    await write({ ...set('repository/sets/one'), ...set('repository/sets/two') });
    await git('init', '-q');
    await git('add', '.');
    await git('commit', '-qm', 'one');
    await git('tag', 'v1');
    await write({ 'repository/sets/two/a.j2': 'later' });
    await git('commit', '-qam', 'two');
    const { stdout: commit } = await git('rev-parse', 'v1');
    const sets = await add(`${pathToFileURL(join(folder, 'repository'))}#v1`);
    assert.deepEqual(
      sets.map(({ name, origin }) => [name, origin.revision]),
      [
        ['one', commit.trim()],
        ['two', commit.trim()],
      ],
    );
    assert.equal(await readFile(join(workspace, '.peagen', 'templates', 'two', 'a.j2'), 'utf8'), 'text');
  });

  it('runs nothing that a git repository brings: no hook, no filter', async () => {
    await write({ ...set('repository'), 'repository/.gitattributes': '*.j2 filter=evil\n' });
    await git('init', '-q');
    await git('add', '.');
    await git('commit', '-qm', 'one');
    await write({ 'repository/.git/hooks/post-checkout': `#!/bin/sh\ntouch ${folder}/pwned\n` });
    const [made] = await add(pathToFileURL(join(folder, 'repository')).href);
    assert.equal(made?.name, 'repository');
    assert(!(await readdir(folder)).includes('pwned'));
  });

  const addresses = {
    'a helper program': 'ext::sh -c "touch pwned"',
    'a helper program behind git+': 'git+ext::sh',
    'an option': '--upload-pack=touch',
    'an option as host': 'ssh://-oProxyCommand=touch/x',
    'an option as branch': 'https://127.0.0.1:1/x.git#--upload-pack=touch',
    'plain http': 'http://127.0.0.1:1/x.git',
    'a path as package': 'npm:../../etc',
    'a git address as package': 'npm:git+ssh://x',
  };
  for (const [name, source] of Object.entries(addresses)) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(add(source), ({ code }: { code: string }) => ['invalid_input', 'unavailable'].includes(code));
      assert.deepEqual(
        (await readdir(workspace, { recursive: true })).filter((path) => path !== '.peagen'),
        [],
      );
    });
  }

  it('refuses a set with a link, and one that is too large, and keeps nothing of them', async () => {
    await write({ ...set('linked'), ...set('large'), 'large/big.j2': 'x'.repeat(5 * 1024 * 1024) });
    await symlink('/etc/hostname', join(folder, 'linked', 'b.j2'));
    await assert.rejects(add('../linked'), { code: 'invalid_input', message: /b\.j2 is a link/ });
    await assert.rejects(add('../large'), { code: 'too_large', message: /big\.j2/ });
    await assert.rejects(add('../gone'), { code: 'not_found' });
    await assert.rejects(add('../linked', { name: '../x' }), { code: 'invalid_input' });
    assert.deepEqual(await readdir(join(workspace, '.peagen')), []);
  });

  it('adds the sets of an installed package', async () => {
    await write(set('workspace/node_modules/@team/sets/templates/web'));
    const [made] = await add('@team/sets');
    assert.equal(made?.name, 'web');
    assert.deepEqual(await added(), ['web', 'web.origin.json', 'web/a.j2', 'web/ptree.yaml.j2']);
  });

  it('fetches a package from the registry, and runs none of its scripts', async () => {
    const scripts = Object.fromEntries(
      ['preinstall', 'install', 'postinstall', 'prepare', 'prepack'].map((name) => [name, `touch ${folder}/pwned`]),
    );
    await write({
      ...set('source/package'),
      'source/package/package.json': JSON.stringify({ name: 'evil-sets', version: '1.2.3', scripts }),
    });
    await run('tar', ['-czf', join(folder, 'evil.tgz'), '-C', join(folder, 'source'), 'package']);
    const archive = await readFile(join(folder, 'evil.tgz'));
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo;
      if (request.url?.endsWith('.tgz') === true) return response.end(archive);
      const dist = { tarball: `http://127.0.0.1:${port}/evil.tgz` };
      const versions = { '1.2.3': { name: 'evil-sets', version: '1.2.3', scripts, dist } };
      return response.end(JSON.stringify({ name: 'evil-sets', 'dist-tags': { latest: '1.2.3' }, versions }));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const registry = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      const env = { ...process.env, npm_config_registry: registry, npm_config_cache: join(folder, 'cache') };
      const ended = await runPeagen(['template-set', 'add', 'npm:evil-sets@1.2.3', '--name', 'tame'], workspace, env);
      assert.equal(ended.stdout, 'added tame (3 files) at evil-sets-1.2.3\n', ended.stderr);
      assert(!(await readdir(folder)).includes('pwned'));
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});
