/** Plugin packages as their authors and users meet them: written, installed, confirmed, run; and those that misbehave. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { builtPackage } from '../../built.ts';
import { type Ended, runPeagen } from '../../peagen.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const sample = join(root, 'media', 'samples', 'bad_sort', 'bad_sort.py');

describe('plugin packages', () => {
  let release: string;
  before(async () => {
    release = await mkdtemp(join(tmpdir(), 'peagen-release-'));
  });
  after(() => rm(release, { recursive: true, force: true }));
  let packing: Promise<string> | undefined;
  /** The package as it is published, made once, of the build that all tests share. */
  const packed = (): Promise<string> => {
    packing ??= (async () => {
      const place = join(release, 'package');
      await cp(builtPackage(), place, { recursive: true, dereference: true });
      await cp(join(root, '.npmignore'), join(place, '.npmignore'));
      await run('npm', ['pack', '--ignore-scripts', '--pack-destination', release], { cwd: place });
      const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
      return join(release, `peagen-${version}.tgz`);
    })();
    return packing;
  };
  let folder: string;
  let workspace: string;
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-plugins-'));
    workspace = join(folder, 'workspace');
    await mkdir(workspace);
    await cp(sample, join(workspace, 'bad_sort.py'));
    env = { ...process.env, XDG_CONFIG_HOME: join(folder, 'own') };
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const peagen = (...args: string[]): Promise<Ended> => runPeagen(args, workspace, env);
  const evolve = (...args: string[]): Promise<Ended> => {
    const target = [
      '--target-file',
      'bad_sort.py',
      '--entry-fn',
      'bad_sort',
      '--inputs',
      '[[[3,1,2]],[[2,2,1]]]',
      '--no-derive',
      '--no-confirm',
    ];
    return peagen('evolve', 'run', ...target, '--generations', '1', '--population', '2', '--seed', '1', '--sync', ...args);
  };
  /** A package of one plain module, in the workspace's node_modules. */
  const plant = async (name: string, peagenField: unknown, code = ''): Promise<void> => {
    const place = join(workspace, 'node_modules', name);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'package.json'), JSON.stringify({ name, version: '1.0.0', type: 'module', peagen: peagenField }));
    await writeFile(join(place, 'index.js'), code);
  };
  const mutators = (name: string) => ({ api: 1, mutators: { [name]: './index.js' } });
  const selectors = (name: string) => ({ api: 1, selectors: { [name]: './index.js' } });

  for (const kind of ['mutator', 'selector']) {
    it(`are written, tested, installed and run by following the guide, in less than ten minutes: a ${kind}`, async () => {
      const started = performance.now();
      const made = await runPeagen(['plugin', 'new', kind, 'hello', '--peagen', await packed()], folder, env);
      assert.equal(made.status, 0, made.stderr);
      const place = join(folder, 'peagen-hello');
      // Both have the same dependencies: those that the first has installed serve the second.
      const modules = join(release, 'node_modules');
      if (existsSync(modules)) await run('cp', ['-al', modules, place]);
      else {
        await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: place });
        await run('cp', ['-al', join(place, 'node_modules'), release]);
      }
      const { stdout } = await run('npm', ['test'], { cwd: place });
      assert.match(stdout, /[1-9]\d* passing/);
      assert.doesNotMatch(stdout, /failing/);
      const added = await peagen('plugin', 'add', place, '--yes');
      assert.equal(added.status, 0, added.stderr);
      assert.ok(added.stdout.includes(`added ${kind} "hello" of peagen-hello@0.1.0`), added.stdout);
      const { status, stderr, lastJson } = await evolve(`--${kind}`, 'hello', '--json');
      assert.equal(status, 0, stderr);
      assert.ok(typeof lastJson === 'object' && lastJson !== null && 'candidates' in lastJson && lastJson.candidates === 2);
      assert.ok(performance.now() - started < 600_000);
      const table = kind === 'selector' ? 'selector.hello' : 'plugins.hello';
      await appendFile(join(workspace, '.peagen.toml'), `[${table}]\nkeeps = "x"\n`);
      const wrong = await evolve(`--${kind}`, 'hello');
      assert.ok(wrong.stderr.includes(`options of the ${kind} "hello" of peagen-hello@0.1.0: `), wrong.stderr);
      assert.ok(wrong.stderr.includes('keeps') && wrong.stderr.includes(`[${table}]`), wrong.stderr);
      const removed = await peagen('plugin', 'remove', 'peagen-hello');
      assert.equal(removed.status, 0, removed.stderr);
      assert.doesNotMatch((await peagen('plugin', 'list')).stdout, /hello /);
    });
  }

  it('do not run before the user has confirmed them, nor after their files have changed', async () => {
    await plant('own-selector', selectors('own'), firstSelector);
    await writeFile(join(workspace, '.peagen.toml'), '[plugins]\npackages = ["own-selector"]\n');
    const foreign = await evolve('--selector', 'own');
    assert.match(foreign.stderr, /own-selector@1\.0\.0 has not been confirmed.*peagen plugin allow own-selector/);
    assert.equal((await peagen('plugin', 'allow', 'own-selector')).status, 5);
    assert.equal((await peagen('plugin', 'allow', 'own-selector', '--yes')).status, 0);
    const confirmed = await evolve('--selector', 'own');
    assert.equal(confirmed.status, 0, confirmed.stderr);
    await appendFile(join(workspace, 'node_modules', 'own-selector', 'index.js'), '// changed\n');
    const changed = await evolve('--selector', 'own');
    assert.match(changed.stderr, /has other files than version 1\.0\.0 had when it was confirmed/);
  });

  it('that hang or throw end their own run with their name, and no other', async () => {
    const cases: [name: string, code: string, said: RegExp][] = [
      [
        'hanging-import',
        'await new Promise(() => setInterval(() => undefined, 60_000));',
        /"hanging-import" of hanging-import@1\.0\.0 gave no answer/,
      ],
      ['throwing-import', 'throw new Error("boom");', /"throwing-import" of throwing-import@1\.0\.0 cannot be imported: boom/],
      [
        'endless',
        firstSelector.replace('archive.champions()[0]', '(() => { for (;;); })()'),
        /"endless" of endless@1\.0\.0 gave no answer within 2 s/,
      ],
      [
        'throwing',
        firstSelector.replace('archive.champions()[0]', '(() => { throw new Error("bang"); })()'),
        /"throwing" of throwing@1\.0\.0 failed: bang/,
      ],
      ['shapeless', 'export default 1;', /no default export with a function "make"/],
    ];
    for (const [name, code] of cases) await plant(name, selectors(name), code);
    // The operator of this machine has put them there.
    env = { ...env, PEAGEN_PLUGINS: join(workspace, 'node_modules') };
    const names = JSON.stringify(cases.map(([name]) => name));
    await writeFile(join(workspace, '.peagen.toml'), `[plugins]\npackages = ${names}\n`);
    const [other, ...ended] = await Promise.all([evolve(), ...cases.map(([name]) => evolve('--selector', name))]);
    assert.equal(other.status, 0, other.stderr);
    for (const [index, [name, , said]] of cases.entries()) {
      assert.notEqual(ended[index]?.status, 0, name);
      assert.match(ended[index]?.stderr ?? '', said);
    }
  });

  it('of another API, of no kind, with a taken name or not there are named in the list, and everything else works', async () => {
    await plant('future', { api: 9, mutators: { future: './index.js' } });
    await plant('odd', { api: 1, mutatorz: { odd: './index.js' } });
    await plant('clash', mutators('structural'), '');
    await plant('none', undefined);
    const names = ['future', 'odd', 'clash', 'none', 'missing'];
    await writeFile(join(workspace, '.peagen.toml'), `[plugins]\npackages = ${JSON.stringify(names)}\n[plugins.typo]\na = 1\n`);
    const { status, stdout } = await peagen('plugin', 'list');
    assert.equal(status, 0);
    assert.match(stdout, /future@1\.0\.0 was written for version 9 of the plugin API/);
    assert.match(stdout, /odd@1\.0\.0 brings "mutatorz".*Did you mean "mutators"/);
    assert.match(stdout, /mutator "structural" of clash@1\.0\.0 is already provided by builtin/);
    assert.match(stdout, /none@1\.0\.0 has no "peagen" in its package\.json/);
    assert.match(stdout, /plugin package "missing" is not installed/);
    assert.match(stdout, /\[plugins\.typo\] is the table of no plugin/);
    const { status: ran, stderr } = await evolve();
    assert.equal(ran, 0, stderr);
  });
});

const firstSelector = `export default {
  make: (_options, { name }) => ({
    name,
    select: (archive) => archive.champions()[0],
    inspirations: () => [],
    feedback: () => {},
  }),
};
`;
