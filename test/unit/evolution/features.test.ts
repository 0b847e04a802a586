import assert from 'node:assert/strict';
import { Grid } from '../../../daemon/evolution/evodb/grid.ts';
import {
  age,
  defaultAxes,
  diversity,
  type Feature,
  featureValues,
  memory,
  size,
  speed,
} from '../../../daemon/evolution/features.ts';
import { minHashDistance, minHashOf } from '../../../daemon/evolution/min-hash.ts';
import { approachOf, loadApproach } from '../../../daemon/evolution/syntax/approach.ts';
import { loadComplexity } from '../../../daemon/evolution/syntax/complexity.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Program } from '../../../shared/program.ts';

const program: Program = {
  language: 'python',
  files: [{ path: 'a.py', text: 'x = 1\ny = 2\nz = 3\n' }],
  spans: [
    { path: 'a.py', start: 0, end: 5 },
    { path: 'a.py', start: 12, end: 17 },
  ],
};
const builtin = new Map<string, Feature>([speed(), memory(), size(), age()].map((feature) => [feature.name, feature]));

describe('features', () => {
  const python = (text: string): Program => ({
    language: 'python',
    files: [{ path: 'a.py', text: `# before\n${text}` }],
    spans: [{ path: 'a.py', start: 9, end: 9 + text.length }],
  });

  const function_ = { language: 'python', speed: true };
  const classic = Config.parse({ evolve: { archive: { features: ['speed', 'memory', 'size', 'age'] } } });

  it('are, by name, speed, memory, size of the evolvable parts, and age modulo six, with the configured bins', () => {
    const axes = defaultAxes(classic, function_);
    assert.deepEqual(
      axes.map(({ name, bin }) => [name, bin]),
      [
        ['speed', 5],
        ['memory', 32],
        ['size', 40],
        ['age', 1],
      ],
    );
    const metrics = { speed_ms: 12.5, peak_kb: 900, speedup: 2 };
    assert.deepEqual(featureValues(axes, builtin, { program, metrics, generation: 8 }), [12.5, 900, 10, 2]);
    const bins = Config.parse({
      evolve: { archive: { features: ['speed', 'memory', 'size', 'age'], speed_bin_ms: 2, mem_bin_kb: 64, size_bin_ch: 10 } },
    });
    assert.deepEqual(
      defaultAxes(bins, function_).map((axis) => axis.bin),
      [2, 64, 10, 1],
    );
    const own = Config.parse({ evolve: { archive: { features: [{ name: 'accuracy', bin: 0.1 }] } } });
    assert.deepEqual(defaultAxes(own, function_), [{ name: 'accuracy', bin: 0.1, unit: '' }]);
    const unknown = Config.parse({ evolve: { archive: { features: ['accuracy'] } } });
    assert.throws(() => defaultAxes(unknown, function_), /"accuracy".*no default bins/);
  });

  it('are by default what the kind of run can tell apart, and never a clock', () => {
    const names = (kind: Parameters<typeof defaultAxes>[1]) => defaultAxes(Config.parse({}), kind).map(({ name }) => name);
    assert.deepEqual(names(function_), ['complexity', 'approach']);
    assert.deepEqual(names({ language: 'python', speed: false }), ['complexity', 'diversity']);
    assert.deepEqual(names({ language: 'fortran', speed: true }), ['size', 'diversity']);
  });

  it('put one program into one niche, however its times are, and name the niche by its approach', async () => {
    const axes = defaultAxes(Config.parse({}), function_);
    const features = new Map<string, Feature>();
    for (const load of [loadApproach, loadComplexity]) {
      const feature = (await load())();
      features.set(feature.name, feature);
    }
    const grid = new Grid(axes);
    const nicheOf = (text: string, speed_ms: number, generation: number) =>
      grid.place(
        featureValues(axes, features, { program: python(text), metrics: { speed_ms, peak_kb: speed_ms * 7 }, generation }),
      );
    const counting = 'def f(xs):\n    seen = {}\n    for x in xs:\n        seen[x] = seen.get(x, 0) + 1\n    return seen\n';
    const niches = Array.from({ length: 20 }, (_, i) => nicheOf(counting, 1 + 3 * i, i));
    assert.equal(new Set(niches).size, 1);
    assert.equal(grid.label(niches[0] ?? '0/0'), 'complexity 2–4 paths · dictionary-based');
    const sorting = 'def f(xs):\n    last = 0\n    for x in sorted(xs):\n        last = x\n    return last\n';
    assert.match(grid.label(nicheOf(sorting, 1, 1)), /sorting-based$/);
  });

  it('tell approaches apart in Python and JavaScript', async () => {
    await loadApproach();
    const js = (text: string): Program => ({
      language: 'javascript',
      files: [{ path: 'a.js', text }],
      spans: [{ path: 'a.js', start: 0, end: text.length }],
    });
    const cases: [Program, string][] = [
      [python('def f(x):\n    return x + 1  # sorted\n'), 'straight-line'],
      [python('def f(x):\n    for a in x:\n        for b in x:\n            a += b\n    return a\n'), 'nested loops'],
      [python('def f(n):\n    return n if n < 2 else f(n - 1) + f(n - 2)\n'), 'recursive'],
      [python('def f(xs):\n    return [x for x in xs if x]\n'), 'comprehension-based'],
      [python('def f(xs):\n    s = set(xs)\n    return len(s)\n'), 'set-based'],
      [
        js('function f(xs) {\n  const seen = new Map();\n  for (const x of xs) seen.set(x, 1);\n  return seen;\n}\n'),
        'dictionary-based',
      ],
      [js('function f(xs) {\n  let sum = 0;\n  for (const x of xs) sum += x;\n  return sum;\n}\n'), 'one loop'],
      [js('function f(xs) {\n  return new Float64Array(xs);\n}\n'), 'array-based'],
    ];
    for (const [given, expected] of cases) assert.equal(approachOf(given), expected);
  });

  it('may be any metric', () => {
    const axes = [{ name: 'accuracy', bin: 0.1, unit: '' }];
    assert.deepEqual(featureValues(axes, builtin, { program, metrics: { accuracy: 0.75 }, generation: 1 }), [0.75]);
  });

  it('stay flat where the evaluator measures neither time nor memory', () => {
    assert.deepEqual(
      featureValues(defaultAxes(classic, function_), builtin, { program, metrics: { score: 1 }, generation: 1 }),
      [0, 0, 10, 1],
    );
  });

  it('name an axis that nothing measures, and what there is', () => {
    const axes = [{ name: 'accuracy', bin: 0.1, unit: '' }];
    assert.throws(
      () => featureValues(axes, builtin, { program, metrics: { score: 1 }, generation: 1 }),
      (error) => error instanceof PeagenError && /"accuracy"/.test(error.message) && /score/.test(error.line),
    );
  });

  it('measure how far a program is from the nearest elites', () => {
    const source = (n: number) =>
      `def f(x):\n${Array.from({ length: 30 }, (_, i) => `    a${i * n} = x * ${i + n}\n`).join('')}    return x\n`;
    const distance = (given: Program, others: Program[]) =>
      diversity().value({ program: given, metrics: {}, generation: 0, neighbours: others.map(minHashOf) });
    const base = python(source(1));
    assert.equal(distance(base, [base]), 0);
    assert.equal(distance(python(source(1).replaceAll(' = ', '  =  ')), [base]), 0);
    const near = Number(distance(python(source(1).replaceAll(/a\d = x/g, 'b = y')), [base]));
    const far = Number(distance(python('class Other:\n    pass\n'), [base]));
    assert.ok(near > 10 && near < 70, `${near}`);
    assert.ok(far > 95, `${far}`);
    assert.equal(distance(base, []), undefined);
    assert.equal(distance(base, [...Array.from({ length: 5 }, () => base), python('class Other:\n    pass\n')]), 0);
  });

  it('refuse a sketch that is none', () => {
    assert.throws(() => minHashDistance('AAAA', minHashOf(program)), PeagenError);
  });
});
