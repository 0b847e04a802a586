/** Test commands that are found in a folder really run in the sandbox, on its copy, and tell a broken candidate. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { createCommandEvaluator } from '../../../../daemon/judging/command/command.ts';
import { detectJudges } from '../../../../daemon/judging/command/detect.ts';
import { skipWithout } from '../../../missing.ts';
import { contextOf } from '../judging.ts';

const python = 'def double(n):\n    return n * 2\n';
const script = 'exports.double = (n) => n * 2;\n';
const nodeTest =
  "const { test } = require('node:test');\nrequire('./target.js').double(2) === 4 || test('double', () => { throw new Error('wrong') });\n";

/** Each with what must be there for it to run. */
const cases = [
  {
    name: 'unittest',
    needs: 'python3',
    target: 'target.py',
    text: python,
    files: {
      'test_target.py':
        'import unittest\nfrom target import double\nclass T(unittest.TestCase):\n    def test_it(self): self.assertEqual(double(2), 4)\n',
    },
  },
  {
    name: 'pytest',
    needs: 'pytest',
    target: 'target.py',
    text: python,
    files: { 'test_target.py': 'from target import double\ndef test_it(): assert double(2) == 4\n' },
  },
  {
    name: 'npm',
    needs: 'npm',
    target: 'target.js',
    text: script,
    files: { 'package.json': '{"scripts":{"test":"node --test"}}', 'target.test.js': nodeTest },
  },
  {
    name: 'mocha',
    needs: 'node',
    target: 'target.js',
    text: script,
    files: {
      'package.json': '{"devDependencies":{"mocha":"*"}}',
      'test/target.test.js': "it('doubles', () => { if (require('../target.js').double(2) !== 4) throw new Error('wrong'); });\n",
    },
    installs: 'mocha',
  },
  {
    name: 'make',
    needs: 'make',
    target: 'target.py',
    text: python,
    files: { Makefile: 'test:\n\tpython3 -c "import target; assert target.double(2) == 4"\n' },
  },
  {
    name: 'cargo',
    needs: 'cargo cc',
    target: 'src/lib.rs',
    text: 'pub fn double(n: i32) -> i32 { n * 2 }\n#[test]\nfn it() { assert_eq!(double(2), 4); }\n',
    files: { 'Cargo.toml': '[package]\nname = "target"\nversion = "0.1.0"\nedition = "2021"\n' },
  },
  {
    name: 'go',
    needs: 'go',
    target: 'target.go',
    text: 'package target\n\nfunc Double(n int) int { return n * 2 }\n',
    files: {
      'go.mod': 'module target\n\ngo 1.19\n',
      'target_test.go':
        'package target\n\nimport "testing"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(2) != 4 {\n\t\tt.Fatal("wrong")\n\t}\n}\n',
    },
  },
] as const;

function isThere(command: string): boolean {
  const asked =
    command === 'pytest' ? ['python3', '-m', 'pytest', '--version'] : [command, command === 'go' ? 'version' : '--version'];
  const [first = '', ...rest] = asked;
  try {
    execFileSync(first, rest, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A package of this project with all that it needs, as npm would lay it out. */
function install(name: string, modules: string): void {
  const from = join(import.meta.dirname, '..', '..', '..', '..', 'node_modules');
  const copied = new Set<string>();
  const copy = (one: string): void => {
    if (copied.has(one) || !existsSync(join(from, one))) return;
    copied.add(one);
    cpSync(join(from, one), join(modules, one), { recursive: true });
    const { dependencies = {} } = Manifest.parse(JSON.parse(readFileSync(join(from, one, 'package.json'), 'utf8')));
    Object.keys(dependencies).forEach(copy);
  };
  copy(name);
  mkdirSync(join(modules, '.bin'));
  symlinkSync(join('..', name, 'bin', `${name}.js`), join(modules, '.bin', name));
}
const Manifest = z.object({ dependencies: z.record(z.string(), z.string()).optional() });

describe('a detected test command', () => {
  for (const one of cases) {
    const { name, needs, target, text, files } = one;
    it(`of ${name} accepts the original and refuses a broken candidate`, async function () {
      const missing = needs.split(' ').find((one) => !isThere(one));
      if (missing !== undefined) skipWithout(missing, this);
      const root = mkdtempSync(join(tmpdir(), 'peagen-detected-'));
      try {
        chmodSync(root, 0o755);
        for (const [path, content] of Object.entries<string>({ ...files, [target]: text })) {
          mkdirSync(dirname(join(root, path)), { recursive: true });
          writeFileSync(join(root, path), content);
        }
        if ('installs' in one) install(one.installs, join(root, 'node_modules'));
        const found = (await detectJudges(root)).find((judge) => judge.name === name);
        assert.ok(found, `${name} was not found`);
        const evaluator = createCommandEvaluator();
        const program = (source: string) => ({
          language: 'plaintext',
          files: [{ path: target, text: source }],
          spans: [{ path: target, start: 0, end: source.length }],
        });
        // A compiler may have a standard library to begin with.
        const context = await contextOf({}, { evaluate: { timeout: '100s' } });
        const spec = { name: 'command', options: { command: found.command, root } };
        const { basis, execution } = await evaluator.prepare(program(text), spec, context);
        assert.equal(execution.outcome.kind, 'correct', execution.outcome.detail);
        const broken = await evaluator.judge(program(text.replace('n * 2', 'n * 3')), basis, context);
        assert.equal(broken.outcome.kind, 'wrong', broken.outcome.detail);
      } finally {
        rmSync(root, { recursive: true });
      }
    });
  }
});
