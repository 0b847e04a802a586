/** What a workspace's own files cannot do to its user: send keys elsewhere, or count where another user wrote them. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { findConfig, readConfig } from '../../../daemon/config/load.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';

const STRANGER = 65_533;
const Listed = z.object({ runs: z.array(z.unknown()), unreadable: z.array(z.object({ run: z.string(), reason: z.string() })) });

describe('the files of a workspace', () => {
  let root: string;
  let env: NodeJS.ProcessEnv;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'peagen-own-'));
    env = { ...process.env, HOME: root, XDG_CONFIG_HOME: join(root, 'config'), AWS_SECRET_ACCESS_KEY: 'planted' };
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  describe('that name a server and a key', () => {
    let llm: TestLlm;
    let folder: string;
    beforeEach(async () => {
      llm = await startTestLlm({ models: ['m'] });
      folder = join(root, 'cloned');
      await mkdir(folder);
    });
    afterEach(() => llm.close());
    const configure = (lines: readonly string[]) =>
      writeFile(join(folder, '.peagen.toml'), ['[[llm.backends]]', 'name = "a"', 'model = "m"', ...lines].join('\n'));
    const stolen = () => llm.requests.filter(({ headers }) => headers.authorization?.includes('planted') === true).length;

    it('send no variable of the user to a server of their own, until the user has allowed the pair', async () => {
      await configure([`base_url = "${llm.url}"`, 'api_key_env = "AWS_SECRET_ACCESS_KEY"']);
      const refused = await runPeagen(['llm', 'check'], folder, env);
      assert.equal(refused.status, 5);
      const { origin } = new URL(llm.url);
      assert.match(
        refused.stderr,
        /would send AWS_SECRET_ACCESS_KEY to http:.*run "peagen llm allow a", or set PEAGEN_LLM_ALLOW=/,
      );
      assert.equal(llm.requests.length, 0);
      assert.equal(
        (await runPeagen(['llm', 'check'], folder, { ...env, PEAGEN_LLM_ALLOW: `AWS_SECRET_ACCESS_KEY=${origin}` })).status,
        0,
      );
      const allowed = await runPeagen(['llm', 'allow', 'a'], folder, env);
      assert.match(allowed.stdout, /AWS_SECRET_ACCESS_KEY may be sent to http:/);
      assert.equal((await runPeagen(['llm', 'check'], folder, env)).status, 0);
      assert.ok(stolen() > 0);
    });

    it("send the key of a preset only to the preset's own server", async () => {
      await configure(['preset = "openai"', `base_url = "${llm.url}"`]);
      const { status, stderr } = await runPeagen(['llm', 'check'], folder, { ...env, OPENAI_API_KEY: 'planted' });
      assert.deepEqual([status, stolen()], [5, 0]);
      assert.match(stderr, /would send OPENAI_API_KEY to/);
    });

    it('do not stand in the way of back ends that the user has configured', async () => {
      await configure([`base_url = "${llm.url}"`, 'api_key_env = "AWS_SECRET_ACCESS_KEY"']);
      const own = JSON.stringify([{ name: 'b', model: 'm', base_url: llm.url, api_key_env: 'MY_KEY' }]);
      const { status } = await runPeagen(['llm', 'check'], folder, { ...env, PEAGEN__LLM__BACKENDS: own, MY_KEY: 'mine' });
      assert.deepEqual([status, stolen()], [0, 0]);
    });
  });

  describe('of another user', () => {
    before(function () {
      if (process.getuid?.() === 0) return;
      console.log('skipped: only root can give a file to another user');
      this.skip();
    });
    const planted = async () => {
      const plugin = join(root, 'node_modules', 'planted');
      await mkdir(plugin, { recursive: true });
      await mkdir(join(root, 'below'));
      const mark = join(root, 'it-ran');
      await writeFile(
        join(plugin, 'package.json'),
        '{"name":"planted","version":"1.0.0","type":"module","peagen":{"api":1,"mutators":{"planted":"./index.js"}}}',
      );
      await writeFile(
        join(plugin, 'index.js'),
        `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(mark)}, '');\nexport default { make: () => ({}) };\n`,
      );
      await writeFile(join(root, '.peagen.toml'), '[plugins]\npackages = ["planted"]\n');
      await writeFile(join(root, 'below', 'slow.py'), 'def slow(items):\n    return sorted(items)\n');
      return { plugin, mark, below: join(root, 'below') };
    };
    const round = ['mutate', '--target-file', 'slow.py', '--entry-fn', 'slow', '--mutator', 'planted', '--sync'];

    it('are not read as a configuration from above, until the user allows the folder', async () => {
      const { below } = await planted();
      await chown(join(root, '.peagen.toml'), STRANGER, STRANGER);
      const { status, stderr } = await runPeagen(['config', 'show'], below, env);
      assert.equal(status, 5);
      assert.match(stderr, new RegExp(`belongs to another user \\(uid ${STRANGER}\\) .*"peagen config allow ${root}"`));
      await runPeagen(['config', 'allow', root], below, env);
      const { stdout } = await runPeagen(['config', 'show'], below, env);
      assert.match(stdout, /packages = \[ "planted" \]/);
    });

    it('are not run as a plugin', async () => {
      const { plugin, mark, below } = await planted();
      await chown(join(plugin, 'index.js'), STRANGER, STRANGER);
      const { status, stderr } = await runPeagen(round, below, env);
      assert.notEqual(status, 0);
      assert.match(stderr, /no mutator "planted".*planted\/index\.js belongs to another user/);
      assert.equal(existsSync(mark), false);
    });
  });

  it('are not looked for above the root of the repository', async () => {
    await mkdir(join(root, 'repository', '.git'), { recursive: true });
    await mkdir(join(root, 'repository', 'package'));
    await writeFile(join(root, '.peagen.toml'), '');
    assert.equal(findConfig(join(root, 'repository', 'package')), undefined);
    await writeFile(join(root, 'repository', '.peagen.toml'), '');
    assert.equal(findConfig(join(root, 'repository', 'package')), join(root, 'repository', '.peagen.toml'));
  });

  it('are refused where a pipe has the place of the configuration', async () => {
    execFileSync('mkfifo', [join(root, '.peagen.toml')]);
    await assert.rejects(readConfig({ cwd: root, env }), {
      code: 'invalid_config',
      message: `${join(root, '.peagen.toml')} is not a file.`,
    });
  });

  it('are named, and not followed, where a pipe, a link or no journal has the place of a run', async () => {
    const runs = join(root, '.peagen', 'runs');
    const [pipe, link, other] = ['20260101-000000-aaaaa1', '20260101-000000-aaaaa2', '20260101-000000-aaaaa3'] as const;
    for (const run of [pipe, other]) await mkdir(join(runs, run), { recursive: true });
    execFileSync('mkfifo', [join(runs, pipe, 'journal.jsonl')]);
    await symlink(join(runs, other), join(runs, link));
    await writeFile(join(runs, other, 'journal.jsonl'), 'not a journal\n');
    const { status, lastJson } = await runPeagen(['runs', 'list', '--sync', '--json'], root, env);
    assert.equal(status, 0);
    const { runs: readable, unreadable } = Listed.parse(lastJson);
    assert.deepEqual(readable, []);
    const reasons = Object.fromEntries(unreadable.map(({ run, reason }) => [run, reason]));
    assert.match(reasons[pipe] ?? '', /it is not a file/);
    assert.match(reasons[link] ?? '', /is a link/);
    assert.match(reasons[other] ?? '', /does not begin with its start/);
  });

  it('are not there yet where a process has only taken the folder of a run', async () => {
    const run = join(root, '.peagen', 'runs', '20260101-000000-aaaaa4');
    await mkdir(run, { recursive: true });
    await writeFile(join(run, 'owner'), '');
    const { lastJson, stderr } = await runPeagen(['runs', 'list', '--sync', '--json'], root, env);
    assert.deepEqual(Listed.parse(lastJson), { runs: [], unreadable: [] });
    assert.doesNotMatch(stderr, /cannot be read/);
  });
});
