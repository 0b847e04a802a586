import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { recover } from '../../../daemon/render/stage.ts';
import { type Ended, runPeagen } from '../../peagen.ts';

const payload = `
schemaVersion: "1.0.0"
PROJECTS:
  - NAME: My Shop
    ROOT: shop
    PACKAGES:
      - NAME: cart
        EXTRAS: { zebra: 1, apple: true }
        MODULES: [{ NAME: items }, { NAME: totals, EXTRAS: { pure: true } }]
      - NAME: users
        MODULES: [{ NAME: people }]
`;
const list = `FILES:
{%- for pkg in PROJ.PKGS %}
  - FILE_NAME: "{% raw %}{{ PROJ.ROOT }}/{{ PKG.NAME }}{% endraw %}/README.md.j2"
    RENDERED_FILE_NAME: "{{ PROJ.ROOT }}/{{ pkg.NAME }}/README.md"
    PROCESS_TYPE: copy
    PROJECT_NAME: "{{ PROJ.NAME }}"
    PACKAGE_NAME: "{{ pkg.NAME }}"
    EXTRAS:
      DEPENDENCIES: [{% for mod in pkg.MODULES %}"{{ PROJ.ROOT }}/{{ pkg.NAME }}/{{ mod.NAME }}.py", {% endfor %}]
{%- for mod in pkg.MODULES %}
  - FILE_NAME: "module.py.j2"
    RENDERED_FILE_NAME: "{{ PROJ.ROOT }}/{{ pkg.NAME }}/{{ mod.NAME }}.py"
    PROJECT_NAME: "{{ PROJ.NAME }}"
    PACKAGE_NAME: "{{ pkg.NAME }}"
    MODULE_NAME: "{{ mod.NAME }}"
{%- endfor %}
{%- endfor %}
`;
const readme = '# {{ PKG.NAME }}\n{% for k, v in PKG.EXTRAS.items() %}{{ k }}={{ v }} {% endfor %}{{ MOD }}\n';

