import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadTarget } from '../../../daemon/evolution/target.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { spanText } from '../../../shared/program.ts';

const source = `import os

@cache
def sort(items):
    # slow
    return sorted(items)

class Box:
    def total(self, tax):
        return sum(self.items) * tax
`;

describe('loadTarget', () => {
  let root = '';
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'peagen-target-'));
    await writeFile(join(root, 'a.py'), source);
  });
  after(() => rm(root, { recursive: true, force: true }));

  const spansOf = async (path: string, text: string, fn?: string) => {
    const { program } = await loadTarget({ root, path, text, ...(fn === undefined ? {} : { entry_fn: fn }) });
    return program.spans.map((span) => spanText(program, span));
  };
  const fails = (code: string, pattern: RegExp) => (caught: unknown) => {
    assert.ok(caught instanceof PeagenError, String(caught));
    assert.equal(caught.code, code);
    assert.match(caught.line, pattern);
    return true;
  };

  it('spans further functions that may change along, in the order of the text', async () => {
    const { program, entry } = await loadTarget({ root, path: 'a.py', entry_fn: 'Box.total', functions: ['sort', 'Box.total'] });
    assert.deepEqual(
      program.spans.map((span) => spanText(program, span).split('\n')[0]),
      ['@cache', '    def total(self, tax):'],
    );
    assert.deepEqual(entry, { path: 'a.py', fn: 'Box.total' });
    const alone = await loadTarget({ root, path: 'a.py', functions: ['sort'] });
    assert.equal(alone.entry, undefined);
    assert.equal(alone.program.spans.length, 1);
    await assert.rejects(
      loadTarget({ root, path: 'a.py', functions: ['sort', 'totl'] }),
      fails('not_found', /no function "totl"/),
    );
  });

  it('spans a function from its decorators to the end of its body', async () => {
    const { program, entry } = await loadTarget({ root, path: 'a.py', entry_fn: 'sort' });
    assert.deepEqual(entry, { path: 'a.py', fn: 'sort' });
    assert.equal(program.language, 'python');
    assert.deepEqual(
      program.spans.map((span) => spanText(program, span)),
      ['@cache\ndef sort(items):\n    # slow\n    return sorted(items)'],
    );
  });

  it('finds a method by the name of its class', async () => {
    assert.deepEqual(await spansOf('a.py', source, 'Box.total'), [
      '    def total(self, tax):\n        return sum(self.items) * tax',
    ]);
  });

  it('prefers the text it is given, even of a file that is not saved yet', async () => {
    assert.deepEqual(await spansOf('new.js', 'const f = (x) => x;\n', 'f'), ['const f = (x) => x;']);
  });

  it('takes the last of two functions with one name', async () => {
    assert.deepEqual(await spansOf('a.py', 'def f():\n    return 1\n\ndef f():\n    return 2\n', 'f'), [
      'def f():\n    return 2',
    ]);
  });

  it('takes the lines strictly between markers, behind any comment prefix', async () => {
    const block = (open: string, close = '') =>
      `a\n${open} EVOLVE-BLOCK-START${close}\nb\nc\n  ${open} EVOLVE-BLOCK-END${close}\nd\n`;
    for (const path of ['a.py', 'a.rs', 'a.unknown']) {
      for (const text of [
        block('#'),
        block('//'),
        block('/*', ' */'),
        block('<!--', ' -->'),
        block('--'),
        block(';;'),
        block('REM'),
      ]) {
        assert.deepEqual(await spansOf(path, text), ['b\nc\n'], text);
      }
    }
    assert.deepEqual(await spansOf('a.py', `${block('#')}${block('#')}`), ['b\nc\n', 'b\nc\n']);
    assert.deepEqual(await spansOf('a.py', '# EVOLVE-BLOCK-START\r\nx = 1\r\n# EVOLVE-BLOCK-END\r\n'), ['x = 1\r\n']);
  });

  it('narrows a function to the blocks marked in it', async () => {
    const text = 'def f(x):\n    # EVOLVE-BLOCK-START\n    x += 1\n    # EVOLVE-BLOCK-END\n    return x\n';
    assert.deepEqual(await spansOf('a.py', text, 'f'), ['    x += 1\n']);
  });

  it('takes the whole file when there are neither function nor markers', async () => {
    assert.deepEqual(await spansOf('a.rs', 'fn main() {}\n'), ['fn main() {}\n']);
  });

  it('keeps a byte order mark', async () => {
    await writeFile(join(root, 'bom.py'), '\ufeffdef f():\n    return 1\n');
    const { program } = await loadTarget({ root, path: 'bom.py', entry_fn: 'f' });
    assert.equal(program.files[0]?.text.charCodeAt(0), 0xfeff);
  });

  it('names the nearest function and those there are', async () => {
    await assert.rejects(
      loadTarget({ root, path: 'a.py', entry_fn: 'srot' }),
      fails('not_found', /no function "srot" in "a\.py".*mean "sort".*sort, Box\.total/),
    );
  });

  it('refuses what it cannot evolve', async () => {
    await writeFile(join(root, 'bin.py'), Buffer.from([1, 0, 2]));
    await writeFile(join(root, 'latin.py'), Buffer.from('# caf\xe9\n', 'latin1'));
    await assert.rejects(loadTarget({ root, path: 'none.py' }), fails('not_found', /none\.py/));
    await assert.rejects(loadTarget({ root, path: 'bin.py' }), fails('invalid_input', /binary/));
    await assert.rejects(loadTarget({ root, path: 'latin.py' }), fails('invalid_input', /UTF-8/));
    await assert.rejects(loadTarget({ root, path: 'a.py/b' }), fails('not_found', /a\.py/));
    await assert.rejects(
      loadTarget({ root: join(root, '..'), path: root.slice(root.lastIndexOf('/') + 1) }),
      fails('invalid_input', /not a file/),
    );
    await assert.rejects(loadTarget({ root, path: 'a.py', text: 'x'.repeat(5_000_000) }), fails('too_large', /5000000/));
    await assert.rejects(
      loadTarget({ root, path: 'a.rs', text: 'fn f() {}', entry_fn: 'f' }),
      fails('unsupported', /EVOLVE-BLOCK/),
    );
    await assert.rejects(loadTarget({ root, path: 'a.xyz', text: 'x' }), fails('unsupported', /language of "a\.xyz"/));
  });

  it('refuses unbalanced markers and says where', async () => {
    const start = '# EVOLVE-BLOCK-START\n';
    const end = '# EVOLVE-BLOCK-END\n';
    await assert.rejects(spansOf('a.py', `x\n${start}y\n`), fails('invalid_input', /a\.py:2: EVOLVE-BLOCK-START/));
    await assert.rejects(spansOf('a.py', `x\n${end}`), fails('invalid_input', /a\.py:2: EVOLVE-BLOCK-END/));
    await assert.rejects(spansOf('a.py', `${start}${start}${end}${end}`), fails('invalid_input', /a\.py:2/));
  });

  it('refuses a path that leaves the root, by dots or through a link', async () => {
    const inner = await mkdtemp(join(root, 'inner-'));
    await symlink(join(root, 'a.py'), join(inner, 'out.py'));
    await assert.rejects(loadTarget({ root: inner, path: '../a.py' }), fails('invalid_input', /leaves/));
    await assert.rejects(loadTarget({ root: inner, path: 'out.py' }), fails('invalid_input', /link that leaves/));
    await assert.rejects(loadTarget({ root: inner, path: 'out.py', text: 'x' }), fails('invalid_input', /link that leaves/));
  });
});
