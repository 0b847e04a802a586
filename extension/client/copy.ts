/**
 * Keeps a copy of the daemon in the extension's storage, one folder per build, and runs it from there: an update of
 * the extension never pulls a file from under a run.
 */

import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';

/** A copy that was not used for this long belongs to no run any more. */
const UNUSED_MS = 30 * 24 * 3_600_000;

/** Returns the path of the copy's command line script. Safe to call at once from several windows, and for several folders of one. */
export async function daemonCopy(extensionPath: string, storagePath: string, now = Date.now()): Promise<string> {
  const built = join(extensionPath, 'dist');
  const buildId = (await readFile(join(built, 'build-id'), 'utf8').catch(() => '')).trim();
  if (!/^[0-9a-f]{8,64}$/.test(buildId)) {
    throw new PeagenError('internal', vscode.l10n.t('The extension is incomplete: {0} is missing.', join(built, 'build-id')), {
      hint: vscode.l10n.t('Install it again.'),
    });
  }
  const copies = join(storagePath, 'daemons');
  const target = join(copies, buildId);
  const script = join(target, 'dist', 'daemon', 'cli.js');
  if (!(await exists(script))) {
    await mkdir(copies, { recursive: true });
    const partial = await mkdtemp(join(copies, `.${buildId}.`));
    await cp(join(built, 'daemon'), join(partial, 'dist', 'daemon'), { recursive: true });
    await cp(join(built, 'build-id'), join(partial, 'dist', 'build-id'));
    // The daemon reads its version, and that its scripts are modules, from there.
    await cp(join(extensionPath, 'package.json'), join(partial, 'package.json'));
    // Another window may have been first; then its copy serves.
    await rename(partial, target).catch(() => rm(partial, { recursive: true, force: true }));
    if (!(await exists(script)))
      throw new PeagenError('storage_failed', vscode.l10n.t('Could not write the daemon to {0}.', target));
  }
  await utimes(target, new Date(now), new Date(now));
  await removeUnused(copies, buildId, now);
  return script;
}

async function removeUnused(copies: string, current: string, now: number): Promise<void> {
  for (const name of await readdir(copies)) {
    const path = join(copies, name);
    const info = await stat(path).catch(() => undefined);
    if (name !== current && info !== undefined && now - info.mtimeMs > UNUSED_MS)
      await rm(path, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
