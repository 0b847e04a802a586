/** Test commands that are found in a folder really run in the sandbox, on its copy, and tell a broken candidate. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createCommandEvaluator } from '../../daemon/handlers/evaluators/command.ts';
import { detectJudges } from '../../daemon/handlers/evaluators/detect.ts';
import { contextOf } from './judging.ts';

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
      'node_modules/.bin/mocha': '#!/bin/sh\nexec node test/run.js\n',
      'test/run.js': "if (require('../target.js').double(2) !== 4) process.exit(1);\n",
    },
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

describe('a detected test command', function () {
  this.timeout(120_000);
  for (const { name, needs, target, text, files } of cases) {
    it(`of ${name} accepts the original and refuses a broken candidate`, async function () {
      if (!needs.split(' ').every(isThere)) this.skip();
      const root = mkdtempSync(join(tmpdir(), 'peagen-detected-'));
      try {
        chmodSync(root, 0o755);
        for (const [path, content] of Object.entries<string>({ ...files, [target]: text })) {
          mkdirSync(dirname(join(root, path)), { recursive: true });
          writeFileSync(join(root, path), content, { mode: path.includes('.bin') ? 0o755 : 0o644 });
        }
        const found = (await detectJudges(root)).find((judge) => judge.name === name);
        assert.ok(found, `${name} was not found`);
        const evaluator = createCommandEvaluator();
        const program = (source: string) => ({
          language: 'plaintext',
          files: [{ path: target, text: source }],
          spans: [{ path: target, start: 0, end: source.length }],
        });
        const context = await contextOf();
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
