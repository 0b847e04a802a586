/** The function evaluator on real programs, in real sandboxes. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { importedFiles } from '../../../../daemon/evolution/imports.ts';
import { RunnerPool } from '../../../../daemon/executors/runner.ts';
import { createFunctionEvaluator } from '../../../../daemon/judging/function/function.ts';
import { PeagenError } from '../../../../shared/errors.ts';
import { contextOf, judgeText, prepareText, programOf } from '../judging.ts';

const evaluator = createFunctionEvaluator();
const calls = (...lists: unknown[][]) => ({ calls: lists.map((args) => ({ args })) });

const slowSum =
  'def total(items):\n    result = 0\n    for item in items:\n        for _ in range(40):\n            result += item\n    return result // 40\n';
const inputs = calls([[1, 2, 3]], [Array.from({ length: 400 }, (_, index) => index)]);

describe('the function evaluator', () => {
  it('says what the original did on each call: what it returned, raised and left in its arguments', async () => {
    const text =
      'def take(items):\n    if not items:\n        raise ValueError("empty")\n    items.sort()\n    return (items[0], 1.0)\n';
    const heldout = [{ args: [[5]] }];
    const { basis } = await prepareText(evaluator, 'python', text, 'take', { ...calls([[3, 1]], [[]]), heldout });
    assert.deepEqual(evaluator.outputs?.(basis), {
      calls: [{ returned: '(1, 1.0)', args: '[[1, 3]]' }, { raised: 'ValueError' }],
      derived: [],
      heldout: [{ returned: '(5, 1.0)' }],
      longer: [],
    });
  });

  describe('distinguishes', () => {
    let basis: Awaited<ReturnType<typeof prepareText>>['basis'];
    before(async () => {
      ({ basis } = await prepareText(evaluator, 'python', slowSum, 'total', inputs));
    });
    const outcomeOf = async (text: string) => (await judgeText(evaluator, 'python', text, basis)).outcome;

    it('a faster candidate, with its speed and its memory', async () => {
      const { outcome, metrics } = await judgeText(evaluator, 'python', 'def total(items):\n    return sum(items)\n', basis);
      assert.equal(outcome.kind, 'correct', outcome.detail);
      for (const name of ['speed_ms', 'baseline_ms', 'speedup', 'speedup_low', 'speedup_high', 'peak_kb', 'samples'])
        assert.equal(typeof metrics[name], 'number', name);
    });

    it('a wrong one, with the call, what came and what was expected', async () => {
      const { kind, detail } = await outcomeOf('def total(items):\n    return sum(items) + 1\n');
      assert.equal(kind, 'wrong');
      assert.match(detail, /total\(\[1,2,3\]\) returned 7, expected 6/);
    });

    it('one whose result is nested too deeply to be compared', async () => {
      const deep =
        'def total(items):\n    import sys\n    sys.setrecursionlimit(100000)\n    r = 1\n    for _ in range(DEPTH):\n        r = [r]\n    return r\n';
      for (const depth of ['1600', '3500', '60000']) {
        const { kind, detail } = await outcomeOf(deep.replace('DEPTH', depth));
        assert.equal(kind, 'crashed', detail);
      }
    });

    it('one that crashes, with its own line', async () => {
      const { kind, detail } = await outcomeOf('def total(items):\n    nothing = None\n    return nothing.sum\n');
      assert.equal(kind, 'crashed');
      assert.match(detail, /target\.py", line 3/);
      assert.match(detail, /AttributeError/);
      assert.doesNotMatch(detail, /runner\.py|\/tmp\//);
    });

    it('one that never ends', async () => {
      const { kind } = await outcomeOf('def total(items):\n    while True:\n        pass\n');
      assert.equal(kind, 'timeout');
    });

    it('one that never ends by the processor time that it takes, but not while it imports something', async () => {
      const pool = new RunnerPool((await contextOf()).sandboxes, 'python', new AbortController().signal);
      const call = async (text: string, module: string) =>
        await pool.use(async (runner) => {
          const files = [
            { path: 'target.py', text },
            { path: 'slow.py', text: module },
          ];
          await runner.ask({ op: 'load', path: 'target.py', fn: 'f', files }, 60_000);
          return (await runner.ask({ op: 'call', args: [], kwargs: {} }, 60_000, 20)).kind;
        });
      assert.equal(await call('def f():\n    while True:\n        pass\n', ''), 'cut');
      assert.equal(await call('def f():\n    import slow\n', 'for i in range(3000000):\n    pass\n'), 'answer');
      await pool.close();
    });

    it('one in JavaScript that never ends by the processor time that it takes, but not while it waits', async () => {
      const pool = new RunnerPool((await contextOf()).sandboxes, 'node', new AbortController().signal);
      const call = async (text: string) =>
        await pool.use(async (runner) => {
          const files = [{ path: 'target.js', text }];
          await runner.ask({ op: 'load', path: 'target.js', fn: 'f', files }, 60_000);
          return (await runner.ask({ op: 'call', args: [] }, 60_000, 100)).kind;
        });
      assert.equal(await call('function f() { for (;;); }'), 'cut');
      assert.equal(await call('async function f() { await new Promise((done) => setTimeout(done, 400)); }'), 'answer');
      await pool.close();
    });

    it('one that never ends and does not let itself be interrupted', async () => {
      const { kind } = await outcomeOf(
        'import signal\ndef total(items):\n    signal.signal(signal.SIGPROF, signal.SIG_IGN)\n    while True:\n        pass\n',
      );
      assert.equal(kind, 'timeout');
    });

    it('one that takes all memory', async () => {
      const { kind } = await outcomeOf('def total(items):\n    return bytearray(8 << 30)\n');
      assert.equal(kind, 'memory');
    });

    it('one that does not parse, and one without the function', async () => {
      const syntax = await outcomeOf('def total(items)\n    return 1\n');
      assert.equal(syntax.kind, 'invalid');
      assert.match(syntax.detail, /line 1/);
      const missing = await outcomeOf('def other(items):\n    return 1\n');
      assert.equal(missing.kind, 'invalid');
      assert.match(missing.detail, /there is no total in target\.py/);
    });

    it('one that is clearly slower than what it had to beat, early', async () => {
      const { outcome, metrics } = await judgeText(evaluator, 'python', slowSum, basis, { toBeat: 50 });
      assert.equal(outcome.kind, 'slow');
      assert.ok((metrics['samples'] ?? 99) <= 3);
      assert.match(outcome.detail, /50\.00× was to beat/);
    });
  });

  describe('understands', () => {
    // Values are compared alike however speed is measured, and counting takes no time to settle.
    const counted = { deterministic: true };
    const accepts = async (language: string, text: string, fn: string, options: object, candidate: string, kind = 'correct') => {
      const { basis } = await prepareText(evaluator, language, text, fn, options as Record<string, unknown>, counted);
      const { outcome } = await judgeText(evaluator, language, candidate, basis, counted);
      assert.equal(outcome.kind, kind, outcome.detail);
      return outcome;
    };

    it('exceptions by their type', async () => {
      const text = 'def half(n):\n    if n % 2: raise ValueError("odd")\n    return n // 2\n';
      await accepts('python', text, 'half', calls([4], [3]), text.replace('"odd"', '"not even"'));
      const outcome = await accepts('python', text, 'half', calls([4], [3]), text.replace('ValueError', 'KeyError'), 'wrong');
      assert.match(outcome.detail, /half\(3\) raised KeyError, expected ValueError/);
    });

    it('mutation of arguments', async () => {
      const text = 'def grow(items):\n    items.append(len(items))\n';
      await accepts('python', text, 'grow', calls([[1]]), 'def grow(items):\n    items += [len(items)]\n');
      await accepts('python', text, 'grow', calls([[1]]), 'def grow(items):\n    items = items + [len(items)]\n', 'wrong');
    });

    it('mutation of arguments into equal values of other kinds', async () => {
      const text = 'def first(items):\n    return items[0]\n';
      const other = (value: string) => `def first(items):\n    was = items[0]\n    items[0] = ${value}\n    return was\n`;
      await accepts('python', text, 'first', calls([[1]]), other('int("1")'));
      await accepts('python', text, 'first', calls([[1]]), other('True'), 'wrong');
      const bytes = { calls: [{ args: [[{ bytes: '6162' }]], typed: true }] };
      await accepts('python', text, 'first', bytes, other('bytes([97, 98])'));
      await accepts('python', text, 'first', bytes, other('bytearray(b"ab")'), 'wrong');
    });

    it('float noise within the tolerance, and no more', async () => {
      const text = 'def mean(items):\n    return sum(items) / len(items)\n';
      const other = (term: string) => `def mean(items):\n    return sum(item / len(items) for item in items)${term}\n`;
      await accepts('python', text, 'mean', calls([[0.1, 0.2, 0.4]]), other(''));
      await accepts('python', text, 'mean', calls([[0.1, 0.2, 0.4]]), other(' + 1e-6'), 'wrong');
    });

    it('generators, coroutines and chance that a seed controls', async () => {
      await accepts(
        'python',
        'def up(n):\n    for i in range(n): yield i\n',
        'up',
        calls([5]),
        'def up(n):\n    yield from range(n)\n',
      );
      const text = 'import asyncio\nasync def wait(n):\n    await asyncio.sleep(0)\n    return n\n';
      await accepts('python', text, 'wait', calls([5]), 'async def wait(n):\n    return n\n');
      const dice = 'import random\ndef dice(n):\n    return [random.randrange(6) for _ in range(n)]\n';
      await accepts('python', dice, 'dice', calls([5]), dice);
    });

    it('keyword arguments, sets, tuples and dicts with any keys', async () => {
      const text = 'def group(items, *, by=2):\n    return {i % by: (i, {i, i + 1}) for i in items}\n';
      const options = { calls: [{ args: [[1, 2, 3]], kwargs: { by: 3 } }] };
      await accepts('python', text, 'group', options, text.replace('{i, i + 1}', 'set([i + 1, i])'));
    });

    it('methods of a class, made without arguments', async () => {
      const text =
        'class Counter:\n    def __init__(self): self.n = 0\n    def add(self, by):\n        for _ in range(by): self.n += 1\n        return self.n\n';
      await accepts(
        'python',
        text,
        'Counter.add',
        calls([3], [4]),
        text.replace('for _ in range(by): self.n += 1', 'self.n += by'),
      );
      await accepts('python', text, 'Counter.add', calls([3], [4]), text.replace('self.n += 1', 'self.n += 2'), 'wrong');
      const script = 'export class Counter { n = 0; add(by) { for (let i = 0; i < by; i++) this.n++; return this.n; } }';
      await accepts(
        'javascript',
        script,
        'Counter.add',
        calls([3], [4]),
        script.replace('for (let i = 0; i < by; i++) this.n++;', 'this.n += by;'),
      );
    });

    it('methods with arguments for the constructor, each call with an instance of its own', async () => {
      const options = {
        calls: [
          { args: [3], init: [10] },
          { args: [4], init: { args: [], kwargs: {} } },
        ],
      };
      const text =
        'class Counter:\n    def __init__(self, n=0): self.n = n\n    def add(self, by):\n        for _ in range(by): self.n += 1\n        return self.n\n';
      await accepts('python', text, 'Counter.add', options, text.replace('for _ in range(by): self.n += 1', 'self.n += by'));
      const outcome = await accepts('python', text, 'Counter.add', options, text.replace('self.n = n', 'self.n = 0'), 'wrong');
      assert.match(outcome.detail, /Counter\(10\)\.add\(3\) returned 3, expected 13/);
      const script =
        'class Counter { constructor(n = 0) { this.n = n; } add(by) { for (let i = 0; i < by; i++) this.n++; return this.n; } }';
      const better = script.replace('for (let i = 0; i < by; i++) this.n++;', 'this.n += by;');
      const typed = script.replace('{ constructor(n = 0)', '{ n: number; constructor(n = 0)');
      await accepts('javascript', script, 'Counter.add', options, better);
      await accepts('javascript', script, 'Counter.add', options, better.replace('this.n = n', 'this.n = 0'), 'wrong');
      await accepts('typescript', typed, 'Counter.add', options, typed.replace('this.n++', 'this.n += 1'));
    });

    it('inputs that JSON cannot say: tuples, sets, maps, infinity', async () => {
      const python = { calls: [{ args: [{ tuple: [1, 2] }, { set: [3] }, { float: 'inf' }], typed: true }] };
      const text = 'def f(a, b, c):\n    return [type(a).__name__, sorted(b), c > 1e308]\n';
      await accepts('python', text, 'f', python, text.replace('sorted(b)', 'list(b)'));
      const script = 'function f(a, b) { return [a.get(1), b.has(3)]; }';
      const options = { calls: [{ args: [{ dict: [[1, 'x']], map: 1 }, { set: [3] }], typed: true }] };
      await accepts('javascript', script, 'f', options, script.replace('a.get(1)', '[...a.values()][0]'));
    });

    it('mutation of arguments in JavaScript and TypeScript', async () => {
      const text = 'function grow(items) { items.push(items.length); }';
      const other = 'function grow(items) { items = [...items, items.length]; }';
      await accepts(
        'javascript',
        text,
        'grow',
        calls([[1]]),
        text.replace('items.push(items.length)', 'items[items.length] = items.length'),
      );
      await accepts('javascript', text, 'grow', calls([[1]]), other, 'wrong');
      const typed = (source: string) => source.replace('(items)', '(items: number[]): void');
      await accepts('typescript', typed(text), 'grow', calls([[1]]), typed(other), 'wrong');
    });

    it('iteration order where it matters, and only there', async () => {
      const dict = 'def f(n):\n    return {i: i for i in range(n)}\n';
      await accepts('python', dict, 'f', calls([5]), dict.replace('range(n)', 'reversed(range(n))'));
      const ordered = 'from collections import OrderedDict\ndef f(n):\n    return OrderedDict((i, i) for i in range(n))\n';
      await accepts('python', ordered, 'f', calls([5]), ordered.replace('in range(n)', 'in reversed(range(n))'), 'wrong');
      const entries = 'function f(n) { const all = []; for (let i = 0; i < n; i++) all.push(["k" + i, i]); return ';
      const backwards = entries.replace('all.push', 'all.unshift');
      await accepts(
        'javascript',
        `${entries}Object.fromEntries(all); }`,
        'f',
        calls([5]),
        `${backwards}Object.fromEntries(all); }`,
      );
      await accepts('javascript', `${entries}new Map(all); }`, 'f', calls([5]), `${backwards}new Map(all); }`, 'wrong');
      await accepts('javascript', `${entries}new Set(all.flat()); }`, 'f', calls([5]), `${backwards}new Set(all.flat()); }`);
    });

    it('generators, promises and floats of JavaScript and TypeScript', async () => {
      const up = 'function* up(n) { for (let i = 0; i < n; i++) yield i; }';
      await accepts('javascript', up, 'up', calls([5]), 'function* up(n) { yield* Array(n).keys(); }');
      await accepts('javascript', up, 'up', calls([5]), 'function* up(n) { yield* Array(n + 1).keys(); }', 'wrong');
      const slow = 'async function wait(n) { await null; return n; }';
      await accepts('javascript', slow, 'wait', calls([5]), 'async function wait(n) { return n; }');
      await accepts(
        'javascript',
        `async function* up(n: number) { for (let i = 0; i < n; i++) yield i; }`.replace(': number', ''),
        'up',
        calls([3]),
        'async function* up(n) { yield 0; yield 1; yield 2; }',
      );
      const typed = 'export function* up(n: number): Generator<number> { for (let i = 0; i < n; i++) yield i; }';
      await accepts('typescript', typed, 'up', calls([5]), typed.replace('i++', 'i += 1'));
      const mean = 'function mean(items) { let s = 0; for (const x of items) s += x; return s / items.length; }';
      await accepts(
        'javascript',
        mean,
        'mean',
        calls([[0.1, 0.2, 0.4]]),
        mean.replace('s += x', 's += x / items.length').replace('s / items.length', 's'),
      );
      await accepts(
        'javascript',
        mean,
        'mean',
        calls([[0.1, 0.2, 0.4]]),
        mean.replace('s / items', 's / 1.000001 / items'),
        'wrong',
      );
    });

    it('what the file imports of its folder, a package and its state included', async () => {
      const root = mkdtempSync(join(tmpdir(), 'peagen-siblings-'));
      const write = (path: string, text: string) => {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      };
      try {
        const target =
          'from .table import factor, seen\nfrom . import more\nimport plain\ndef f(n):\n    seen.append(n)\n    return sum(factor for _ in range(n)) + len(seen) + more.one + plain.two\n';
        write('lib/__init__.py', '');
        write('lib/table.py', 'from .deep.base import factor\nseen = []\n');
        write('lib/deep/__init__.py', '');
        write('lib/deep/base.py', 'factor = 3\n');
        write('lib/more.py', 'one = 1\n');
        write('plain.py', 'two = 2\n');
        write('lib/target.py', target);
        const files = [{ path: 'lib/target.py', text: target }];
        const support = await importedFiles(root, 'python', files);
        assert.deepEqual(
          support.map(({ path }) => path),
          ['lib/__init__.py', 'lib/deep/__init__.py', 'lib/deep/base.py', 'lib/more.py', 'lib/table.py', 'plain.py'],
        );
        const entry = { path: 'lib/target.py', fn: 'f' };
        const program = { language: 'python', files, spans: [{ path: 'lib/target.py', start: 0, end: target.length }] };
        const context = await contextOf(counted);
        const { basis } = await evaluator.prepare(
          program,
          { name: 'function', options: { entry, support, ...calls([4], [5]) } },
          context,
        );
        const better = {
          ...program,
          files: [{ path: 'lib/target.py', text: target.replace('sum(factor for _ in range(n))', 'factor * n') }],
        };
        assert.equal((await evaluator.judge(better, basis, context)).outcome.kind, 'correct');
        const worse = { ...program, files: [{ path: 'lib/target.py', text: target.replace('    seen.append(n)\n', '') }] };
        assert.match((await evaluator.judge(worse, basis, context)).outcome.detail, /f\(4\) returned 15, expected 16/);
      } finally {
        rmSync(root, { recursive: true });
      }
    });

    it('module state, fresh for every pass', async () => {
      const text = 'calls = 0\ndef count(n):\n    global calls\n    calls += 1\n    return calls + n\n';
      await accepts('python', text, 'count', calls([1], [1], [1]), text);
      const script = 'let calls = 0; function count(n) { return ++calls + n; }';
      await accepts('javascript', script, 'count', calls([1], [1], [1]), script);
    });

    it('JavaScript without exports, as a module and as CommonJS', async () => {
      const body = 'function twice(list) { const out = []; for (const x of list) out.push(x * 2); return out; }';
      const better = 'const twice = (list) => list.map((x) => x * 2);';
      await accepts('javascript', body, 'twice', calls([[1, 2]]), better);
      await accepts('javascript', `import os from 'node:os';\n${body}\nexport default twice;`, 'twice', calls([[1]]), better);
      await accepts(
        'javascript',
        `const os = require('node:os');\n${body}\nmodule.exports = { twice };`,
        'twice',
        calls([[1]]),
        better,
      );
    });

    it('TypeScript with types, enums and imports of its own files', async () => {
      const text =
        "import { twice } from './lib';\nenum Kind { A = 3 }\ninterface Box { n: number }\nexport function work(box: Box): number { return twice(box.n) + Kind.A; }\n";
      const lib = { 'lib.ts': 'export const twice = (n: number): number => n * 2;\n' };
      const context = await contextOf(counted);
      const spec = { name: 'function', options: { entry: { path: 'target.ts', fn: 'work' }, ...calls([{ n: 4 }]) } };
      const { basis, execution } = await evaluator.prepare(programOf('typescript', text, lib), spec, context);
      assert.equal(execution.outcome.kind, 'correct');
      const wrong = programOf('typescript', text, { 'lib.ts': lib['lib.ts'].replace('n * 2', 'n * 3') });
      assert.match((await evaluator.judge(wrong, basis, context)).outcome.detail, /returned 15, expected 11/);
      const broken = await evaluator.judge(programOf('typescript', 'function work(: number', lib), basis, context);
      assert.equal(broken.outcome.kind, 'invalid');
    });
  });

  describe('refuses', () => {
    const refuses = async (text: string, fn: string, options: object, pattern: RegExp, code: string, language = 'python') => {
      await assert.rejects(
        prepareText(evaluator, language, text, fn, options as Record<string, unknown>),
        (error: unknown) => error instanceof PeagenError && error.code === code && pattern.test(error.line),
      );
    };

    it('inputs that the original does not accept', () =>
      refuses('def f(a): return a\n', 'f', calls([1, 2], [3, 4]), /every call raises TypeError.*2 were given/, 'original_fails'));

    it('an original that does not load', () =>
      refuses('import nothing_like_this\n', 'f', calls([1]), /nothing_like_this/, 'original_fails'));

    it('an original that never ends', async () => {
      const text = 'def f(n):\n    while True: pass\n';
      const sandboxes = (await contextOf()).sandboxes;
      await assert.rejects(
        prepareText(evaluator, 'python', text, 'f', calls([1]), {
          sandboxes: { ...sandboxes, limits: { ...sandboxes.limits, wallMs: 1000 } },
        }),
        /took longer than 1000 ms/,
      );
    });

    it('an original whose answers depend on chance that no seed controls', () =>
      refuses('import os\ndef f(n): return os.urandom(8)\n', 'f', calls([1]), /made twice.*chance/, 'original_fails'));

    it('a function that is not there', () => refuses('def g(n): return n\n', 'f', calls([1]), /there is no f/, 'original_fails'));

    it('no inputs, and keyword arguments for JavaScript', async () => {
      await refuses('def f(n): return n\n', 'f', { calls: [] }, /inputs/, 'invalid_input');
      await refuses(
        'function f(n) { return n; }',
        'f',
        { calls: [{ args: [], kwargs: { n: 1 } }] },
        /Keyword/,
        'invalid_input',
        'javascript',
      );
    });

    it('a language it does not know', () => refuses('fn f() {}', 'f', calls([1]), /command evaluator/, 'unsupported', 'rust'));
  });

  describe('without time', () => {
    for (const [language, text, better] of [
      [
        'python',
        slowSum,
        'def total(items):\n    result = 0\n    for item in items:\n        result += item\n    return result\n',
      ],
      [
        'javascript',
        'function total(items) { let result = 0; for (const item of items) for (let i = 0; i < 40; i++) result += item; return result / 40; }',
        'function total(items) { let result = 0; for (const item of items) result += item; return result; }',
      ],
    ] as const) {
      it(`gives the same numbers every time, in ${language}`, async () => {
        const { basis } = await prepareText(evaluator, language, text, 'total', inputs, { deterministic: true });
        const judge = async () => (await judgeText(evaluator, language, better, basis, { deterministic: true })).metrics;
        const results = await Promise.all([judge(), judge(), judge()]);
        assert.ok((results[0]?.['speedup'] ?? 0) > 4, JSON.stringify(results[0]));
        assert.deepEqual(results[1], results[0]);
        assert.deepEqual(results[2], results[0]);
      });

      it(`counts the same in addition to the time where it measures to the end, in ${language}`, async () => {
        const counted = await prepareText(evaluator, language, text, 'total', inputs, { deterministic: true });
        const counts = await judgeText(evaluator, language, text, counted.basis, { deterministic: true });
        const { cost, baseline_cost } = counts.metrics;
        const { basis } = await prepareText(evaluator, language, text, 'total', inputs);
        // The original itself is judged, whose gain nobody has to doubt.
        const { metrics, outcome } = await judgeText(evaluator, language, text, basis, { effort: 'final', withinMs: 1000 });
        assert.equal(outcome.kind, 'correct', outcome.detail);
        assert.ok(cost !== undefined && cost > 0);
        assert.deepEqual([metrics['cost'], metrics['baseline_cost']], [cost, baseline_cost]);
      });

      it(`ends an endless loop by its count, in ${language}`, async () => {
        const { basis } = await prepareText(evaluator, language, text, 'total', inputs, { deterministic: true });
        const endless = {
          python: 'def total(items):\n    while True: pass\n',
          javascript: 'function total(items) { for (;;); }',
        };
        const { outcome } = await judgeText(evaluator, language, endless[language], basis, { deterministic: true });
        assert.equal(outcome.kind, 'timeout');
        assert.match(outcome.detail, /more operations/);
      });

      it(`reports too many operations before what a call does in the end, in ${language}`, async () => {
        const { basis } = await prepareText(evaluator, language, text, 'total', inputs, { deterministic: true });
        const wasteful = {
          python: 'def total(items):\n    for _ in range(400000): pass\n    return None\n',
          javascript: 'function total(items) { for (let i = 0; i < 400_000; i++); return null; }',
        };
        const { outcome } = await judgeText(evaluator, language, wasteful[language], basis, { deterministic: true });
        assert.deepEqual([outcome.kind, outcome.detail], ['timeout', 'total took more operations than it may.']);
      });
    }

    it('ends an endless loop behind an await by its count', async () => {
      const waits = 'async function total(items) { let sum = 0; for (const item of items) sum += item; return sum; }';
      const { basis } = await prepareText(evaluator, 'javascript', waits, 'total', inputs, { deterministic: true });
      const endless = 'async function total(items) { await null; for (;;); }';
      const { outcome } = await judgeText(evaluator, 'javascript', endless, basis, { deterministic: true });
      assert.deepEqual([outcome.kind, outcome.detail], ['timeout', 'total took more operations than it may.']);
    });
  });
});
