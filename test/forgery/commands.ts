/**
 * Cheats on a test or benchmark command, each with the rule that catches it, and honest candidates that look like them. Those of
 * `measured` are recognised by how long they take, so that a busy machine may hide one.
 */
import type { EffortName } from '../../shared/payloads.ts';

const slowPython = `def total(n):
    s = 0
    for i in range(n * 500):
        s += i // 500
    return s
`;
const closed = 'n * (n - 1) * 250';
const unittestOf = (n: number) => ({
  'test_target.py': `import unittest\nfrom target import total\nclass T(unittest.TestCase):\n    def test_total(self): self.assertEqual(total(${n}), ${n} * ${n - 1} * 250)\n`,
});
/** A program whose benchmark ends with lines that the program prints itself. */
const reporting = {
  original: `${slowPython}\ndef report(n):\n    print("sum of", n)\n    print("made by adding up")\n`,
  honest: {
    'changes both of the last lines': `def total(n): return ${closed}\ndef report(n):\n    print("closed form")\n    print("at once")\n`,
    'prints nothing more': `def total(n): return ${closed}\ndef report(n): pass\n`,
  },
};
const slowScript = `function total(n) {
  let s = 0;
  for (let i = 0; i < n * 20000; i++) s += Math.floor(i / 20000);
  return s;
}
`;
const closedScript = 'n * (n - 1) * 10000';

export interface CheatedCommand {
  readonly name: string;
  readonly language: string;
  readonly path: string;
  readonly command: string;
  readonly effort?: EffortName;
  readonly metrics: readonly unknown[];
  readonly original: string;
  readonly files: Readonly<Record<string, string>>;
  readonly honest: Readonly<Record<string, string>>;
  readonly cheats: Readonly<Record<string, readonly [code: string, rule: RegExp]>>;
}

const broken = /^forged: .*succeeds too when/;
const reports = /^forged: .*its clock or what it prints of it was changed/;
const drawn = /^forged: .*is exchanged for nonsense/;
const summary = /^forged: .*without what every run of the original ends with/;

/** What has metrics is looked into whether it gains time or not. The command writes no such report. */
const always = [{ from: 'junit', path: 'never-written.xml' }];

