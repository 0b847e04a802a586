/**
 * How fast workers start, how many a second, and what a warm one costs. Bundles itself and the worker as they ship,
 * measures beside the floor of a bare Node, prints a table and one JSON line. `node test/bench/workers/run.ts [rounds]`
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleDaemon } from '../../bundle.ts';

const folder = mkdtempSync(join(tmpdir(), 'peagen-bench-'));
try {
  const entryPoints = { measure: 'test/bench/workers/measure.ts', worker: 'daemon/fabric/worker/main.ts' };
  await bundleDaemon(entryPoints, join(folder, 'dist', 'daemon'));
  execFileSync(process.execPath, [join(folder, 'dist', 'daemon', 'measure.js'), ...process.argv.slice(2)], {
    stdio: 'inherit',
    cwd: folder,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
