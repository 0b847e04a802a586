/** Conventions that hold in the whole repository, read from the sources. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { readTracked, trackedFiles } from '../prose.ts';

const sources = trackedFiles('daemon', 'shared', 'extension', 'test').filter((path) => path.endsWith('.ts'));
const tests = sources.filter((path) => path.startsWith('test/') && path !== 'test/unit/conventions.test.ts');

describe('every source file', () => {
  it('has a name in kebab-case', () => {
    const others = sources.filter((path) => !/^[a-z0-9-]+(\.[a-z]+)*\.ts$/.test(basename(path)));
    assert.deepEqual(others, []);
  });

  it('has at most 500 lines', () => {
    const long = sources.filter((path) => readTracked(path).split('\n').length > 500);
    assert.deepEqual(long, []);
  });
});

describe('every test', () => {
  it('runs once: none is retried or left out by hand', () => {
    const pattern = /\.retries\(|\b(?:it|describe)\.(?:only|skip)\(/;
    assert.deepEqual(
      tests.filter((path) => pattern.test(readTracked(path))),
      [],
    );
  });
});
