/**
 * Builds what ships, into dist/: the extension (CommonJS, in two parts) and the daemon, command line and worker (ES modules
 * with shared chunks, all flat in dist/daemon, next to the assets they read; see daemon/assets.ts). `--watch` rebuilds on
 * change; `--dev` keeps source maps and readable code; `--out FOLDER` builds elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build, context } from 'esbuild';

const watch = process.argv.includes('--watch');
const dev = watch || process.argv.includes('--dev');
const out = process.argv.includes('--out') ? process.argv[process.argv.indexOf('--out') + 1] : 'dist';
const languages = ['python', 'javascript', 'typescript', 'tsx'];
/** Read at run time from next to the bundle. */
const assets = ['fabric/**/*.lua', 'executors/runners/*', 'llm/**/*.{j2,lua}', 'render/**/*.py', 'deploy/**/*'];

const common = {
  bundle: true,
  platform: 'node',
  target: 'node22',
  sourcemap: dev,
  minify: !dev,
  keepNames: true,
  logLevel: 'warning',
  legalComments: 'none', // Their texts are in one file: writeNotices.
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

/** For packages that ask for Node's modules by it. */
const requireLine = "const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);";

const node = {
  format: 'esm',
  splitting: true,
  outdir: join(out, 'daemon'),
  banner: { js: requireLine },
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
    entryPoints: {
      cli: 'daemon/cli/main.ts',
      daemon: 'daemon/server/main.ts',
      thread: 'daemon/handlers/thread.ts',
      worker: 'daemon/worker/main.ts',
      part: 'daemon/plugins/part-worker.ts',
    },
    ...node,
  },
];

/** What plugin packages are tested and written with: the suites, and the types of both, of which only npm's package has any. */
const forPlugins = process.argv.includes('--plugins') || ['pack', 'publish'].includes(process.env.npm_command);
if (forPlugins) {
  targets.push({
    ...common,
    entryPoints: { testing: 'test/conformance/plugin-testing.ts' },
    format: 'esm',
    outdir: join(out, 'plugin'),
    outExtension: { '.js': '.mjs' },
    banner: { js: requireLine },
  });
}

function writeTypes() {
  const flags = ['--declaration', '--emitDeclarationOnly', '--noEmit', 'false', '--rootDir', '.', '--outDir', join(out, 'types')];
  const compiler =
    '--ignoreConfig --types node,mocha --target es2024 --lib es2024,esnext.disposable --module nodenext --strict --exactOptionalPropertyTypes --skipLibCheck --allowImportingTsExtensions';
  const entries = ['daemon/plugins/api.ts', 'test/conformance/plugin-testing.ts'];
  execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...compiler.split(' '), ...flags, ...entries], {
    stdio: 'inherit',
  });
  // What TypeScript emits names sources, which are not there.
  for (const path of globSync(`${out}/types/**/*.d.ts`)) {
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from |import\()(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2'));
  }
}

/** The dashboard's page. Its script and style go into its markup; the graphs are a file of their own, loaded after it. */
const page = {
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  sourcemap: dev,
  minify: !dev,
  logLevel: 'warning',
  legalComments: 'none',
  entryPoints: {
    page: 'extension/views/dashboard/page/main.ts',
    graphs: 'extension/views/dashboard/page/charts.ts',
    style: 'extension/views/dashboard/page/style.css',
  },
  format: 'esm',
  outdir: join(out, 'dashboard'),
};
targets.push(page);

function copyAssets() {
  for (const pattern of assets) {
    for (const path of globSync(`daemon/${pattern}`)) {
      if (path.endsWith('.ts') || path.includes('__pycache__')) continue;
      const target = join(out, path);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(path, target, { recursive: true, filter: (each) => !each.includes('__pycache__') });
    }
  }
  cpSync('node_modules/minijinja-js/dist/web/minijinja_js_bg.wasm', join(out, 'daemon/minijinja.wasm'), { recursive: true });
  // The editor runs a copy of this folder: what is next to it stays behind.
  cpSync('media/template-sets', join(out, 'daemon/template-sets'), { recursive: true });
  const grammars = 'node_modules/@vscode/tree-sitter-wasm/wasm';
  mkdirSync(join(out, 'daemon/grammars'), { recursive: true });
  for (const language of languages) {
    cpSync(join(grammars, `tree-sitter-${language}.wasm`), join(out, 'daemon/grammars', `tree-sitter-${language}.wasm`));
  }
  // The thread pool starts its threads from files next to the code that asks for them.
  for (const path of globSync('node_modules/tinypool/dist/{entry/worker.js,common-*.js,utils-*.js}')) {
    cpSync(path, join(out, 'daemon', relative('node_modules/tinypool/dist', path)));
  }
  cpSync('node_modules/web-tree-sitter/web-tree-sitter.wasm', join(out, 'daemon/grammars/web-tree-sitter.wasm'));
}

