/** Runs on a disk that is full or read-only: what a user sees, and that nothing is lost. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtScript } from '../../built.ts';
import { runPeagen } from '../../peagen.ts';

const sample = join(import.meta.dirname, '..', '..', '..', 'media', 'samples', 'bad_sort');
const short = [
  'evolve',
  'run',
  sample,
  '--sync',
  '--no-derive',
  '--no-confirm',
  '--deterministic',
  '--generations',
  '2',
  '--population',
  '4',
  '--seed',
  '1',
  '--json',
];

describe('a run on a disk of its own', () => {
  let folder: string;
  before(function () {
    if (process.platform === 'linux' && process.getuid?.() === 0) return;
    console.log('skipped: only root on Linux can mount a small disk');
    this.skip();
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'peagen-disk-'));
  });
  afterEach(() => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  const mount = (options: string) => execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'peagen-test', folder]);

  it('that becomes full stands still, says so, and goes on when there is room again', async () => {
    mount('size=60k');
    const command = spawn(process.execPath, [builtScript('cli'), ...short], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = once(command, 'exit');
    let said = '';
    await new Promise<void>((resolve) => {
      command.stderr.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (/disk is full/i.test(said)) resolve();
      });
      command.once('exit', () => resolve());
    });
    assert.match(said, /^(warning|peagen): .*disk is full.*$/im);
    mount('remount,size=64m');
    const [status] = await ended;
    assert.equal(status, 0, said);
  });

  it('that is read-only does not begin, and says so in one line', async () => {
    mount('size=1m,ro');
    const { status, stderr } = await runPeagen(short, folder);
    assert.equal(status, 1);
    assert.match(stderr, /^peagen: Runs cannot be kept in \S+ \(EROFS\)\. Work in a folder that you may write to\.\n$/m);
  });
});