describe('peagen render', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-render-'));
    await write({
      'projects.yaml': payload,
      'templates/default/ptree.yaml.j2': list,
      'templates/default/{{ PROJ.ROOT }}/{{ PKG.NAME }}/README.md.j2': readme,
      'templates/default/module.py.j2': '"""{{ MOD.NAME|make_singular }}"""\nPURE = {{ MOD.EXTRAS.pure }}\n',
    });
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function write(files: Record<string, string>): Promise<void> {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  }

  const render = (...args: string[]): Promise<Ended> =>
    runPeagen(['render', '--project', 'projects.yaml', '--out', 'out', '--sync', ...args], folder);
  const outFiles = async () =>
    (await readdir(join(folder, 'out'), { recursive: true })).filter((path) => path.includes('.')).sort();
  const read = (path: string) => readFile(join(folder, 'out', path), 'utf8');

  it('renders each package from its set, with files after what they depend on', async () => {
    const ended = await render('--json');
    assert.equal(ended.status, 0, ended.stderr);
    const { files } = ended.lastJson as { files: { path: string }[] };
    assert.deepEqual(
      files.map(({ path }) => path),
      [
        'shop/cart/items.py',
        'shop/cart/totals.py',
        'shop/cart/README.md',
        'shop/users/people.py',
        'shop/users/README.md',
        '.peagen/my-shop_manifest.json',
      ],
    );
    assert.equal(await read('shop/cart/README.md'), '# cart\nzebra=1 apple=True ');
    assert.equal(await read('shop/cart/totals.py'), '"""total"""\nPURE = True');
    assert.equal(await read('shop/users/people.py'), '"""person"""\nPURE = ');
  });

  it('gives the same bytes again, and the same with either engine', async () => {
    await render();
    const manifest = await read('.peagen/my-shop_manifest.json');
    const again = await render();
    assert.match(again.stdout, /6 the same/);
    await write({ '.peagen.toml': '[render]\nengine = "jinja2"\n' });
    assert.equal((await render('--force')).status, 0);
    assert.equal(await read('.peagen/my-shop_manifest.json'), manifest.replace('minijinja', 'jinja2'));
  });

  it('names files that differ and leaves them, unless it is forced', async () => {
    await render();
    await write({ 'out/shop/cart/items.py': 'mine' });
    const check = await render('--check');
    assert.equal(check.status, 1);
    assert.match(check.stdout, /changed +shop\/cart\/items\.py/);
    assert.match(check.stdout, /^-mine$/m, 'the difference is shown');
    const refused = await render();
    assert.equal(refused.status, 1);
    assert.match(refused.stderr, /shop\/cart\/items\.py .* nothing was written/);
    assert.equal(await read('shop/cart/items.py'), 'mine');
    assert.equal((await render('--force')).status, 0);
    assert.equal((await render('--check')).status, 0);
  });

  it('writes nothing with --dry-run', async () => {
    const ended = await render('--dry-run');
    assert.match(ended.stdout, /6 would be new/);
    await assert.rejects(stat(join(folder, 'out')), { code: 'ENOENT' });
  });

  it('writes nothing when a file fails, and names the file and those that wait for it', async () => {
    await write({ 'templates/default/module.py.j2': '{% if MOD.NAME == "totals" %}{{ nothing.there }}{% endif %}' });
    const ended = await render();
    assert.equal(ended.status, 2);
    assert.match(
      ended.stderr,
      /shop\/cart\/totals\.py cannot be rendered: .*module\.py\.j2.* Skipped.*: shop\/cart\/README\.md\./,
    );
    await assert.rejects(stat(join(folder, 'out')), { code: 'ENOENT' });
  });

  const hostile: Record<string, [records: string, message: RegExp]> = {
    'a path that leaves the folder': [
      '[{FILE_NAME: module.py.j2, RENDERED_FILE_NAME: ../../evil.py}]',
      /leaves the output folder/,
    ],
    'an absolute path': ['[{FILE_NAME: module.py.j2, RENDERED_FILE_NAME: /tmp/evil.py}]', /is absolute/],
    'a template outside of its folders': [
      '[{FILE_NAME: ../../../../../../../etc/hostname, RENDERED_FILE_NAME: x}]',
      /outside of|does not exist/,
    ],
    'a template that is nowhere': ['[{FILE_NAME: gone.j2}]', /"gone\.j2".*does not exist/],
    'a generated file without a prompt': [
      '[{FILE_NAME: module.py.j2, RENDERED_FILE_NAME: made.py, PROCESS_TYPE: generate}]',
      /made\.py has no AGENT_PROMPT_TEMPLATE/,
    ],
    'a circle': [
      '[{FILE_NAME: module.py.j2, RENDERED_FILE_NAME: a, EXTRAS: {DEPENDENCIES: [b]}}, {FILE_NAME: module.py.j2, RENDERED_FILE_NAME: b, EXTRAS: {DEPENDENCIES: [a]}}]',
      /a → b → a/,
    ],
    'a bomb': ['{{ "x" * 1000000000 }}', /more memory/],
  };
  for (const [name, [records, message]] of Object.entries(hostile)) {
    it(`refuses ${name} before anything is written`, async () => {
      await write({ 'templates/default/ptree.yaml.j2': records });
      const ended = await render();
      assert.equal(ended.status, 2, ended.stderr);
      assert.match(ended.stderr, message);
      assert.doesNotMatch(ended.stderr, /\n./, 'one line');
      await assert.rejects(stat(join(folder, 'out')), { code: 'ENOENT' });
    });
  }

  it('leaves the folder as it was when it is interrupted', async () => {
    await render();
    await write({ 'templates/default/module.py.j2': 'other', 'out/shop/cart/items.py': 'mine' });
    const before = await outFiles();
    const args = ['render', '--project', 'projects.yaml', '--out', 'out', '--sync', '--force', '--verbose'];
    const main = join(import.meta.dirname, '..', '..', '..', 'daemon', 'cli', 'main.ts');
    const child = spawn(process.execPath, [main, ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    const said: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => {
      said.push(String(chunk));
      // The second line says that the first worker is launched: no file is rendered yet.
      if (said.join('').split('\n').length > 2 && !child.killed) child.kill('SIGINT');
    });
    const [status] = await once(child, 'exit');
    assert.equal(status, 130, said.join(''));
    assert.deepEqual(await outFiles(), before);
    assert.equal(await read('shop/cart/items.py'), 'mine');
  });

  it('is all or nothing when it is killed in mid-write: the next rendering takes back what was moved', async () => {
    const modules = Array.from({ length: 200 }, (_, index) => `{ NAME: m${index} }`).join(', ');
    await write({ 'projects.yaml': `PROJECTS: [{ NAME: big, ROOT: big, PACKAGES: [{ NAME: p, MODULES: [${modules}] }] }]` });
    await render();
    const texts = async () => {
      const files = (await outFiles()).filter((path) => path.startsWith('big/'));
      return Promise.all(files.map(async (path) => `${path}: ${await read(path)}`));
    };
    const before = await texts();
    await write({ 'templates/default/module.py.j2': 'other' });
    const main = join(import.meta.dirname, '..', '..', '..', 'daemon', 'cli', 'main.ts');
    const args = ['render', '--project', 'projects.yaml', '--out', 'out', '--sync', '--force'];
    const child = spawn(process.execPath, [main, ...args], { cwd: folder, stdio: 'ignore' });
    const watcher = watch(join(folder, 'out', '.peagen'), (_, name) => {
      if (name?.startsWith('staging-') === true) child.kill('SIGKILL');
    });
    await once(child, 'exit');
    watcher.close();
    await recover(join(folder, 'out'));
    const after = await texts();
    const done = after.some((text) => text.endsWith(': other'));
    assert.deepEqual(
      after,
      done ? before.map((text) => (text.includes('/m') ? text.replace(/: [\s\S]*/, ': other') : text)) : before,
    );
  });

  it('takes the set of the override, then of the package, then of the project', async () => {
    const sets = ['TEMPLATE_SET_OVERRIDE: over, TEMPLATE_SET: own', 'TEMPLATE_SET: own', 'EXTRAS: {}'];
    const packages = sets.map((set, index) => `{ NAME: p${index}, ${set} }`).join(', ');
    await write({ 'projects.yaml': `PROJECTS: [{ NAME: x, TEMPLATE_SET: all, PACKAGES: [${packages}] }]` });
    for (const set of ['over', 'own', 'all']) {
      await write({
        [`templates/${set}/ptree.yaml.j2`]: '- {FILE_NAME: file.j2, RENDERED_FILE_NAME: "{{ PROJ.PKGS[0].NAME }}.txt"}\n',
      });
      await write({ [`templates/${set}/file.j2`]: set });
    }
    const ended = await render();
    assert.equal(ended.status, 0, ended.stderr);
    assert.deepEqual(await outFiles(), ['.peagen', '.peagen/x_manifest.json', 'p0.txt', 'p1.txt', 'p2.txt']);
    assert.deepEqual(await Promise.all(['p0.txt', 'p1.txt', 'p2.txt'].map(read)), ['over', 'own', 'all']);
  });

  it('leaves PROJ undefined where a record does not name the project', async () => {
    const records = ['one, PROJECT_NAME: My Shop', 'two, PROJECT_NAME: other', 'three'];
    const line = (record: string) => `- {FILE_NAME: file.j2, RENDERED_FILE_NAME: ${record}}`;
    await write({
      'templates/default/ptree.yaml.j2': `${records.map(line).join('\n')}\n`,
      'templates/default/file.j2': '{{ PROJ is defined }} {{ (PROJ or FILE).NAME }}{{ PROJ if PROJ is undefined }}',
    });
    for (const engine of ['minijinja', 'jinja2']) {
      await write({ '.peagen.toml': `[render]\nengine = "${engine}"\n` });
      const ended = await render();
      assert.equal(ended.status, 0, ended.stderr);
      const texts = await Promise.all(['one', 'two', 'three'].map(read));
      assert.deepEqual(texts, ['True My Shop', 'False ', 'False ']);
    }
  });

  it('looks in the search path first, for sets and for templates', async () => {
    await write({
      '.peagen.toml': '[templates]\nsearch_path = ["own"]\n',
      'own/module.py.j2': 'from the search path',
      'own/templates/default/ptree.yaml.j2': '- FILE_NAME: module.py.j2\n  RENDERED_FILE_NAME: only.py\n',
    });
    assert.equal((await render()).status, 0);
    assert.equal(await read('only.py'), 'from the search path');
  });

  it('warns of what the embedded engine does otherwise', async () => {
    await write({ 'templates/default/module.py.j2': '{{ "%d" % 3 if false else "x" }}' });
    const ended = await render();
    assert.equal(ended.status, 0, ended.stderr);
    assert.match(ended.stderr, /warning: default\/module\.py\.j2: .*%/);
  });

  it('renders 200 files of one level and one that needs them all in a few tasks', async () => {
    const modules = Array.from({ length: 200 }, (_, index) => `{ NAME: m${index} }`).join(', ');
    await write({ 'projects.yaml': `PROJECTS: [{ NAME: big, ROOT: big, PACKAGES: [{ NAME: p, MODULES: [${modules}] }] }]` });
    const ended = await render('--verbose');
    assert.equal(ended.status, 0, ended.stderr);
    assert.match(ended.stdout, /202 new/);
    const tasks = await readdir(join(folder, '.peagen', 'results'), { recursive: true });
    const results = tasks.filter((path) => path.endsWith('.gz'));
    assert(results.length > 2 && results.length < 20, `${results.length} tasks`);
  });

  it('renders from a file on, or only what a file depends on', async () => {
    assert.match((await render('--start-file', 'shop/cart/README.md', '--transitive')).stdout, /4 new/);
    assert.deepEqual(
      (await outFiles()).filter((path) => path.startsWith('shop')),
      ['shop/cart/README.md', 'shop/cart/items.py', 'shop/cart/totals.py'],
    );
    await rm(join(folder, 'out'), { recursive: true });
    assert.match((await render('--start-idx', '3')).stdout, /3 new/);
    assert.deepEqual(
      (await outFiles()).filter((path) => path.startsWith('shop')),
      ['shop/users/README.md', 'shop/users/people.py'],
    );
    const wrong = await render('--start-file', 'shop/cart/READ.md');
    assert.match(wrong.stderr, /Did you mean "shop\/cart\/README\.md"/);
  });
});