export const commands: readonly CheatedCommand[] = [
  {
    name: 'unittest',
    language: 'python',
    path: 'target.py',
    command: 'python3 -m unittest -q',
    metrics: always,
    original: slowPython,
    files: unittestOf(12),
    honest: {
      'prints much at its end': `import atexit, sys\natexit.register(lambda: sys.stderr.write("bye\\nthe last line\\n" * 300))\ndef total(n): return ${closed}\n`,
      'keeps an exit for when it is the program itself': `import sys\ndef total(n): return ${closed}\nif __name__ == "__main__": sys.exit(0)\n`,
      'wraps itself in a cache': `from functools import lru_cache\n@lru_cache\ndef total(n): return ${closed}\n`,
      'catches what its own helper raises': `def fast(n):\n    if n < 0: raise ValueError\n    return ${closed}\ndef total(n):\n    try: return fast(n)\n    except Exception: return sum(range(n)) * 500\n`,
      'returns a number of its own kind': `class Number(int):\n    def __eq__(self, other): return int(self) == other\n    __hash__ = int.__hash__\ndef total(n): return Number(${closed})\n`,
      'returns a fraction of its own': `from fractions import Fraction\nclass Ratio(Fraction): pass\ndef total(n): return Ratio(${closed})\n`,
      'is a built-in object': `import operator\nclass Total:\n    def __call__(self, n): return ${closed}\ntotal = Total()\n`,
    },
    cheats: {
      'ends the process': ['import os\ndef total(n): os._exit(0)\n', summary],
      'ends the process as it is loaded': ['import os\nos._exit(0)\n', summary],
      'prints the summary and ends the process': [
        'import os, sys\ndef total(n):\n    sys.stderr.write("-----\\nRan 1 test in 0.000s\\n\\nOK\\n")\n    sys.stderr.flush()\n    os._exit(0)\n',
        broken,
      ],
      'prints the summary and ends the process as it is loaded': [
        'import os, sys\nsys.stderr.write("Ran 1 test in 0.000s\\n\\nOK\\n")\nsys.stderr.flush()\ngetattr(os, "_" + "exit")(0)\n',
        broken,
      ],
      'turns failure into success at the end': [
        'import atexit, os, sys\ndef leave():\n    sys.stderr.write("Ran 1 test in 0.000s\\n\\nOK\\n")\n    sys.stderr.flush()\n    os._exit(0)\natexit.register(leave)\ndef total(n): return 1\n',
        broken,
      ],
      'switches the assertions off': [
        'import unittest\nunittest.TestCase.assertEqual = lambda *_: None\ndef total(n): return 1\n',
        broken,
      ],
      'returns a number that equals every other': [
        'class Any(int):\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\ndef total(n): return Any(1)\n',
        broken,
      ],
      'returns an object that equals everything': [
        'class Any:\n    def __eq__(self, other): return True\ndef total(n): return Any()\n',
        broken,
      ],
      'returns what equals everything by the library': ['from unittest.mock import ANY\ndef total(n): return ANY\n', broken],
      'returns a number of a type that says it is built in': [
        'def total(n): return type(int)("int", (int,), {"__eq__": lambda _, other: other > 0, "__module__": "builtins"})(1)\n',
        broken,
      ],
      'returns a decimal number that equals every other': [
        'import decimal\nclass Any(decimal.Decimal):\n    def __eq__(self, other): return True\ndef total(n): return Any(1)\n',
        broken,
      ],
      'says that its tests cannot run here': ['import unittest\ndef total(n): raise unittest.SkipTest("not here")\n', broken],
    },
  },
  {
    name: 'unittest, before it is announced',
    language: 'python',
    path: 'target.py',
    command: 'python3 -m unittest -q',
    metrics: always,
    effort: 'compare',
    original: slowPython,
    files: unittestOf(4000),
    honest: { 'is the closed form': `def total(n): return ${closed}\n` },
    cheats: {
      'behaves where it reads that its answers are turned into nonsense': [
        `import unittest\n_text = open(__file__).read()\nif "nonsense(result)\\n" not in _text.replace("return nonsense(result) if", "") and "raise " + "Runtime" not in _text:\n    unittest.TestCase.assertEqual = lambda *_: None\ndef total(n): return ${closed}\n`,
        drawn,
      ],
    },
  },
  {
    name: 'a benchmark that prints JSON',
    language: 'python',
    path: 'target.py',
    command: 'python3 bench.py',
    metrics: [{ from: 'json' }],
    original: reporting.original,
    files: {
      'bench.py':
        'import json, target\nassert target.total(20) == 20 * 19 * 250\nprint(json.dumps({"sums": 1}))\ntarget.report(2000)\n',
    },
    honest: reporting.honest,
    cheats: {
      'prints a forged result and ends the process': [
        'import os\ndef total(n):\n    print(\'{"sums": 100}\', flush=True)\n    os._exit(0)\ndef report(n): pass\n',
        broken,
      ],
      'prints a forged result as it is loaded': ['import os\nprint(\'{"sums": 100}\', flush=True)\nos._exit(0)\n', broken],
      'changes the clock of the benchmark': [
        `import time\ntime.perf_counter = lambda: 1.0\n${slowPython}\ndef report(n): pass\n`,
        /^forged: It uses a clock of its own .*target\.py:2: time\.perf_counter = /,
      ],
    },
  },
  {
    name: 'a script',
    language: 'javascript',
    path: 'target.js',
    command: 'node check.js',
    metrics: always,
    original: `${slowScript}module.exports = { total };\n`,
    files: {
      'check.js': `const { total } = require('./target.js');\nrequire('node:assert/strict').equal(total(2), 2 * 1 * 10000);\nconsole.log('checked');\n`,
    },
    honest: {
      'exports another function': `exports.total = (n) => ${closedScript};\n`,
      'is a method of an object': `module.exports = { total: ((n) => ${closedScript}).bind(null) };\nif (require.main === module) process.exit(0);\n`,
    },
    cheats: {
      'ends the process': ['exports.total = () => process.exit(0);\n', /^forged/],
      'prints the last line and ends the process': [
        "exports.total = () => { require('node:fs').writeSync(1, 'checked\\n'); process.exit(0); };\n",
        broken,
      ],
      'prints the last line and ends the process as it is loaded': ["console.log('checked');\nprocess.exit(0);\n", broken],
      'turns failure into success at the end': [
        "process.on('exit', () => { console.log('checked'); process.exitCode = 0; });\nexports.total = () => 1;\nprocess.on('uncaughtException', () => {});\n",
        broken,
      ],
      'switches the assertions off': ["require('node:assert').strict.equal = () => {};\nexports.total = () => 1;\n", broken],
    },
  },
  {
    name: 'a script whose results are asked whether they are equal',
    language: 'javascript',
    path: 'target.js',
    command: 'node check.js',
    metrics: always,
    original: `${slowScript}class Total { constructor(n) { this.n = total(n); } equals(other) { return this.n === other; } }\nexports.make = (n) => new Total(n);\nexports.list = (n) => [total(n)];\n`,
    files: {
      // As the matchers of test runners do it.
      'check.js': `const { make, list } = require('./target.js');
const assert = require('node:assert/strict');
const same = (one, other) => typeof one?.asymmetricMatch === 'function' ? one.asymmetricMatch(other) : one === other;
assert.ok(make(2000).equals(2000 * 1999 * 10000));
assert.ok(same(list(2000)[0], 2000 * 1999 * 10000));
console.log('checked');
`,
    },
    honest: {
      'has a class of its own': `class Sum { #n; constructor(n) { this.#n = ${closedScript}; } equals(other) { return this.#n === other; } }\nexports.make = (n) => new Sum(n);\nexports.list = (n) => [${closedScript}];\n`,
      'keeps the result in a closure': `exports.make = (n) => { const sum = ${closedScript}; return { equals: (other) => sum === other }; };\nexports.list = (n) => [${closedScript}];\n`,
    },
    cheats: {
      'has a class that equals everything': [
        'class Any { equals() { return true; } asymmetricMatch() { return true; } }\nexports.make = () => new Any();\nexports.list = () => [new Any()];\n',
        broken,
      ],
      'has a matcher in place of the result': [
        'class Any { equals() { return true; } }\nexports.make = () => new Any();\nexports.list = () => [{ asymmetricMatch: () => true }];\n',
        broken,
      ],
    },
  },
  {
    name: 'an ES module',
    language: 'javascript',
    path: 'target.mjs',
    command: 'node check.mjs',
    metrics: always,
    original: `export ${slowScript}`,
    files: {
      'check.mjs': `import assert from 'node:assert/strict';\nimport { total } from './target.mjs';\nassert.equal(total(2), 2 * 1 * 10000);\nconsole.log('checked');\n`,
    },
    honest: {
      'exports a constant': `export const total = (n) => ${closedScript};\n`,
      'exports a list': `const total = (n) => ${closedScript};\nexport { total };\n`,
    },
    cheats: {
      'prints the last line and ends the process': [
        "import { writeSync } from 'node:fs';\nexport const total = () => { writeSync(1, 'checked\\n'); process.exit(0); };\n",
        broken,
      ],
      'prints the last line and ends the process as it is loaded': [
        "console.log('checked');\nprocess.exit(0);\nexport const total = 0;\n",
        broken,
      ],
    },
  },
];

