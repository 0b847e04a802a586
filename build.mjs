/**
 * Builds what ships, into dist/: the extension (CommonJS, in two parts) and the daemon, command line and worker (ES modules
 * with shared chunks, all flat in dist/daemon, next to the assets they read; see daemon/assets.ts). `--watch` rebuilds on
 * change; `--dev` keeps source maps and readable code; `--out FOLDER` builds elsewhere.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
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

/**
 * Node's own modules are taken as they are, not imported: an import of node:fs alone loads all that its promises and streams
 * need, which is half of a worker's start.
 */
function withoutFacades(text) {
  return text.replaceAll(
    /^import (?:([\w$]+)|\* as ([\w$]+)|\{([^}]*)\}) from '(node:[^']+)';$/gm,
    (_whole, one, all, names, path) => {
      const list = names
        ?.split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && !name.startsWith('type '));
      if (list?.length === 0) return '';
      const taken = list === undefined ? (one ?? all) : `{ ${list.map((name) => name.replace(/ as /, ': ')).join(', ')} }`;
      return `const ${taken} = process.getBuiltinModule('${path}');`;
    },
  );
}

/** A worker asks for its task before it reads what it runs it with. */
const early = 'daemon/fabric/worker/';

/** Smaller outputs are not worth a file of their own, in bytes. */
const TOO_SMALL = 12_000;

/**
 * Splitting makes a file of every dynamic import and of every set of modules that the same files share: hundreds of them,
 * most a few lines long, which cost more to open than to read. From what a first build of `target` made, this has light
 * modules that are too small read with what asks for them, and those that several files share gathered in one.
 */
async function withFewFiles(target) {
  const { metafile } = await build({ ...target, write: false, metafile: true });
  const { inputs } = metafile;
  const outputs = Object.entries(metafile.outputs).filter(([, { bytes }]) => bytes < TOO_SMALL);
  const staticImports = (path, seen = new Set()) => {
    if (seen.has(path)) return seen;
    seen.add(path);
    for (const { kind, path: next } of inputs[path].imports)
      if (kind === 'import-statement' && next in inputs) staticImports(next, seen);
    return seen;
  };
  /** Brings no package with it but the one that everything has. */
  const isLight = (path) =>
    path.endsWith('.ts') &&
    [...staticImports(path)].every((each) => !each.includes('node_modules/') || each.includes('node_modules/zod/'));
  const dynamic = new Set(
    Object.values(inputs).flatMap(({ imports }) =>
      imports.filter(({ kind, path }) => kind === 'dynamic-import' && path in inputs).map(({ path }) => path),
    ),
  );
  const inlined = new Set(outputs.map(([, { entryPoint }]) => entryPoint).filter((path) => dynamic.has(path) && isLight(path)));
  const shared = outputs
    .filter(([, { entryPoint }]) => entryPoint === undefined)
    .flatMap(([, output]) => Object.keys(output.inputs).filter(isLight));
  /** One that waits with all its imports has a reason to. */
  const started = new Set(
    [...dynamic, ...Object.values(target.entryPoints)].filter(
      (path) => path !== `${early}main.ts` && inputs[path].imports.some(({ kind }) => kind === 'import-statement'),
    ),
  );
  const fewFiles = {
    name: 'few-files',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^peagen:shared$/ }, ({ path }) => ({ path, namespace: 'few-files' }));
      onLoad({ filter: /./, namespace: 'few-files' }, () => ({
        contents: shared.map((path) => `import './${path}';`).join('\n'),
        resolveDir: import.meta.dirname,
      }));
      onLoad({ filter: /[\\/]daemon[\\/].*\.ts$/ }, ({ path }) => {
        const added = started.has(fromRoot(path)) ? ["import 'peagen:shared';"] : [];
        const own = withoutFacades(readFileSync(path, 'utf8'));
        const text = own.replaceAll(/(?<!typeof )import\('(\.[^']+)'\)/g, (whole, specifier) => {
          if (fromRoot(path).startsWith(early) || !inlined.has(fromRoot(join(dirname(path), specifier)))) return whole;
          const name = `__inlined${added.length}`;
          added.push(`import * as ${name} from '${specifier}';`);
          return `Promise.resolve(${name})`;
        });
        return { contents: `${text}\n${added.join('\n')}`, loader: 'ts' };
      });
    },
  };
  return { ...target, plugins: [fewFiles] };
}

/** As esbuild names its inputs. */
function fromRoot(path) {
  return relative(import.meta.dirname, path).replaceAll('\\', '/');
}

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
      part: 'daemon/plugins/part-worker.ts',
    },
    ...node,
  },
  {
    // By itself: what the others share among them, it does not read.
    ...common,
    entryPoints: { worker: `${early}main.ts` },
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
  const { tableOf } = await import('./daemon/llm/token-table.ts');
  const { default: tokens } = await import('gpt-tokenizer/bpeRanks/o200k_base');
  writeFileSync(join(out, 'daemon/llm/o200k.bin'), tableOf(tokens));
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
  const results = await Promise.all(
    targets.map(async (target) => build({ ...(target.splitting ? await withFewFiles(target) : target), metafile: true })),
  );
  nameChunks();
  copyAssets();
  await writeTokenTable();
  writeNotices(results.map(({ metafile }) => metafile));
  writeBuildId();
  chmodSync(join(out, 'daemon/cli.js'), 0o755);
  if (forPlugins) writeTypes();
}
