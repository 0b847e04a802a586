/** The real parts of these tests: VS Code's server from the code-server package, Chromium, and a build of the extension. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

export const project = join(import.meta.dirname, '..', '..', '..');
export const cache = join(project, '.vscode-test');
export const screenshots = join(import.meta.dirname, '..', 'screenshots');

/** Calls of the sample `bad_sort`: long enough to be slow, short enough for a test. */
export const typedInputs = JSON.stringify([
  [[]],
  [[1]],
  [[3, 1, 2, 1.5, 1]],
  [Array.from({ length: 30 }, (_, i) => (i * 37) % 61)],
]);

/** The package that holds nothing but Node's program. */
const nodeOf = (platform: NodeJS.Platform) => `node-${platform === 'win32' ? 'win' : platform}-${process.arch}`;

/** A code-server 4.N.M is a VS Code 1.N. Each with the Node of its time. */
const editors = {
  newest: { packages: ['code-server@4.139.1'], folder: join(cache, 'server') },
  /** The oldest of those that `engines.vscode` admits; under Node 24 its extension host loses its connection. */
  minimum: { packages: ['code-server@4.103.2', `${nodeOf(process.platform)}@22`], folder: join(cache, 'server-minimum') },
} as const;
export type EditorVersion = keyof typeof editors;

const vscodeIn = (version: EditorVersion) => join(editors[version].folder, 'node_modules', 'code-server', 'lib', 'vscode');
/** Which of them this process tests in. */
export const editorVersion = (): EditorVersion => (process.env['PEAGEN_TEST_EDITOR'] === 'minimum' ? 'minimum' : 'newest');
export const serverMain = () => join(vscodeIn(editorVersion()), 'out', 'server-main.js');
/** What runs the server, its extensions and with them the daemon. */
export const serverNode = () =>
  editorVersion() === 'newest'
    ? process.execPath
    : join(editors.minimum.folder, 'node_modules', nodeOf(process.platform), 'bin', 'node');

/** Installs VS Code where it is missing; takes about 15 s and 600 MB, once. */
export function installVsCode(version: EditorVersion): void {
  const { packages, folder } = editors[version];
  const vscode = vscodeIn(version);
  const isThere = packages.every((name) => existsSync(join(folder, 'node_modules', name.split('@')[0] ?? '')));
  if (!isThere || !existsSync(join(vscode, 'out', 'server-main.js'))) install(folder, ...packages);
  if (!existsSync(join(vscode, 'node_modules'))) npm('install', '--prefix', vscode, '--omit=dev', '--ignore-scripts');
  if (version === 'minimum') lendRipgrep();
}

