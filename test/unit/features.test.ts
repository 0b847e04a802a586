import assert from 'node:assert/strict';
import {
  age,
  defaultAxes,
  diversity,
  type Feature,
  featureValues,
  memory,
  size,
  speed,
} from '../../daemon/evolution/features.ts';
import { sketchDistance, sketchOf } from '../../daemon/evolution/sketch.ts';
import { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Program } from '../../shared/program.ts';

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
  it('are speed, memory, size of the evolvable parts, and age modulo six', () => {
    const axes = defaultAxes(Config.parse({}));
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
  });

  it('take their bins and axes from the configuration', () => {
    const bins = Config.parse({ evolve: { archive: { speed_bin_ms: 2, mem_bin_kb: 64, size_bin_ch: 10 } } });
    assert.deepEqual(
      defaultAxes(bins).map((axis) => axis.bin),
      [2, 64, 10, 1],
    );
    const own = Config.parse({ evolve: { archive: { features: [{ name: 'accuracy', bin: 0.1 }] } } });
    assert.deepEqual(defaultAxes(own), [{ name: 'accuracy', bin: 0.1, unit: '' }]);
  });

  it('may be any metric', () => {
    const axes = [{ name: 'accuracy', bin: 0.1, unit: '' }];
    assert.deepEqual(featureValues(axes, builtin, { program, metrics: { accuracy: 0.75 }, generation: 1 }), [0.75]);
  });

  it('stay flat where the evaluator measures neither time nor memory', () => {
    assert.deepEqual(
      featureValues(defaultAxes(Config.parse({})), builtin, { program, metrics: { score: 1 }, generation: 1 }),
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

  const python = (text: string): Program => ({
    language: 'python',
    files: [{ path: 'a.py', text: `# before\n${text}` }],
    spans: [{ path: 'a.py', start: 9, end: 9 + text.length }],
  });

  it('measure how far a program is from the nearest elites', () => {
    const source = (n: number) =>
      `def f(x):\n${Array.from({ length: 30 }, (_, i) => `    a${i * n} = x * ${i + n}\n`).join('')}    return x\n`;
    const distance = (given: Program, others: Program[]) =>
      diversity().value({ program: given, metrics: {}, generation: 0, neighbours: others.map(sketchOf) });
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
    assert.throws(() => sketchDistance('AAAA', sketchOf(program)), PeagenError);
  });
});
