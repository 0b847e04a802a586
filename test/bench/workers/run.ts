/**
 * How fast workers start, how many a second, and what a warm one costs. Builds what ships, bundles itself next to it,
 * measures next to the floor of a bare Node, prints a table and one JSON line. `node test/bench/workers/run.ts [rounds]`
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleDaemon } from '../../bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'peagen-bench-'));
try {
  const root = join(import.meta.dirname, '..', '..', '..');
  execFileSync(process.execPath, [join(root, 'build.mjs'), '--out', join(folder, 'dist')], { cwd: root, stdio: 'inherit' });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  await bundleDaemon({ measure: 'test/bench/workers/measure.ts' }, join(folder, 'dist', 'daemon'));
  execFileSync(process.execPath, [join(folder, 'dist', 'daemon', 'measure.js'), ...process.argv.slice(2)], {
    stdio: 'inherit',
    cwd: folder,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
