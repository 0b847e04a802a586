/**
 * What a user and the next prompt learn about a candidate that is not taken: by every evaluator, in every language,
 * the assertion, what came and what was expected, or the traceback with the candidate's own line, and no path of ours.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommandEvaluator } from '../../../daemon/judging/command/command.ts';
import type { EvaluatorContext } from '../../../daemon/judging/evaluator.ts';
import { createFolderEvaluator } from '../../../daemon/judging/folder/folder.ts';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import type { Basis } from '../../../shared/payloads.ts';
import { contextOf, judgeText, prepareText, programOf } from './judging.ts';

interface Failing {
  readonly name: string;
  readonly code: string;
  /** Over `kind: detail`. */
  readonly says: RegExp;
  readonly toBeat?: number;
}

/** Where candidates lie while they run, and our own files. */
const ourPlaces = /\/tmp\/|\/peagen|\/workspace\/|\/evaluation\/|runner\.(py|mjs)|folder\.py|file:\/\//;
/** More is not read by anybody. */
const LONGEST = 2500;

async function told(outcome: { kind: string; detail: string }, says: RegExp): Promise<void> {
  const text = `${outcome.kind}: ${outcome.detail}`;
  assert.match(text, says);
  assert.doesNotMatch(text, ourPlaces);
  assert.ok(!text.includes('\u001b'), 'colours');
  assert.ok(text.length < LONGEST, `${text.length} characters`);
}

const python: readonly Failing[] = [
  {
    name: 'wrong',
    code: 'def f(n):\n    return [n, n + 1]\n',
    says: /^wrong: f\(3\) returned \[3, 4\], expected \[3, 3\]\.\nFirst difference at \[1\]: got 4, expected 3\./,
  },
  {
    name: 'crashed',
    code: 'def f(n):\n    oops = {}\n    return oops[n]\n',
    says: /^crashed: f\(3\) raised KeyError, expected \[3, 3\]\n[\s\S]*target\.py", line 3, in f\n\s+return oops\[n\][\s\S]*KeyError: 3/,
  },
  {
    name: 'timed out',
    code: 'def f(n):\n    while True: pass\n',
    says: /^timeout: f\(3\) took (longer than \d+ ms|more than \d+ ms of processor time)/,
  },
  {
    name: 'out of memory',
    code: 'def f(n):\n    return [0] * 10 ** 11\n',
    says: /^(memory: f\(3\) ran out of memory|crashed: f\(3\) raised MemoryError[\s\S]*line 2, in f)/,
  },
  {
    name: 'slow',
    code: 'def f(n):\n    for _ in range(200000): pass\n    return [n, n]\n',
    says: /^slow: f is correct, at 0\.\d\d× the original's speed; 1\.00× was to beat/,
    toBeat: 1,
  },
  {
    name: 'cheated',
    code: 'import sys\ndef f(n):\n    sys._getframe(1)\n    return [n, n]\n',
    says: /^forged: It uses the frames of its caller \(_getframe\), which the original does not: target\.py:3: sys\._getframe\(1\)$/,
  },
  {
    name: 'syntax error',
    code: 'def f(n):\n    return [n, n\n',
    says: /^invalid: [\s\S]*target\.py", line 2[\s\S]*SyntaxError: '\[' was never closed/,
  },
  {
    name: 'import error',
    code: 'import no_such_thing\ndef f(n):\n    return [n, n]\n',
    says: /^invalid: [\s\S]*target\.py", line 1[\s\S]*ModuleNotFoundError: No module named 'no_such_thing'/,
  },
];

