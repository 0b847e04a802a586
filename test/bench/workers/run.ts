/**
 * How fast workers start, how many a second, and what a warm one costs. Bundles itself and the worker as they ship,
 * measures beside the floor of a bare Node, prints a table and one JSON line. `node test/bench/workers/run.ts [rounds]`
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'peagen-bench-'));
try {
  await build({
    absWorkingDir: root,
    entryPoints: { measure: 'test/bench/workers/measure.ts', worker: 'daemon/fabric/worker/main.ts' },
    outdir: join(folder, 'dist', 'daemon'),
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    external: ['msgpackr-extract'],
    alias: { ssh2: './daemon/fabric/launchers/no-ssh.cjs', 'cpu-features': './daemon/fabric/launchers/no-ssh.cjs' },
    banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  execFileSync(process.execPath, [join(folder, 'dist', 'daemon', 'measure.js'), ...process.argv.slice(2)], {
    stdio: 'inherit',
    cwd: folder,
  });
} finally {
  rmSync(folder, { recursive: true, force: true });
}
