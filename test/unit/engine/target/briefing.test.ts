/** What a model learns about a run in addition to its programs. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { briefing, docstringOf, packagesIn, sortedByUse } from '../../../../daemon/engine/target/briefing.ts';
import type { Program } from '../../../../shared/program.ts';

const text = 'def f():\n    return 1\n';
const program: Program = {
  language: 'fortran',
  files: [{ path: 'a.f90', text }],
  spans: [{ path: 'a.f90', start: 0, end: text.length }],
};

describe('the briefing of a model', () => {
  it('reads names and versions of packages from the folders that describe them', () => {
    const entries = [
      'numpy',
      'numpy-2.4.6.dist-info',
      'more_itertools-11.0.dist-info',
      'old-1.0-py3.11.egg-info',
      'six.py',
      'numpy-2.4.6.dist-info',
    ];
    assert.deepEqual(packagesIn(entries), ['more-itertools 11.0', 'numpy 2.4.6', 'old 1.0']);
  });

  it('lists the packages that the program imports first, then those that compute', () => {
    const packages = ['attrs 1.0', 'numpy 2.1', 'scipy 1.14', 'typing-extensions 4'];
    assert.deepEqual(sortedByUse(packages, 'from scipy.optimize import minimize\nimport typing_extensions\n'), [
      'scipy 1.14',
      'typing-extensions 4',
      'numpy 2.1',
      'attrs 1.0',
    ]);
  });

  it('reads the docstring at the head of an evaluator, and no other string', () => {
    assert.equal(docstringOf('# by hand\n\n"""\nScores a packing.\n"""\nimport x\n'), 'Scores a packing.');
    assert.equal(docstringOf('import x\n\ntext = """no docstring"""\n'), '');
  });

  it("holds the description of a folder's evaluator", async () => {
    const root = await mkdtemp(join(tmpdir(), 'peagen-briefing-'));
    await writeFile(join(root, 'evaluator.py'), '"""The score is the sum of the radii."""\n');
    assert.deepEqual(await briefing(program, { name: 'openevolve', options: { root } }), {
      about: 'The score is the sum of the radii.',
    });
    assert.deepEqual(await briefing(program, { name: 'command', options: { root, command: 'python3 evaluator.py -q' } }), {
      about: 'The score is the sum of the radii.',
    });
    assert.deepEqual(await briefing(program, { name: 'command', options: { root, command: 'pytest ../evaluator.py' } }), {});
    await writeFile(join(root, 'evaluator.py'), 'import math\n');
    await writeFile(join(root, 'README.md'), 'Pack circles.\n');
    assert.deepEqual(await briefing(program, { name: 'openevolve', options: { root } }), { about: 'Pack circles.' });
    await writeFile(join(root, 'evaluator.py'), '"""Evaluator."""\n');
    await writeFile(join(root, 'README.md'), `Pack circles.\n\n${'## Run\nLine.\n'.repeat(200)}`);
    const { about = '' } = await briefing(program, { name: 'openevolve', options: { root } });
    assert.match(about, /^Evaluator\.\n\nPack circles\.\n/);
    assert.ok(about.length < 1600 && /(Line\.|## Run)$/.test(about), about.slice(-20));
    await rm(root, { recursive: true });
  });
});