/** Packages that only some of these tests need, in a folder of their own. */
export function install(folder: string, ...packages: string[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  npm('install', '--prefix', folder, '--ignore-scripts', ...packages);
}

/** What looks for files: the older editor fetches it by a script from elsewhere, the newest brings it along. */
function lendRipgrep(): void {
  const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
  const modules = (version: EditorVersion) => join(vscodeIn(version), 'node_modules', '@vscode');
  const to = join(modules('minimum'), 'ripgrep', 'bin', name);
  const from = join(modules('newest'), 'ripgrep-universal', 'bin', `${process.platform}-${process.arch}`, name);
  if (!existsSync(to)) cpSync(from, to);
}

function npm(...args: string[]): void {
  execFileSync('npm', [...args, '--no-audit', '--no-fund'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
}

/** The browser, or why there is none. The one without windows of its own needs less of the processor. */
export function chromium(): string {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];
  const known = [process.env['CHROMIUM'], ...names.map((name) => `/usr/bin/${name}`)];
  const found = known.find((path) => path !== undefined && path !== '' && existsSync(path));
  if (found === undefined)
    throw new Error('no Chromium: install Debian package chromium-headless-shell, or set CHROMIUM to its path');
  return found;
}

/** Only what ships, in a folder of its own, so that a rebuild does not disturb a test. */
export function stageExtension(): string {
  const stage = join(cache, 'extension');
  rmSync(stage, { recursive: true, force: true });
  mkdirSync(stage, { recursive: true });
  const texts = globSync('package.nls*.json', { cwd: project });
  for (const name of ['package.json', 'dist', 'media', ...texts])
    cpSync(join(project, name), join(stage, name), { recursive: true });
  return stage;
}

/** A file of the extension under test, which stays what it is when another test builds the project again. */
export const staged = (...path: string[]): string => join(process.env['PEAGEN_STAGE'] ?? project, ...path);
/** The command line that ships with it. */
export const cli = (): string => staged('dist', 'daemon', 'cli.js');

/** Bundles the tests that run in the extension host; answers the path of their entry. */
export async function bundleHostTests(): Promise<string> {
  const out = join(cache, `host-${editorVersion()}`);
  mkdirSync(out, { recursive: true });
  // CommonJS next to a project of ES modules; mocha is taken from the project.
  writeFileSync(join(out, 'package.json'), '{"type":"commonjs"}');
  const link = join(out, 'node_modules');
  if (!existsSync(link)) symlinkSync(join(project, 'node_modules'), link, 'junction');
  await bundle({ index: join(import.meta.dirname, '..', 'host', 'index.ts') }, out);
  return join(out, 'index.js');
}

/** Bundles the extension that provides language models to a test; answers its folder. */
export async function stageModelProvider(): Promise<string> {
  const out = join(cache, 'model-provider');
  mkdirSync(out, { recursive: true });
  const manifest = {
    name: 'peagen-test-models',
    publisher: 'peagen-test',
    version: '1.0.0',
    engines: { vscode: '^1.101.0' },
    main: './extension.js',
    activationEvents: ['*'],
    contributes: {
      languageModelChatProviders: [{ vendor: 'peagen-test', displayName: 'Test' }],
      commands: [{ command: 'peagen-test.withdraw', title: 'Test: Withdraw Models' }],
    },
  };
  writeFileSync(join(out, 'package.json'), JSON.stringify(manifest));
  await bundle({ extension: join(import.meta.dirname, '..', 'models', 'extension.ts') }, out);
  return out;
}

/** For the extension host. */
async function bundle(entryPoints: Record<string, string>, outdir: string): Promise<void> {
  await build({
    entryPoints,
    outdir,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    sourcemap: 'inline',
    external: ['vscode', 'mocha'],
    logLevel: 'warning',
  });
}

/** The package, of a build of its own: what else is in `dist` depends on who has built last. */
export function packVsix(name = 'peagen.vsix'): string {
  const folder = mkdtempSync(join(tmpdir(), 'peagen-vsix-'));
  try {
    const { status, stderr } = spawnSync(process.execPath, ['build.mjs', '--out', join(folder, 'dist')], { cwd: project });
    if (status !== 0) throw new Error(`the build ended with ${status}:\n${stderr}`);
    for (const name of globSync(['package.json', 'package.nls*.json', 'CHANGELOG.md', 'LICENSE', '.vscodeignore', 'media'], {
      cwd: project,
    }))
      cpSync(join(project, name), join(folder, name), { recursive: true });
    return packFrom(folder, join(cache, name));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function packFrom(folder: string, file: string): string {
  rmSync(file, { force: true });
  const vsce = join(project, 'node_modules', '@vscode', 'vsce', 'vsce');
  const flags = ['--readme-path', 'dist/README.md', '--no-dependencies', '--no-rewrite-relative-links'];
  const args = ['package', ...flags, '--allow-missing-repository', '--out', file];
  const { status, stdout, stderr } = spawnSync(process.execPath, [vsce, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    // As `npm run package` does, which takes the time of the commit.
    env: { ...process.env, npm_config_ignore_scripts: 'true', SOURCE_DATE_EPOCH: '1750000000' },
  });
  const said = stdout + stderr;
  if (status !== 0 || /WARN/.test(said)) throw new Error(`vsce package ended with ${status}:\n${said}`);
  return file;
}

export function isBuilt(): boolean {
  return existsSync(join(project, 'dist', 'extension.cjs'));
}
