/** What every command does with the options that all of them take. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, cpSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { loaders } from '../../../daemon/cli/program.ts';
import { RunSummary } from '../../../shared/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'pg-'));
const workspace = mkdtempSync(join(folder, 'w-'));
const own = mkdtempSync(join(folder, 'r-'));
const env = {
  ...process.env,
  HOME: folder,
  XDG_RUNTIME_DIR: own,
  XDG_CACHE_HOME: join(own, 'cache'),
  XDG_CONFIG_HOME: join(folder, 'config'),
};

interface Said {
  status: number;
  stdout: string;
  stderr: string;
}

/** Runs the commands in one process, in the workspace. */
async function run(commands: readonly (readonly string[])[]): Promise<Said[]> {
  const files = ['out', 'err'].map((name) => join(folder, name));
  const [out = 1, err = 2] = files.map((file) => openSync(file, 'w'));
  const script = join(import.meta.dirname, '..', '..', 'each-command.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(commands)], { cwd: workspace, env, stdio: ['ignore', out, err] });
  await once(child, 'exit');
  for (const file of [out, err]) closeSync(file);
  const [said = [], logged = []] = files.map((file) => [...readFileSync(file, 'utf8').matchAll(/([^\0]*)\0(\d+)\n/g)]);
  assert.equal(said.length, commands.length, readFileSync(join(folder, 'err'), 'utf8').slice(-2000));
  return said.map(([, stdout = '', status], i) => ({ status: Number(status), stdout, stderr: logged[i]?.[1] ?? '' }));
}

/** Every file and folder of the user, but for what a daemon keeps of itself, with what is in it. */
function home(): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => !/^(r-|out|err)/.test(path));
  const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  return paths.sort().map((path) => {
    const place = join(folder, path);
    return `${path} ${statSync(place).isFile() ? hashOf(place) : ''}`;
  });
}

const slow = ['--target-file', 'slow.mjs', '--entry-fn', 'slow', '--inputs', '[[[2, 1]]]', '--no-derive'];
const flags = ['--json', '--dry-run', '--verbose'];
const templateSets = join(import.meta.dirname, '..', '..', '..', 'media', 'template-sets');

/** How each command is asked for. */
function table(done: string, interrupted: string): Record<string, readonly (readonly string[])[]> {
  return {
    mutate: [slow.slice(0, 4)],
    judge: [[...slow, '--candidate', 'slow.mjs']],
    'evolve run': [slow, ['--resume'], ['--resume', interrupted, '--sync'], ['--extend', done]],
    'evolve step': [[...slow, '--sync']],
    'evolve replay': [[done, '--sync']],
    'evolve report': [[done]],
    'evolve pause': [[]],
    'evolve unpause': [[]],
    'evolve stop': [[]],
    render: [['--project', 'payload.yaml', '--out', 'out', '--sync']],
    'template-set list': [[]],
    'template-set show': [['python-package']],
    'runs list': [[]],
    'runs show': [[done]],
    'runs diff': [[done, interrupted]],
    'runs export': [[done]],
    'runs gc': [['--keep', '0', '--older-than', '0s']],
    'worker start': [[]],
    'worker image build': [[]],
    'llm check': [[]],
    'llm allow': [['local']],
    'queue depth': [[]],
    'queue waiting': [[]],
    'queue result': [['0123456789abcdef']],
    'queue key': [[]],
    'queue acl': [[]],
    'queue dlq list': [[]],
    'queue dlq inspect': [['0123456789abcdef']],
    'queue dlq retry': [['--all']],
    'queue dlq export': [[], ['--output', 'dead.json']],
    'queue dlq purge': [['--all']],
    'plugin list': [[]],
    'plugin add': [['./peagen-hello']],
    'plugin allow': [['./peagen-hello']],
    'plugin remove': [['./peagen-hello']],
    'plugin new': [['mutator', 'other']],
    'config show': [[]],
    'config upgrade': [[]],
    'config schema': [[]],
    'config allow': [['.']],
    mcp: [[]],
    'daemon start': [[]],
    'daemon stop': [[]],
    'daemon status': [[]],
    'daemon logs': [[]],
    'daemon connect': [[]],
    completion: [['bash']],
  };
}

