/** Conventions that hold in the whole repository, read from the sources. */
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { roomImports, withModules } from '../module-diagram.ts';
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

describe('the rooms', () => {
  it('are in ARCHITECTURE.md with what each imports today; `node test/module-diagram.ts` writes it', () => {
    const text = readTracked('ARCHITECTURE.md');
    assert.equal(text, withModules(text));
  });

  it('of the extension and of shared know nothing of the daemon', () => {
    const rooms = roomImports();
    assert.deepEqual([...(rooms.get('extension') ?? [])], ['shared']);
    assert.deepEqual([...(rooms.get('shared') ?? [])], []);
  });
});
