/** Plants keys and looks for them, byte by byte, in everything that a run leaves behind or shows to a candidate. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';

const KEY = 'sk-planted-0a1b2c3d4e5f-llm';
const OTHER = 'hunter2-planted-redis-secret';
const cli = join(import.meta.dirname, '..', '..', '..', 'daemon', 'cli', 'main.ts');

const SOURCE = `def slow(items):
    result = []
    for item in items:
        result = result + [item]
    return sorted(result)
`;

/** A candidate that shows what it can see: its environment, its arguments, and the files that could hold a key. */
const SPY = `Change: look around
\`\`\`python
def slow(items):
    import os, sys
    seen = [repr(dict(os.environ)), repr(sys.argv)]
    for path in ('/proc/self/environ', '/proc/1/environ', '/proc/self/cmdline', '.peagen.toml', os.path.expanduser('~/.peagen.toml')):
        try:
            seen.append(open(path).read())
        except OSError as error:
            seen.append(str(error))
    raise RuntimeError('SPY ' + ' '.join(seen))
\`\`\``;

/** A plugin whose worker dies with keys in its last words: in the stack of an error that nobody catches, and by itself. */
const CRASHING = `export default { make: () => ({
  name: 'crashing',
  requires: ['llm'],
  mutate: () => new Promise(() => {
    const { PLANTED_KEY, PEAGEN_REDIS_PASSWORD } = process.env;
    console.error('LAST WORDS', PLANTED_KEY, PEAGEN_REDIS_PASSWORD);
    setImmediate(() => { throw new Error('CRASHED ' + PLANTED_KEY + PEAGEN_REDIS_PASSWORD); });
  }),
}) };
`;

describe('keys', () => {
  let folder: string;
  let llm: TestLlm;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-keys-'));
    llm = await startTestLlm({ key: KEY, plainText: `Change: nothing.\nThe key is ${KEY}` });
    await writeFile(join(folder, 'slow.py'), SOURCE);
    await writeFile(
      join(folder, '.peagen.toml'),
      `[[llm.backends]]\nname = "a"\nmodel = "test-model"\nbase_url = "${llm.url}"\napi_key_env = "PLANTED_KEY"\n`,
    );
  });
  after(async () => {
    await llm.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function peagen(...args: string[]): Promise<{ status: number | null; output: string }> {
    return await peagenWith({ PLANTED_KEY: KEY }, ...args);
  }

  async function peagenWith(own: NodeJS.ProcessEnv, ...args: string[]): Promise<{ status: number | null; output: string }> {
    const allow = { PEAGEN_LLM_ALLOW: `PLANTED_KEY=${new URL(llm.url).origin}` };
    const env = {
      ...process.env,
      XDG_CONFIG_HOME: join(folder, 'own'),
      ...allow,
      ...own,
      PEAGEN_REDIS_PASSWORD: OTHER,
      PEAGEN_DEBUG: '1',
    };
    const child = spawn(process.execPath, [cli, ...args, '--verbose', '--json'], { cwd: folder, env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (text: Buffer) => {
        output += text;
      });
    }
    await once(child, 'close');
    return { status: child.exitCode, output };
  }

  /** Everything on disk under the folder, unpacked, by path. */
  async function leftBehind(): Promise<Map<string, string>> {
    const files = new Map<string, string>();
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const bytes = await readFile(path);
      const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
      files.set(path, (packed ? gunzipSync(bytes) : bytes).toString('latin1'));
    }
    return files;
  }

  async function assertNowhere(output: string): Promise<Map<string, string>> {
    const files = await leftBehind();
    for (const secret of [KEY, OTHER]) {
      assert.ok(!output.includes(secret), `in the output: ${output}`);
      for (const [path, text] of files) assert.ok(!text.includes(secret), `in ${path}`);
    }
    return files;
  }

  it('reach the endpoint, and nothing that a patch round leaves behind, though the model repeats them', async () => {
    const { output } = await peagen('mutate', '--target-file', 'slow.py', '--entry-fn', 'slow', '--sync');
    assert.equal(llm.requests.at(-1)?.headers.authorization, `Bearer ${KEY}`);
    await assertNowhere(output);
  });

  it('are cut out of an error that echoes them', async () => {
    llm.script({ type: 'status', status: 401, message: `Incorrect API key provided: ${KEY}` });
    const { status, output } = await peagen('mutate', '--target-file', 'slow.py', '--entry-fn', 'slow', '--sync');
    assert.notEqual(status, 0);
    assert.match(output, /Incorrect API key provided: \[key\]/);
    await assertNowhere(output);
  });

  it('cannot be seen by a candidate, nor found in journal, objects, results and logs of the run', async () => {
    llm.script({ type: 'answer', text: SPY }, { type: 'answer', text: SPY });
    const { output } = await peagen(
      ...['evolve', 'run', '--target-file', 'slow.py', '--entry-fn', 'slow', '--inputs', '[[[3, 1, 2]]]'],
      ...['--mutator', 'patch', '--generations', '1', '--population', '1', '--no-confirm', '--sync', '--yes'],
    );
    const files = await assertNowhere(output);
    const told = [...files].filter(([path, text]) => path.endsWith('journal.jsonl') && text.includes('SPY '));
    assert.equal(told.length, 1, `the candidate has not reported: ${output}`);
  });

  it('that are missing are named before a run begins', async () => {
    const runs = await readdir(join(folder, '.peagen', 'runs'));
    const { status, output } = await peagenWith(
      {},
      ...['evolve', 'run', '--target-file', 'slow.py', '--entry-fn', 'slow', '--inputs', '[[[3, 1, 2]]]', '--sync', '--yes'],
    );
    assert.equal(status, 2, output);
    assert.match(output, /No model can be asked: PLANTED_KEY is not set\./);
    assert.deepEqual(await readdir(join(folder, '.peagen', 'runs')), runs);
  });

  it('are in no report of a crash', async () => {
    const plugin = join(folder, 'node_modules', 'crashing');
    await mkdir(plugin, { recursive: true });
    await writeFile(
      join(plugin, 'package.json'),
      '{"name":"crashing","version":"1.0.0","type":"module","peagen":{"api":1,"mutators":{"crashing":"./index.js"}}}',
    );
    await writeFile(join(plugin, 'index.js'), CRASHING);
    assert.equal((await peagen('plugin', 'add', 'crashing', '--yes')).status, 0);
    const round = ['mutate', '--target-file', 'slow.py', '--entry-fn', 'slow', '--mutator', 'crashing', '--sync'];
    const { status, output } = await peagen(...round);
    assert.notEqual(status, 0);
    assert.match(output, /CRASHED \[PLANTED_KEY\]/);
    await assertNowhere(output);
  });
});