/** Those that there is nothing for here: no run in progress, no dead letter, a queue that only this process has. */
const absent = new Set(['evolve pause', 'evolve unpause', 'evolve stop', 'queue result', 'queue dlq inspect', 'worker start']);

const leaves = (command: Command, above: readonly string[]): string[] => {
  const path = [...above, command.name()];
  return command.commands.length === 0 ? [path.join(' ')] : command.commands.flatMap((each) => leaves(each, path));
};

describe('every command', () => {
  let commands: readonly (readonly [name: string, ...args: string[]])[];

  before(async () => {
    writeFileSync(join(workspace, 'slow.mjs'), 'export function slow(xs) {\n  return [...xs].sort((a, b) => a - b);\n}\n');
    writeFileSync(
      join(workspace, 'other.toml'),
      '[mutate]\nmutator = "structural"\n[plugins]\npackages = ["./peagen-hello"]\n[[llm.backends]]\nname = "local"\nmodel = "m"\nbase_url = "http://127.0.0.1:9"\n',
    );
    writeFileSync(join(workspace, 'broken.toml'), '[task_queue]\nproviderr = "stub"\n');
    cpSync(join(templateSets, 'python-package', 'payload.yaml'), join(workspace, 'payload.yaml'));
    const search = [
      'evolve',
      'run',
      ...slow,
      '--sync',
      '--deterministic',
      '--generations',
      '1',
      '--population',
      '1',
      '--no-confirm',
    ];
    const [first, second] = await run([
      [...search, '--seed', '1', '--json'],
      [...search, '--seed', '2', '--json'],
      ['plugin', 'new', 'mutator', 'hello'],
    ]);
    const [done, interrupted] = [first, second].map((said) => RunSummary.parse(JSON.parse(said?.stdout ?? '')).run);
    const journal = join(workspace, '.peagen', 'runs', interrupted ?? '', 'journal.jsonl');
    const lines = readFileSync(journal, 'utf8').split('\n');
    writeFileSync(journal, lines.filter((line) => !line.startsWith('{"type":"stopped"')).join('\n'));
    commands = Object.entries(table(done ?? '', interrupted ?? '')).flatMap(([name, ways]) =>
      ways.map((args) => [name, ...args] as const),
    );
  });

  after(async () => {
    await run([['daemon', 'stop']]);
    rmSync(folder, { recursive: true });
  });

  it('is in the table', async () => {
    const all = await Promise.all(Object.values(loaders).map((load) => load()));
    const tested = new Set(commands.map(([name]) => name));
    assert.deepEqual([...tested].sort(), all.flatMap((command) => leaves(command, [])).sort());
  });

  it('prints one object with --json, logs with --verbose, and changes nothing with --dry-run', async () => {
    const before = home();
    const said = await run(commands.map(([name, ...args]) => [...name.split(' '), ...args, ...flags, '--config', 'other.toml']));
    for (const [i, { status, stdout, stderr }] of said.entries()) {
      const [name = '', ...args] = commands[i] ?? [];
      const shown = `${name} ${args.join(' ')}: ${stdout.slice(0, 500)}${stderr.slice(-500)}`;
      const lines = stdout.trimEnd().split('\n');
      assert.equal(lines.length, 1, shown);
      const answer: unknown = JSON.parse(lines[0] ?? '');
      assert.ok(typeof answer === 'object' && answer !== null && !Array.isArray(answer), shown);
      assert.match(stderr, /"msg":"the command begins"[\s\S]*"msg":"the command ends"/, shown);
      assert.equal(status, absent.has(name) ? 2 : name === 'llm check' ? 1 : 0, shown);
    }
    assert.deepEqual(home(), before);
  });

  it('ends with 2 when --config names a file with a mistake, and names the mistake', async () => {
    const said = await run(commands.map(([name, ...args]) => [...name.split(' '), ...args, ...flags, '--config', 'broken.toml']));
    for (const [i, { status, stdout }] of said.entries()) {
      assert.match(stdout, /"invalid_config".*providerr/, `${commands[i]?.join(' ')}: ${stdout}`);
      assert.equal(status, 2);
    }
  });
});
