/** The built-in evaluators, each on a small program of the kind that it judges. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtinRegistry } from '../../daemon/plugins/builtin.ts';
import { Config } from '../../shared/config.ts';
import { contextOf, programOf } from '../integration/judging/judging.ts';
import { evaluatorConformance } from './evaluator.ts';

const slow = 'def total(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n';
const right = 'def total(n):\n    return n * (n - 1) // 2\n';
const wrong = 'def total(n):\n    return n\n';
const programs = { original: programOf('python', slow), right: programOf('python', right), wrong: programOf('python', wrong) };
const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'peagen-evaluator-'));
  folders.push(folder);
  chmodSync(folder, 0o755);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const load = async (name: string) => (await builtinRegistry().load('evaluator', name))(Config.parse({}));

evaluatorConformance('function', async () => {
  const options = { entry: { path: 'target.py', fn: 'total' }, calls: [{ args: [2000] }, { args: [7] }] };
  const spec = { name: 'function', options };
  return {
    ...programs,
    evaluator: await load('function'),
    spec,
    malformed: { entry: 7, root: 7, command: 7 },
    context: await contextOf(),
  };
});

evaluatorConformance('command', async () => {
  const test = 'from target import total\nassert total(2000) == 1999000, total(2000)\n';
  const root = folderOf({ 'target.py': slow, 'check.py': test });
  const spec = { name: 'command', options: { command: 'python3 check.py', root } };
  return {
    ...programs,
    evaluator: await load('command'),
    spec,
    malformed: { entry: 7, root: 7, command: 7 },
    context: await contextOf(),
  };
});

const block = (value: string) => `# EVOLVE-BLOCK-START\ndef search():\n    return ${value}\n# EVOLVE-BLOCK-END\n`;
const scored = { original: programOf('python', block('3.0')), right: programOf('python', block('6.0 / 2')) };
const crashing = programOf('python', block('undefined_name'));
const loadProgram = `
import importlib.util
def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
`;

evaluatorConformance('openevolve', async () => {
  const evaluator = `${loadProgram}\ndef evaluate(program_path):\n    return {"combined_score": load(program_path).search()}\n`;
  const spec = { name: 'openevolve', options: { root: folderOf({ 'evaluator.py': evaluator }) } };
  return {
    ...scored,
    wrong: crashing,
    evaluator: await load('openevolve'),
    spec,
    malformed: { entry: 7, root: 7, command: 7 },
    context: await contextOf(),
  };
});
