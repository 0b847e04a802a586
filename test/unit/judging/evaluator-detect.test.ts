import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { detectJudges } from '../../../daemon/judging/command/detect.ts';
import { metricsFrom } from '../../../daemon/judging/command/report.ts';

describe('the detection of tests', () => {
  const cases: [string, Record<string, string>, string[]][] = [
    ['pytest by its settings', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, ['python3 -m pytest -q -x']],
    ['pytest by its test functions', { 'tests/test_a.py': 'def test_a(): pass\n' }, ['python3 -m pytest -q -x']],
    ['pytest in a folder of its tests', { 'tests/unit/test_a.py': 'def test_a(): pass\n' }, ['python3 -m pytest -q -x']],
    [
      'unittest by its classes',
      { 'tests/test_a.py': 'import unittest\nclass A(unittest.TestCase): pass\n' },
      ['python3 -m unittest discover -q -s tests'],
    ],
    ['unittest next to the code', { 'test_a.py': 'from unittest import TestCase\n' }, ['python3 -m unittest discover -q']],
    ['npm test', { 'package.json': '{"scripts":{"test":"node --test"}}' }, ['npm test --silent']],
    [
      'vitest and mocha',
      { 'package.json': '{"devDependencies":{"vitest":"1","mocha":"1"}}' },
      ['node_modules/.bin/vitest run', 'node_modules/.bin/mocha'],
    ],
    [
      'nothing in what npm init writes',
      { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
      [],
    ],
    ['nothing in a broken package.json', { 'package.json': '{' }, []],
    ['cargo and go', { 'Cargo.toml': '', 'go.mod': '' }, ['cargo test --quiet --offline', 'go test ./...']],
    ['make test, and no variable of that name', { Makefile: 'test: build\n\ttrue\n' }, ['make test']],
    ['no rule in a variable', { Makefile: 'test := 1\n' }, []],
  ];
  for (const [name, files, commands] of cases) {
    it(`finds ${name}`, async () => {
      const root = mkdtempSync(join(tmpdir(), 'peagen-detect-'));
      try {
        for (const [path, text] of Object.entries(files)) {
          mkdirSync(dirname(join(root, path)), { recursive: true });
          writeFileSync(join(root, path), text);
        }
        assert.deepEqual(
          (await detectJudges(root)).map(({ command }) => command),
          commands,
        );
      } finally {
        rmSync(root, { recursive: true });
      }
    });
  }

  it('finds nothing in a folder that is not there', async () => {
    assert.deepEqual(await detectJudges('/nowhere/at/all'), []);
  });
});

describe('metrics of a command', () => {
  it('come from the last line that is a JSON object', () => {
    const out = '{"ops": 1}\nnoise {x}\n{"ops": 20, "name": "x", "flag": true, "ratio": 0.5}\ndone';
    assert.deepEqual(metricsFrom([{ from: 'json' }], out, new Map()), { ops: 20, ratio: 0.5 });
  });

  it('come from the last match of a pattern', () => {
    const out = 'took 12.5 ms\ntook 9 ms\n';
    assert.deepEqual(metricsFrom([{ from: 'regex', name: 'speed_ms', pattern: 'took ([\\d.]+) ms' }], out, new Map()), {
      speed_ms: 9,
    });
    assert.deepEqual(metricsFrom([{ from: 'regex', name: 'speed_ms', pattern: 'never (x)' }], out, new Map()), {});
  });

  it('do not come from a pattern that would search for ever: that is a fault of the task', () => {
    const out = `${'a'.repeat(60)}!`;
    assert.throws(() => metricsFrom([{ from: 'regex', name: 'x', pattern: '^(a+)+$' }], out, new Map()), {
      code: 'invalid_input',
      message: /The metric's pattern "\^\(a\+\)\+\$" took more than 250 ms on the output/,
    });
  });

  it('come from a JUnit report, nested or not', () => {
    const nested = '<testsuites tests="3" failures="1" errors="0" time="1.5"><testsuite tests="3" failures="1"/></testsuites>';
    const flat = '<?xml version="1.0"?><testsuite tests="2" failures="0" errors="1" time="0.25"></testsuite>';
    const source = [{ from: 'junit', path: 'r.xml' }] as const;
    assert.deepEqual(metricsFrom(source, '', new Map([['r.xml', nested]])), { tests: 3, failures: 1, test_ms: 1500 });
    assert.deepEqual(metricsFrom(source, '', new Map([['r.xml', flat]])), { tests: 2, failures: 1, test_ms: 250 });
    assert.deepEqual(metricsFrom(source, '', new Map()), {});
  });
});