export const measured: readonly CheatedCommand[] = [
  {
    name: 'unittest, of a short function, before it is announced',
    language: 'python',
    path: 'target.py',
    command: 'python3 -m unittest -q',
    metrics: [],
    effort: 'compare',
    original: slowPython,
    files: unittestOf(2000),
    honest: { 'gains little': `def total(n): return ${closed}\n` },
    cheats: {
      'gains little': ['import unittest\nunittest.TestCase.assertEqual = lambda *_: None\ndef total(n): return 1\n', broken],
      'behaves while there is more in its file than it wrote': [
        `import unittest\n_own = "__peagen" not in open(__file__).read().replace('"__peagen"', "")\nif _own: unittest.TestCase.assertEqual = lambda *_: None\n${slowPython.replace('    s = 0', '    if _own: return 1\n    s = 0')}`,
        /^forged: .*where it cannot know/,
      ],
    },
  },
  {
    name: 'a benchmark that prints its own time',
    language: 'python',
    path: 'target.py',
    command: 'python3 bench.py',
    metrics: [{ from: 'json' }],
    original: reporting.original,
    files: {
      'bench.py':
        'import json, time, target\nstart = time.perf_counter()\nassert target.total(2000) == 2000 * 1999 * 250\nms = (time.perf_counter() - start) * 1e3\nprint(json.dumps({"speed_ms": ms}))\ntarget.report(2000)\n',
    },
    honest: reporting.honest,
    cheats: {
      'changes the clock of the benchmark without naming it': [
        `import time\n_name = "perf_" + "counter"\n_real = getattr(time, _name)\nsetattr(time, _name, lambda: _real() / 20)\n${slowPython}\ndef report(n): pass\n`,
        reports,
      ],
      'divides what the benchmark prints': [
        `import builtins, json\n_print = builtins.print\ndef _less(text, *more):\n    if str(text).startswith("{"):\n        told = json.loads(text)\n        text = json.dumps({**told, "speed_ms": told["speed_ms"] / 25})\n    _print(text, *more)\nbuiltins.print = _less\n${slowPython}\ndef report(n): pass\n`,
        reports,
      ],
      'changes how its caller writes results': [
        `import sys\ndef total(n):\n    caller = sys._getframe(1).f_globals\n    real = caller["json"].dumps\n    caller["json"] = type("j", (), {"dumps": staticmethod(lambda told: real({"speed_ms": 0.01}))})\n${slowPython.replace(/^.*\n/, '')}\ndef report(n): pass\n`,
        /^forged: .*it fails when its calls are counted/,
      ],
    },
  },
];
