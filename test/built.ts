/**
 * The product as it ships, built from this checkout: tests that start it get what people get, and do not wait for sources
 * to be read. A build is kept under a hash of its sources, so that none is ever stale and the next one costs nothing.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const builds = join(root, 'node_modules', '.cache', 'peagen-builds');

let built: string | undefined;

/** The bundled script of the command line, the daemon or the worker. */
export function builtScript(name: 'cli' | 'daemon' | 'worker'): string {
  return join(builtPackage(), 'dist', 'daemon', `${name}.js`);
}

/** The package's folder, with what plugins are written and tested with. */
export function builtPackage(): string {
  built ??= build();
  return built;
}

function build(): string {
  const place = join(builds, hashOfSources());
  if (existsSync(place)) return place;
  mkdirSync(builds, { recursive: true });
  const others = readdirSync(builds);
  const stage = mkdtempSync(join(builds, 'new-'));
  execFileSync(process.execPath, ['build.mjs', '--plugins', '--out', join(stage, 'dist')], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  cpSync(join(root, 'package.json'), join(stage, 'package.json'));
  symlinkSync(join(root, 'media'), join(stage, 'media'));
  try {
    renameSync(stage, place);
  } catch (caught) {
    // Another test process was faster.
    rmSync(stage, { recursive: true });
    if (!existsSync(place)) throw caught;
  }
  for (const other of others.map((name) => join(builds, name))) {
    // A younger one may be in use, and one that another process made just now has got its own name.
    const made = statSync(other, { throwIfNoEntry: false })?.mtimeMs;
    if (made !== undefined && Date.now() - made > 3_600_000) rmSync(other, { recursive: true, force: true });
  }
  return place;
}

function hashOfSources(): string {
  const hash = createHash('sha256');
  const folders = ['daemon', 'shared', 'extension', 'test/conformance'].map((folder) => `${folder}/**/*`);
  const sources = globSync([...folders, 'build.mjs', 'package-lock.json'], { cwd: root, withFileTypes: true });
  for (const file of sources
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))
    .sort()) {
    if (!file.includes('__pycache__')) hash.update(`${file}\n`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}