const script = (type: string): readonly Failing[] => [
  {
    name: 'wrong',
    code: `function f(n${type}) {\n  return [n, n + 1];\n}\n`,
    says: /^wrong: f\(3\) returned \[3, 4\], expected \[3, 3\]\.\nFirst difference at \[1\]: got 4, expected 3\./,
  },
  {
    name: 'crashed',
    code: `function f(n${type}) {\n  const oops = undefined;\n  return oops[n];\n}\n`,
    says: /^crashed: f\(3\) raised TypeError, expected \[3, 3\]\n[\s\S]*Cannot read properties of undefined[\s\S]*target\.[jt]s:3:/,
  },
  {
    name: 'timed out',
    code: `function f(n${type}) {\n  for (;;);\n}\n`,
    says: /^timeout: f\(3\) took (longer than \d+ ms|more than \d+ ms of processor time)/,
  },
  {
    name: 'out of memory',
    code: `function f(n${type}) {\n  return [new Uint8Array(2 ** 33).length, n];\n}\n`,
    says: /^(memory: f\(3\) ran out of memory|crashed: f\(3\) raised RangeError[\s\S]*Array buffer allocation failed[\s\S]*target\.[jt]s:2)/,
  },
  {
    name: 'slow',
    code: `function f(n${type}) {\n  let s = 0;\n  for (let i = 0; i < 3000000; i++) s += i % (n + i);\n  return [n, s < 0 ? 0 : n];\n}\n`,
    says: /^slow: f is correct, at 0\.\d\d× the original's speed; 1\.00× was to beat/,
    toBeat: 1,
  },
  {
    name: 'cheated',
    code: `function f(n${type}) {\n  process.hrtime();\n  return [n, n];\n}\n`,
    says: /^forged: It uses the internals of the process \(process\.hrtime\), which the original does not: target\.[jt]s:2: process\.hrtime\(\);$/,
  },
  { name: 'syntax error', code: `function f(n${type}) {\n  return [n, n;\n}\n`, says: /^invalid: [\s\S]*(SyntaxError|Expected)/ },
  {
    name: 'import error',
    code: `import { gone } from './gone.js';\nexport function f(n${type}) {\n  return [gone, n];\n}\n`,
    says: /^invalid: [\s\S]*Cannot find module '?gone\.js'? imported from target\.[jt]s/,
  },
];

