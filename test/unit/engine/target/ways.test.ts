import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { waysAsFlags, waysFor } from '../../../../daemon/engine/target/ways.ts';
import { builtinRegistry } from '../../../../daemon/plugins/builtin.ts';
import { Config } from '../../../../shared/config.ts';
import { DetectJudging, type FoundWays } from '../../../../shared/protocol/judging.ts';

const sort = 'def sort(items):\n    return sorted(items)\n';

describe('the ways to judge a target', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'peagen-ways-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));
  const ways = async (files: Record<string, string>, config: object = {}, path = 'src/sort.py'): Promise<FoundWays> => {
    for (const [name, text] of Object.entries({ 'src/sort.py': sort, ...files })) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    }
    const found = await waysFor({ root, path, entry_fn: 'sort' }, Config.parse(config), builtinRegistry());
    return DetectJudging.result.parse(found);
  };

  it('are inputs that Peagen makes, files and functions of inputs next to it, then the tests of the folder', async () => {
    const { ways: found } = await ways({
      'src/sort_inputs.json': '[[[1]]]',
      'src/package.json': '{}',
      'src/bench.py': 'import random\n\ndef make_inputs():\n    return [[[2, 1]]]\n',
      'src/other.js': 'function makeInputs() {}',
      'tests/test_sort.py': 'from sort import sort\n\ndef test_sort(): pass\n',
    });
    assert.deepEqual(
      found.map(({ kind, evaluator }) => [kind, evaluator]),
      [
        ['made', { name: 'function', options: {} }],
        ['inputs', { name: 'function', options: { inputs: 'src/sort_inputs.json' } }],
        ['inputs', { name: 'function', options: { inputs: 'src/bench.py:make_inputs' } }],
        ['command', { name: 'command', options: { command: 'python3 -m pytest -q -x' } }],
      ],
    );
  });

  it('leave out inputs that the original does not accept, and commands whose tests do not import the file', async () => {
    const { ways: found } = await ways({
      'src/other_inputs.json': '[[3, 4]]',
      'src/broken_inputs.json': '[[[1]',
      'tests/test_other.py': 'from other import thing\n',
      'package.json': '{"scripts": {"test": "node --test"}}',
      'test/sort.test.js': "import { sort } from '../src/sort.js';\n",
    });
    assert.deepEqual(
      found.map(({ kind }) => kind),
      ['made'],
    );
    const { ways: script } = await ways(
      { 'src/sort.js': 'export function sort(items) {\n  return items;\n}\n' },
      {},
      'src/sort.js',
    );
    assert.deepEqual(
      script.map(({ label }) => label),
      ['Inputs made for you', 'Inputs from other_inputs.json', 'npm test --silent'],
    );
  });

  it('are shown on a command line as the flags for them', async () => {
    await ways({ 'src/sort_inputs.json': '[[[1]]]', 'go.mod': '', Makefile: 'test:\n', 'test_sort.py': 'import src.sort\n' });
    const told = await waysAsFlags({ root, path: 'src/sort.py', entry_fn: 'sort' });
    assert.equal(
      told,
      ` Found in ${root}: --inputs src/sort_inputs.json, --command "python3 -m pytest -q -x", --command "make test".`,
    );
    assert.equal(await waysAsFlags({ root: join(root, 'src') }), '');
  });

  it('begin with what the configuration says of this target, and of no other', async () => {
    const config = {
      mutate: { target_file: 'src/sort.py', entry_fn: 'sort' },
      evaluate: { inputs: '[[[3, 1]]]', heldout: 'held.json' },
    };
    const {
      ways: [first],
    } = await ways({}, config);
    assert.equal(first?.kind, 'configured');
    assert.deepEqual(first?.evaluator.options, { inputs: '[[[3, 1]]]' });
    assert.equal(first?.settings.heldout, 'held.json');
    assert.deepEqual(
      (await ways({ 'src/b.py': sort }, config, 'src/b.py')).ways.map(({ kind }) => kind),
      ['made'],
    );
  });

  it('offer a folder of somebody’s own evaluator with its target and settings', async () => {
    const {
      ways: [, first],
    } = await ways({
      'initial_program.py': sort,
      'evaluator.py': 'def evaluate(path): return {}\n',
      'config.yaml': 'max_iterations: 16\nrandom_seed: 5\nstrange: 1\n',
    });
    assert.equal(first?.kind, 'folder');
    assert.deepEqual(first?.target, { root, path: 'initial_program.py' });
    assert.deepEqual(first?.settings, { seed: 5, asking: { artifact_chars: 4000 }, stop: { max_generations: 2 } });
    assert.match(first?.warnings.join() ?? '', /strange/);
  });

  it('are not hidden by an evaluator without a program to start from', async () => {
    const { ways: found, warnings } = await ways({ 'evaluator.py': '', Makefile: 'test:\n', 'test_sort.py': 'import sort\n' });
    assert.deepEqual(
      found.map(({ kind }) => kind),
      ['made', 'command', 'command'],
    );
    assert.match(warnings.join(), /no program to start from/);
  });
});
