/**
 * Builds what ships, into dist/: the extension (CommonJS, in two parts) and the daemon, command line and worker (ES modules
 * with shared chunks, all flat in dist/daemon, beside the assets they read; see daemon/assets.ts).
 * `--watch` rebuilds on change; `--dev` keeps source maps and readable code; `--out FOLDER` builds elsewhere.
 */
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, context } from 'esbuild';

const watch = process.argv.includes('--watch');
const dev = watch || process.argv.includes('--dev');
const out = process.argv.includes('--out') ? process.argv[process.argv.indexOf('--out') + 1] : 'dist';
const languages = ['python', 'javascript', 'typescript', 'tsx'];
/** Read at run time from beside the bundle. */
const assets = ['fabric/**/*.lua', 'sandbox/runners/*', 'llm/**/*.{j2,lua}', 'render/**/*.py', 'deploy/**/*'];

const common = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  sourcemap: dev,
  minify: !dev,
  keepNames: true,
  logLevel: 'warning',
  legalComments: 'none',
  // ssh and gRPC transports of dockerode: never used here, and they do not bundle.
  alias: {
    ssh2: './daemon/fabric/launchers/no-ssh.cjs',
    'cpu-features': './daemon/fabric/launchers/no-ssh.cjs',
  },
  external: ['vscode', 'msgpackr-extract'],
};

/** Activation reads a small file; what it does not need is in a second one, loaded with its first use. */
const lateBundle = {
  name: 'late',
  setup: (build) =>
    build.onResolve({ filter: /\/late\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './late.cjs', external: true } : undefined,
    ),
};

const targets = [
  {
    ...common,
    entryPoints: { extension: 'extension/extension.ts', late: 'extension/late.ts' },
    format: 'cjs',
    plugins: [lateBundle],
    supported: { 'dynamic-import': false },
    outdir: out,
    outExtension: { '.js': '.cjs' },
  },
  {
    ...common,
    entryPoints: { cli: 'daemon/cli/main.ts', daemon: 'daemon/server/main.ts', worker: 'daemon/fabric/worker/main.ts' },
    format: 'esm',
    splitting: true,
    outdir: join(out, 'daemon'),
    banner: { js: "import{createRequire as __createRequire}from'node:module';const require=__createRequire(import.meta.url);" },
  },
];

function copyAssets() {
  for (const pattern of assets) {
    for (const path of globSync(`daemon/${pattern}`)) {
      if (path.endsWith('.ts') || path.includes('__pycache__')) continue;
      const target = join(out, path);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(path, target, { recursive: true });
    }
  }
  cpSync('node_modules/minijinja-js/dist/web/minijinja_js_bg.wasm', join(out, 'daemon/minijinja.wasm'), { recursive: true });
  const grammars = 'node_modules/@vscode/tree-sitter-wasm/wasm';
  mkdirSync(join(out, 'daemon/grammars'), { recursive: true });
  for (const language of languages) {
    cpSync(join(grammars, `tree-sitter-${language}.wasm`), join(out, 'daemon/grammars', `tree-sitter-${language}.wasm`));
  }
  cpSync('node_modules/web-tree-sitter/web-tree-sitter.wasm', join(out, 'daemon/grammars/web-tree-sitter.wasm'));
}

/** Names this build: two builds that differ in a byte never talk to each other's daemon. */
function writeBuildId() {
  const hash = createHash('sha256');
  for (const path of globSync('**/*.{js,cjs,lua,py,mjs}', { cwd: out }).sort())
    hash.update(path).update(readFileSync(join(out, path)));
  writeFileSync(join(out, 'build-id'), hash.digest('hex').slice(0, 16));
}

rmSync(out, { recursive: true, force: true });
if (watch) {
  copyAssets();
  for (const target of targets) await (await context(target)).watch();
} else {
  await Promise.all(targets.map((target) => build(target)));
  copyAssets();
  writeBuildId();
  chmodSync(join(out, 'daemon/cli.js'), 0o755);
}