describe('what is reported about a candidate', () => {
  for (const [language, original, failing] of [
    ['python', 'def f(n):\n    return [n, n]\n', python],
    ['javascript', 'function f(n) {\n  return [n, n];\n}\n', script('')],
    ['typescript', 'function f(n: number) {\n  return [n, n];\n}\n', script(': number')],
  ] as const) {
    describe(`by its calls, in ${language}`, () => {
      const evaluator = createFunctionEvaluator();
      let basis: Basis;
      before(async () => {
        ({ basis } = await prepareText(evaluator, language, original, 'f', { calls: [{ args: [3] }] }));
      });
      for (const { name, code, says, toBeat } of failing) {
        it(`that is ${name}`, async () => {
          const { outcome } = await judgeText(evaluator, language, code, basis, toBeat === undefined ? {} : { toBeat });
          await told(outcome, says);
        });
      }
    });
  }

  it('is what a call leaves in its arguments, as a call is written', async () => {
    const evaluator = createFunctionEvaluator();
    const told = async (language: 'python' | 'javascript', original: string, changed: string) => {
      const { basis } = await prepareText(evaluator, language, original, 'f', { calls: [{ args: [[3, 1], 2] }] });
      return (await judgeText(evaluator, language, changed, basis)).outcome.detail;
    };
    const sorts = 'def f(a, b):\n    a.sort()\n';
    const left = 'f([3,1], 2) left its arguments as they were; the original changes them to ([1, 3], 2).';
    assert.equal(await told('python', sorts, 'def f(a, b):\n    sorted(a)\n'), left);
    const reversed = 'f([3,1], 2) left other arguments behind: at args[0][0] got 7, expected 1.';
    assert.equal(await told('python', sorts, 'def f(a, b):\n    a[0] = 7\n'), reversed);
    const script = 'function f(a, b) {\n  a.sort();\n}\n';
    assert.equal(await told('javascript', script, 'function f(a, b) {\n  [...a].sort();\n}\n'), left);
  });

  /** A folder with these files, judged as `judge` says. */
  async function inFolder(files: Readonly<Record<string, string>>, work: (root: string) => Promise<void>): Promise<void> {
    const root = mkdtempSync(join(tmpdir(), 'peagen-excerpt-'));
    chmodSync(root, 0o755);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    await work(root).finally(() => rmSync(root, { recursive: true }));
  }
  const limited = async (more: Partial<EvaluatorContext> = {}): Promise<EvaluatorContext> => {
    const context = await contextOf(more);
    const { sandboxes } = context;
    return {
      ...context,
      sandboxes: { ...sandboxes, limits: { ...sandboxes.limits, wallMs: 8000, memoryBytes: 200 * 1024 ** 2 } },
    };
  };

  describe('by a command, in python', () => {
    const original = 'def f(n):\n    return n * 2\n';
    const command = 'python3 -m unittest -q';
    const files = {
      'target.py': original,
      'test_target.py':
        'import unittest\nimport target\nclass T(unittest.TestCase):\n    def test_f(self): self.assertEqual(target.f(2), 4)\n',
    };
    const failing: readonly Failing[] = [
      {
        name: 'wrong',
        code: 'def f(n):\n    return n * 3\n',
        says: /^wrong: [\s\S]*File "test_target\.py", line 4[\s\S]*AssertionError: 6 != 4/,
      },
      {
        name: 'crashed',
        code: 'def f(n):\n    return n.missing\n',
        says: /^wrong: [\s\S]*File "target\.py", line 2, in f[\s\S]*AttributeError: 'int'/,
      },
      {
        name: 'wrong in a line without end',
        code: 'def f(n):\n    print("first")\n    print("x" * 10000)\n    return n * 3\n',
        says: /^wrong: [\s\S]*first\nx{200} … x{200}\n[\s\S]*AssertionError: 6 != 4/,
      },
      {
        name: 'wrong at great length',
        code: 'def f(n):\n    print("first\\n" + "more\\n" * 5000, flush=True)\n    return n * 3\n',
        says: /^wrong: [\s\S]*status 1\.\nfirst\n(more\n)*[a-z]*\n … \n[\s\S]*AssertionError: 6 != 4/,
      },
      {
        name: 'ended by itself',
        code: 'import os\ndef f(n):\n    print("going", flush=True)\n    os._exit(3)\n',
        says: /^wrong: python3 -m unittest -q: ended with status 3\.\n[\s\S]*going/,
      },
      {
        name: 'cheated',
        code: 'import os\ndef f(n):\n    os._exit(0)\n',
        says: /^forged: python3 -m unittest -q: it ended with success, but without what every run of the original ends with: .*OK$/,
      },
      {
        name: 'timed out',
        code: 'def f(n):\n    print("waiting", flush=True)\n    while True: pass\n',
        says: /^timeout: python3 -m unittest -q: took too long: evaluate\.timeout is \d+ s\.\n[\s\S]*waiting/,
      },
      {
        name: 'out of memory',
        code: 'def f(n):\n    return len([0] * 10 ** 10)\n',
        says: /^(memory|wrong): [\s\S]*(ran out of memory|target\.py", line 2, in f[\s\S]*MemoryError)/,
      },
      { name: 'syntax error', code: 'def f(n):\n    return (n\n', says: /^wrong: [\s\S]*target\.py", line 2[\s\S]*SyntaxError/ },
      {
        name: 'import error',
        code: 'import no_such_thing\ndef f(n):\n    return n * 2\n',
        says: /^wrong: [\s\S]*target\.py", line 1[\s\S]*No module named 'no_such_thing'/,
      },
      {
        name: 'slow',
        code: 'import time\ndef f(n):\n    time.sleep(1)\n    return n * 2\n',
        says: /^slow: python3 -m unittest -q succeeds, at 0\.\d\d× the original's speed; 5\.00× was to beat/,
        toBeat: 5,
      },
    ];
    for (const { name, code, says, toBeat } of failing) {
      it(`that is ${name}`, () =>
        inFolder(files, async (root) => {
          const evaluator = createCommandEvaluator();
          const basis: Basis = {
            evaluator: { name: 'command', options: { command, root } },
            original: programOf('python', original),
            data: null,
          };
          const { outcome } = await evaluator.judge(
            programOf('python', code),
            basis,
            await limited(toBeat === undefined ? {} : { toBeat }),
          );
          await told(outcome, says);
        }));
    }
  });

  describe('by a command, in javascript', () => {
    const files = {
      'target.js': 'exports.f = (n) => n * 2;\n',
      'check.js': "require('node:assert/strict').deepEqual(require('./target.js').f(2), 4);\n",
    };
    const failing: readonly Failing[] = [
      {
        name: 'told of in colours',
        code: "console.log('\\u001b[31mred\\u001b[0m in', __dirname);\nexports.f = () => 0;\n",
        says: /^wrong: node check\.js: ended with status 1\.\nred in \.\n/,
      },
      {
        name: 'wrong',
        code: 'exports.f = (n) => n * 3;\n',
        says: /^wrong: [\s\S]*6 !== 4[\s\S]*check\.js:1/,
      },
      {
        name: 'crashed',
        code: 'exports.f = (n) => {\n  return n.a.b;\n};\n',
        says: /^wrong: [\s\S]*target\.js:2[\s\S]*Cannot read properties of undefined/,
      },
      { name: 'syntax error', code: 'exports.f = (n => n;\n', says: /^wrong: [\s\S]*target\.js:1[\s\S]*SyntaxError/ },
      { name: 'import error', code: "require('./gone.js');\n", says: /^wrong: [\s\S]*Cannot find module '\.\/gone\.js'/ },
    ];
    for (const { name, code, says } of failing) {
      it(`that is ${name}`, () =>
        inFolder(files, async (root) => {
          const basis: Basis = {
            evaluator: { name: 'command', options: { command: 'node check.js', root } },
            original: programOf('javascript', files['target.js']),
            data: null,
          };
          const { outcome } = await createCommandEvaluator().judge(programOf('javascript', code), basis, await limited());
          await told(outcome, says);
        }));
    }
  });

  const load =
    'import importlib.util\ndef score(path):\n    spec = importlib.util.spec_from_file_location("candidate", path)\n    module = importlib.util.module_from_spec(spec)\n    spec.loader.exec_module(module)\n    return float(module.f(2))\n';
  const shapes = {
    openevolve: { 'evaluator.py': `${load}def evaluate(program_path):\n    return {"combined_score": score(program_path)}\n` },
    shinka: {
      'evaluate.py': `import argparse, json, os\n${load}parser = argparse.ArgumentParser()\nparser.add_argument("--program_path"); parser.add_argument("--results_dir")\nargs = parser.parse_args()\nvalue = score(args.program_path)\njson.dump({"combined_score": value}, open(os.path.join(args.results_dir, "metrics.json"), "w"))\njson.dump({"correct": value >= 0, "error": "f(2) is %s, which is below 0" % value}, open(os.path.join(args.results_dir, "correct.json"), "w"))\n`,
    },
  } as const;
  for (const kind of ['openevolve', 'shinka'] as const) {
    describe(`by a folder of ${kind} shape`, () => {
      const failing: readonly Failing[] = [
        {
          name: 'crashed',
          code: 'def f(n):\n    return n.missing\n',
          says: /^crashed: AttributeError: 'int'[\s\S]*evaluat\w+\.py", line \d+[\s\S]*program\.py", line 2, in f\n\s+return n\.missing/,
        },
        {
          name: 'timed out',
          code: 'def f(n):\n    while True: pass\n',
          says: /^timeout: The evaluation took longer than 3000 ms/,
        },
        {
          name: 'out of memory',
          code: 'def f(n):\n    return len([0] * 10 ** 10)\n',
          says: /^(memory: The evaluation ran out of memory|crashed: MemoryError[\s\S]*program\.py", line 2, in f)/,
        },
        { name: 'syntax error', code: 'def f(n):\n    return (n\n', says: /^crashed: SyntaxError: [\s\S]*program\.py", line 2/ },
        {
          name: 'import error',
          code: 'import no_such_thing\n',
          says: /^crashed: ModuleNotFoundError: No module named 'no_such_thing'[\s\S]*program\.py", line 1/,
        },
        {
          name: 'cheated',
          code: 'import os\ndef f(n):\n    for fd in range(1, 32):\n        try: os.write(fd, b\'{"metrics": {"combined_score": 1e9}, "artifacts": {}}\\n\')\n        except OSError: pass\n    return 2\n',
          says: /^forged: Something else was written to the result channel: \{"metrics": \{"combined_score": 1e9\}/,
        },
        {
          name: 'no better than the original',
          code: 'def f(n):\n    return 0.5\n',
          says: /^correct: Its score is 0\.5, that of the original 2\.$/,
        },
        ...(kind === 'shinka'
          ? [{ name: 'wrong', code: 'def f(n):\n    return -1\n', says: /^wrong: f\(2\) is -1\.0, which is below 0/ }]
          : []),
      ];
      for (const { name, code, says } of failing) {
        it(`that is ${name}`, () =>
          inFolder(shapes[kind], async (root) => {
            const basis: Basis = {
              evaluator: { name: kind, options: { root, timeout: 3 } },
              original: programOf('python', 'def f(n):\n    return 2\n'),
              data: { score: 2, ms: 1 },
            };
            const { outcome } = await createFolderEvaluator(kind).judge(programOf('python', code), basis, await limited());
            await told(outcome, says);
          }));
      }
    });
  }
});
