import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportToGit } from '../../../daemon/engine/records/export-git.ts';
import { lineageOf } from '../../../daemon/engine/records/lineage.ts';
import { RunRecords } from '../../../daemon/engine/records/run-records.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { openScene, request, summaryOf, text } from './scene.ts';

describe('the export of a run to git', () => {
  let folder: string;
  let root: string;
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-git-'));
    root = join(folder, 'sub folder');
    await mkdir(root);
    git('init', '-q', '-b', 'trunk');
    git('config', 'user.name', 'A Person');
    git('config', 'user.email', 'person@example.com');
    await writeFile(join(root, 'busy.py'), text);
    await writeFile(join(folder, 'other.txt'), 'other\n');
    git('add', 'sub folder/busy.py', 'other.txt');
    git('commit', '-qm', 'First');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function lineage() {
    const home = await mkdtemp(join(tmpdir(), 'peagen-git-run-'));
    try {
      const scene = await openScene(home, request({ mutator: 'scripted', population: 4, stop: { max_generations: 4 } }));
      const { best } = await summaryOf(scene);
      const records = new RunRecords(home, createLog({ level: 'silent' }), async () => scene.run.state.selectors.of(0));
      const steps = await lineageOf(scene.run.state, records);
      assert.equal(steps.at(-1)?.sha256, best?.sha256);
      return steps;
    } finally {
      await rm(home, { recursive: true });
    }
  }

  it('makes a commit of each step of the lineage, and leaves work tree, index and branch alone', async () => {
    await writeFile(join(root, 'busy.py'), `${text}# being edited\n`);
    await writeFile(join(folder, 'staged.txt'), 'staged\n');
    git('add', 'staged.txt');
    const before = git('status', '--porcelain');
    const steps = await lineage();
    const objects = git('count-objects', '-v');
    const previewed = await exportToGit(root, 'peagen/a', steps, true);
    assert.deepEqual([git('count-objects', '-v'), git('branch', '--list', 'peagen/*')], [objects, '']);
    const { commits, base } = await exportToGit(root, 'peagen/a', steps);
    assert.deepEqual(
      previewed.commits.map(({ sha256 }) => sha256),
      commits.map(({ sha256 }) => sha256),
    );
    assert.ok(steps.length >= 3);
    assert.equal(commits.length, steps.length - 1, 'the original is what was committed');
    assert.deepEqual(
      git('rev-list', '--reverse', `${base}..peagen/a`).split('\n'),
      commits.map(({ commit }) => commit),
    );
    for (const [i, { commit }] of commits.entries()) {
      assert.equal(git('show', `${commit}:sub folder/busy.py`), steps[i + 1]?.program.files[0]?.text.trim());
      assert.equal(git('diff', '--name-only', `${commit}~`, commit), 'sub folder/busy.py');
    }
    assert.match(
      git('log', '-1', '--format=%B', 'peagen/a'),
      /without \d+ hunks? that did not contribute\n\nProgram: [0-9a-f]{64}\nMutator: minimise/,
    );
    assert.equal(git('status', '--porcelain'), before);
    assert.equal(git('branch', '--show-current'), 'trunk');
    assert.ok((await readFile(join(root, 'busy.py'), 'utf8')).endsWith('# being edited\n'));
  });

  it('begins with the original where it was never committed, and keeps the mode of the file', async () => {
    git('update-index', '--chmod=+x', 'sub folder/busy.py');
    await writeFile(join(root, 'busy.py'), 'old = 1\n');
    git('commit', '-qam', 'Older');
    git('update-index', '--chmod=+x', 'sub folder/busy.py');
    git('commit', '-qm', 'Executable');
    const steps = await lineage();
    const { commits } = await exportToGit(root, 'peagen/b', steps);
    assert.equal(commits.length, steps.length);
    assert.match(git('ls-tree', 'peagen/b', 'sub folder/'), /^100755 /);
  });

  it('never moves a branch that exists, and says where there is no repository', async () => {
    const steps = await lineage();
    git('branch', 'peagen/c');
    await assert.rejects(exportToGit(root, 'peagen/c', steps), /The branch peagen\/c exists already/);
    assert.equal(git('rev-parse', 'peagen/c'), git('rev-parse', 'trunk'));
    await rm(join(folder, '.git'), { recursive: true });
    await assert.rejects(exportToGit(root, 'peagen/d', steps), /git rev-parse failed in .*not a git repository/);
  });
});
