/** Conventions that hold in the whole repository, read from the sources. */
import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { roomImports, withModules } from '../../module-diagram.ts';
import { readTracked, trackedFiles } from '../../prose.ts';

/** "About 20", with room for a fix that adds one or two. */
const MOST_FILES = 22;
const MOST_LINES = 400;
const SELF = 'test/unit/project/conventions.test.ts';

const sources = trackedFiles('daemon', 'shared', 'extension', 'test').filter((path) => path.endsWith('.ts'));
const product = sources.filter((path) => !path.startsWith('test/'));
const tests = sources.filter((path) => path.startsWith('test/') && path !== SELF);

describe('every source file', () => {
  it('has a name in kebab-case', () => {
    const others = sources.filter((path) => !/^[a-z0-9-]+(\.[a-z]+)*\.ts$/.test(basename(path)));
    assert.deepEqual(others, []);
  });

  it(`has at most ${MOST_LINES} lines, a test at most 500`, () => {
    const lines = (path: string) => readTracked(path).trimEnd().split('\n').length;
    const long = sources.filter((path) => lines(path) > (path.startsWith('test/') ? 500 : MOST_LINES));
    assert.deepEqual(long, []);
  });

  it(`shares its folder with at most ${MOST_FILES - 1} others`, () => {
    const folders = new Map<string, number>();
    for (const path of sources) folders.set(dirname(path), (folders.get(dirname(path)) ?? 0) + 1);
    const crowded = [...folders].filter(([, count]) => count > MOST_FILES);
    assert.deepEqual(crowded, []);
  });

  it('has private members by the keyword', () => {
    const pattern = /^\s+(?:static |readonly |async |get |set |\*)*#[a-z]\w*/m;
    assert.deepEqual(
      product.filter((path) => pattern.test(readTracked(path))),
      [],
    );
  });
});

describe('an exported type', () => {
  it('has a name that no other has', () => {
    const owners = new Map<string, Set<string>>();
    for (const path of product)
      for (const [, name = ''] of readTracked(path).matchAll(/^export (?:abstract )?(?:type|interface|class|enum) (\w+)/gm))
        owners.set(name, (owners.get(name) ?? new Set()).add(path));
    const shared = [...owners].filter(([, paths]) => paths.size > 1).map(([name, paths]) => [name, ...paths]);
    assert.deepEqual(shared, []);
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

  it('import each other in one direction only, types included', () => {
    const rooms = roomImports();
    const left = new Set(rooms.keys());
    for (let before = Number.POSITIVE_INFINITY; left.size < before; ) {
      before = left.size;
      for (const room of left) if ([...(rooms.get(room) ?? [])].every((other) => !left.has(other))) left.delete(room);
    }
    assert.deepEqual([...left], [], 'these import each other in a circle');
  });
});
