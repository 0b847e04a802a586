/** Bundles parts of this checkout's daemon as build.mjs does, so that no older build is tested or measured. */
import { globSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import tokens from 'gpt-tokenizer/bpeRanks/o200k_base';
import { tableOf } from '../daemon/llm/cost/token-table.ts';

const root = join(import.meta.dirname, '..');

/** `entryPoints`: names of bundles, and their sources from the root. The assets that they read are put next to them. */
export async function bundleDaemon(entryPoints: Readonly<Record<string, string>>, folder: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints,
    outdir: folder,
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
  const daemon = join(root, 'daemon');
  for (const path of globSync(['fabric/**/*.lua', 'executors/runners'], { cwd: daemon }))
    await cp(join(daemon, path), join(folder, path), { recursive: true });
  await mkdir(join(folder, 'llm'), { recursive: true });
  await writeFile(
    join(folder, 'llm', 'o200k.br'),
    brotliCompressSync(tableOf(tokens), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  );
}