/** The vocabulary that prompts are counted with, as token-table.ts reads it. */
async function writeTokenTable() {
  const { tableOf } = await import('./daemon/llm/cost/token-table.ts');
  const { default: tokens } = await import('gpt-tokenizer/bpeRanks/o200k_base');
  // An eighth larger than with the highest quality, which would take longer than all the rest of a build.
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
  writeFileSync(join(out, 'daemon/llm/o200k.br'), brotliCompressSync(tableOf(tokens), { params }));
}

/**
 * The extension's own page: README.md without what is for a checkout. VS Code shows there no picture of a package, only those
 * from the web.
 */
function writeExtensionPage() {
  const readme = readFileSync('README.md', 'utf8')
    .replace(/```sh\n[\s\S]*?```\n\n/, '')
    .replaceAll(/^!\[.*\n\n/gm, '')
    .replace(/Install the VSIX \([^)]*\)\.\s+/, '')
    .replace(/## For contributors[\s\S]*?(?=Tried on )/, '');
  if (/npm ci|npm run package|!\[/.test(readme))
    throw new Error("README.md has changed: the extension's page would begin with what is for a checkout.");
  writeFileSync(join(out, 'README.md'), readme);
}

/** VS Code reads what the manifest says in a language from next to it. Another build may be doing the same: written in place. */
function copyManifestTexts() {
  for (const path of globSync('media/l10n/package.nls*.json')) copyFileSync(path, basename(path));
}

/**
 * Shared chunks are ES modules by name too: what is named .js is started by itself. None makes a `require` that it does not
 * use.
 */
function nameChunks() {
  const folder = join(out, 'daemon');
  const started = new Set(['cli.js', 'daemon.js', 'worker.js', 'thread.js', 'part.js']);
  const scripts = globSync('*.js', { cwd: folder });
  const chunks = new Set(scripts.filter((name) => !started.has(name)));
  for (const name of scripts) {
    const text = readFileSync(join(folder, name), 'utf8').replaceAll(/(["'])\.\/([\w-]+\.js)\1/g, (whole, quote, other) =>
      chunks.has(other) ? `${quote}./${other.replace(/js$/, 'mjs')}${quote}` : whole,
    );
    if (chunks.has(name)) rmSync(join(folder, name));
    const own = text.replace(requireLine, '');
    const needed = /\brequire\b/.test(own) ? text : own;
    writeFileSync(join(folder, chunks.has(name) ? name.replace(/js$/, 'mjs') : name), needed);
  }
}

/** Packages whose files are copied, or made into others. */
const dataOf = ['@vscode/tree-sitter-wasm', 'gpt-tokenizer', 'minijinja-js', 'web-tree-sitter'];
const allowed = /^\(?(MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|Unlicense)\b/;

/** Names the packages whose code or data ships, with their licences, as these ask; fails on one that may not ship. */
function writeNotices(metafiles) {
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const bundled = inputs.flatMap((path) => /^.*node_modules\/(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const folders = [...bundled, ...dataOf.map((name) => `node_modules/${name}`)];
  const byText = new Map();
  for (const folder of [...new Set(folders)].sort()) {
    const { name, version, license, repository } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    if (!allowed.test(license)) throw new Error(`${name} is under "${license}", which is not a licence that may ship.`);
    const texts = readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile() && /^(licen[cs]e|notice)/i.test(entry.name))
      .map((entry) => readFileSync(join(folder, entry.name), 'utf8').trim());
    const text = texts.join('\n\n') || `${license}, ${repository?.url ?? repository}`;
    byText.set(text, new Set([...(byText.get(text) ?? []), `${name} ${version} (${license})`]));
  }
  const notices = [...byText].map(([text, names]) => `${[...names].join('\n')}\n\n${text}\n`);
  writeFileSync(join(out, 'THIRD-PARTY-NOTICES.txt'), notices.join(`\n${'-'.repeat(80)}\n\n`));
}

/** Names this build: two builds that differ in a byte never talk to each other's daemon. */
function writeBuildId() {
  const hash = createHash('sha256');
  for (const path of globSync('**/*.{js,cjs,lua,py,mjs}', { cwd: out }).sort())
    hash.update(path).update(readFileSync(join(out, path)));
  writeFileSync(join(out, 'build-id'), hash.digest('hex').slice(0, 16));
}

rmSync(out, { recursive: true, force: true });
copyManifestTexts();
if (watch) {
  copyAssets();
  await writeTokenTable();
  for (const target of targets) await (await context(target)).watch();
} else {
  const results = await Promise.all(targets.map((target) => build({ ...target, metafile: true })));
  nameChunks();
  copyAssets();
  writeExtensionPage();
  await writeTokenTable();
  writeNotices(results.map(({ metafile }) => metafile));
  writeBuildId();
  chmodSync(join(out, 'daemon/cli.js'), 0o755);
  if (forPlugins) writeTypes();
}
