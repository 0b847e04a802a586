/** Installs and removes plugin packages with npm, in a folder of Peagen's own. Install scripts of packages do not run. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';

const run = promisify(execFile);
const INSTALL_MS = 300_000;
const Root = z.looseObject({ dependencies: z.record(z.string(), z.string()).default({}) });

/** `spec`: as npm takes it: a name with or without version, a folder, a tarball. Returns the name of the package. */
export async function installPackage(spec: string, folder: string): Promise<string> {
  const from = existsSync(resolve(spec)) ? resolve(spec) : spec;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const root = join(folder, 'package.json');
  const text = await readFile(root, 'utf8').catch(() => undefined);
  if (text === undefined) await writeFile(root, '{ "private": true }\n');
  const before = await dependenciesOf(root);
  try {
    // Folders are copied like any package: a link would change under the hash that was confirmed.
    await npm(['install', '--ignore-scripts', '--no-audit', '--no-fund', '--install-links', '--save-exact', from], folder);
  } catch (caught) {
    if (text === undefined) await rm(folder, { recursive: true, force: true });
    throw caught;
  }
  const after = Object.entries(await dependenciesOf(root));
  const added =
    after.find(([name, version]) => before[name] !== version) ?? after.find(([name, version]) => isFrom(name, version, from));
  if (added === undefined) throw new PeagenError('internal', `npm installed ${spec} and lists no package for it in ${root}.`);
  return added[0];
}

/** Nothing happens when it is not installed there. */
export async function uninstallPackage(name: string, folder: string): Promise<void> {
  if (!existsSync(join(folder, 'node_modules', name))) return;
  await npm(['uninstall', '--no-audit', '--no-fund', name], folder);
}

/** The same package again: its version, or its place, is what it was. */
function isFrom(name: string, version: string, from: string): boolean {
  return version.endsWith(basename(from)) || from === name || from.startsWith(`${name}@`);
}

async function dependenciesOf(path: string): Promise<Record<string, string>> {
  return Root.parse(JSON.parse(await readFile(path, 'utf8'))).dependencies;
}

async function npm(args: string[], cwd: string): Promise<void> {
  try {
    await run('npm', args, { cwd, timeout: INSTALL_MS, shell: process.platform === 'win32' });
  } catch (caught) {
    const { code, stderr = '' } = caught as NodeJS.ErrnoException & { stderr?: string };
    if (code === 'ENOENT') {
      throw new PeagenError('unavailable', 'Plugins are installed with npm, which is not on the PATH.', {
        hint: 'Install Node.js with npm.',
      });
    }
    const why = stderr.split('\n').find((line) => /^npm (error|ERR!)(?! code)/.test(line)) ?? 'it did not end in time';
    throw new PeagenError('invalid_input', `npm ${args[0]} failed: ${why.replace(/^npm (error|ERR!)\s*/, '')}`, {
      hint: 'Give a name in the registry, a folder, or a .tgz file.',
      cause: caught,
    });
  }
}
