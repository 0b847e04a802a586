import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestPath, manifestText, readManifest } from '../../../daemon/render/manifest.ts';
import { outputPath, requireNoClash } from '../../../daemon/render/paths.ts';
import { apply, compare, recover } from '../../../daemon/render/stage.ts';

const { signal } = new AbortController();
/** No process has such an id. */
const DEAD = 2 ** 31 - 1;

describe('An output path', () => {
  const bad = [
    '../x',
    'a/../../x',
    '/etc/x',
    'C:\\x',
    '\\\\host\\x',
    'a\\..\\..\\x',
    '',
    '.',
    'a/',
    'a\0b',
    '.peagen/x',
    'a/.git/hooks/x',
  ];
  for (const name of bad) {
    it(`is refused: ${JSON.stringify(name)}`, () => assert.throws(() => outputPath(name), { code: 'invalid_input' }));
  }

  it('is brought into one form', () => assert.equal(outputPath('./a//b\\c.txt'), 'a/b/c.txt'));

  it('is refused when it is the folder of another', () => {
    assert.throws(() => requireNoClash(['a/b', 'a']), { code: 'invalid_input', message: /^a is a file/ });
  });
});

describe('The output folder', () => {
  let out: string;
  beforeEach(async () => {
    out = await mkdtemp(join(tmpdir(), 'peagen-render-'));
  });
  afterEach(() => rm(out, { recursive: true, force: true }));

  const tree = async () => (await readdir(out, { recursive: true })).sort();

  it('gets new and changed files, and keeps those that are the same', async () => {
    await writeFile(join(out, 'same'), 'é');
    await writeFile(join(out, 'old'), 'before');
    const files = ['same', 'old', 'deep/er/new'].map((path) => ({ path, text: 'é' }));
    assert.deepEqual(
      [...(await compare(out, files))],
      [
        ['same', { state: 'same', before: 'é' }],
        ['old', { state: 'changed', before: 'before' }],
        ['deep/er/new', { state: 'new', before: undefined }],
      ],
    );
    await apply(out, files, signal);
    assert.deepEqual(
      [...(await compare(out, files)).values()].map(({ state }) => state),
      ['same', 'same', 'same'],
    );
    assert.deepEqual(await tree(), ['.peagen', 'deep', 'deep/er', 'deep/er/new', 'old', 'same']);
  });

  it('is made when it is missing', async () => {
    await apply(join(out, 'a', 'b'), [{ path: 'x', text: '1' }], signal);
    assert.equal(await readFile(join(out, 'a', 'b', 'x'), 'utf8'), '1');
  });

  it('is written through no link', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'peagen-render-'));
    try {
      await symlink(elsewhere, join(out, 'link'));
      await symlink(join(elsewhere, 'file'), join(out, 'file'));
      for (const path of ['link/x', 'file']) {
        await assert.rejects(
          apply(
            out,
            [
              { path: 'first', text: '1' },
              { path, text: '2' },
            ],
            signal,
          ),
          { code: 'invalid_input', message: /link/ },
        );
      }
      assert.deepEqual(await tree(), ['file', 'link']);
      assert.deepEqual(await readdir(elsewhere), []);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('is as it was after a move that failed', async () => {
    await writeFile(join(out, 'one'), 'before');
    await mkdir(join(out, 'three'));
    await writeFile(join(out, 'three', 'inner'), '');
    // The third file's name is longer than a file system takes: its move fails after the others'.
    const files = [
      { path: 'one', text: 'after' },
      { path: 'new/two', text: 'x' },
      { path: `new/${'n'.repeat(300)}`, text: 'x' },
    ];
    const before = await tree();
    await assert.rejects(apply(out, files, signal), { code: 'storage_failed', message: /cannot be put into/ });
    assert.deepEqual(await tree(), before);
    assert.equal(await readFile(join(out, 'one'), 'utf8'), 'before');
  });

  it('is as it was after a run that was stopped', async () => {
    const stopped = AbortSignal.abort();
    await assert.rejects(apply(out, [{ path: 'a', text: '1' }], stopped), { name: 'AbortError' });
    assert.deepEqual(await tree(), []);
  });

  it('loses what a killed run left behind', async () => {
    await mkdir(join(out, '.peagen', `staging-${DEAD}-x`, 'old'), { recursive: true });
    await writeFile(join(out, '.peagen', `staging-${DEAD}-x`, '0'), 'half');
    await recover(out);
    assert.deepEqual(await tree(), ['.peagen']);
  });

  it('is brought back to what it was when a run was killed among its moves', async () => {
    const staging = join(out, '.peagen', `staging-${DEAD}-x`);
    await mkdir(join(staging, 'old'), { recursive: true });
    await writeFile(
      join(staging, 'moves.json'),
      JSON.stringify(['changed', 'new', 'later', 'not-yet', '.peagen/x_manifest.json']),
    );
    // Moved: a changed file and a new one. In the move: a changed one. Still to be moved: a changed file and a new one.
    await writeFile(join(staging, 'old', '0'), 'was');
    await writeFile(join(out, 'changed'), 'is');
    await writeFile(join(out, 'new'), 'is');
    await writeFile(join(staging, 'old', '2'), 'was');
    for (const waiting of ['2', '3', '4']) await writeFile(join(staging, waiting), 'is');
    await writeFile(join(out, 'not-yet'), 'was');
    await recover(out);
    assert.deepEqual(await tree(), ['.peagen', 'changed', 'later', 'not-yet']);
    for (const name of ['changed', 'later', 'not-yet']) assert.equal(await readFile(join(out, name), 'utf8'), 'was');
  });

  it('is not touched where another run is at work, nor outside by a list of moves that lies', async () => {
    const busy = join(out, '.peagen', `staging-${process.ppid}-x`);
    await mkdir(busy, { recursive: true });
    await recover(out);
    assert.deepEqual(await tree(), ['.peagen', join('.peagen', `staging-${process.ppid}-x`)]);
    const lying = join(out, '.peagen', `staging-${DEAD}-y`);
    await mkdir(join(lying, 'old'), { recursive: true });
    await writeFile(join(lying, 'moves.json'), '["../victim"]');
    await assert.rejects(recover(out), { code: 'invalid_input', message: /leaves the output folder/ });
  });

  it('may be read-only: that is said', async function () {
    if (process.getuid?.() === 0) this.skip();
    await chmod(out, 0o555);
    await assert.rejects(apply(out, [{ path: 'a', text: '1' }], signal), { code: 'storage_failed' });
  });
});

describe('A manifest', () => {
  const entries = [{ path: 'a', sha256: '1', template: 't', package: 'p', prompt: '2' }];

  it('is the same for the same inputs, and has no time in it', () => {
    assert.equal(manifestText('x', 'minijinja', entries), manifestText('x', 'minijinja', entries));
    assert.doesNotMatch(manifestText('x', 'minijinja', entries), /20\d\d-/);
  });

  it('is read back, and one that is damaged is as good as none', () => {
    assert.deepEqual([...readManifest(manifestText('x', 'minijinja', entries)).values()], entries);
    for (const text of [undefined, '', '{', '[]', '{"schemaVersion":2,"files":[]}']) assert.equal(readManifest(text).size, 0);
  });

  it('has a name that stays in its folder', () => assert.equal(manifestPath('../a b'), '.peagen/a-b_manifest.json'));
});
