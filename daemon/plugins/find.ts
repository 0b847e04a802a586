/**
 * Where plugin packages are: folders that the operator of a machine fills (`PEAGEN_PLUGINS`, as in PATH), the workspace's
 * node_modules, and what `peagen plugin add` installed for the workspace or for the user.
 */
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { readAllowed, userFolder } from '../config/allowed.ts';
import { requireOwn } from '../config/owner.ts';

interface FoundPackage {
  /** Absolute folder of the package. */
  readonly folder: string;
  /** The operator of this machine put it there: it needs no other confirmation. */
  readonly byOperator: boolean;
}

/** Where `peagen plugin add` installs packages: a folder with node_modules. */
export function pluginFolder(workspace: string, forUser: boolean, env: NodeJS.ProcessEnv): string {
  return forUser ? join(userFolder(env), 'plugins') : join(workspace, '.peagen', 'plugins');
}

/** `name`: of a package, or the path of its folder. Throws `not_found`, or `untrusted` for files of another user. */
export function findPackage(name: string, workspace: string, env: NodeJS.ProcessEnv): FoundPackage {
  const operators = (env['PEAGEN_PLUGINS'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const folder = candidates(name, workspace, operators, env).find((each) => existsSync(join(each, 'package.json')));
  if (folder === undefined) {
    const path = isPath(name);
    throw new PeagenError(
      'not_found',
      `The plugin ${path ? 'folder' : 'package'} "${name}" is not ${path ? 'there' : 'installed'}.`,
      {
        hint: `Install it with "peagen plugin add ${name}", or stop using it with "peagen plugin remove ${name}".`,
      },
    );
  }
  requireOwn(join(folder, 'package.json'), readAllowed(env), env);
  return { folder, byOperator: operators.some((root) => contains(root, folder)) };
}

function candidates(name: string, workspace: string, operators: readonly string[], env: NodeJS.ProcessEnv): string[] {
  if (isPath(name)) return [resolve(workspace, name)];
  const roots = [...operators, ...upward(workspace), pluginFolder(workspace, false, env), pluginFolder(workspace, true, env)];
  return roots.map((root) => join(root, 'node_modules', name));
}

export function isPath(name: string): boolean {
  return isAbsolute(name) || /^\.{1,2}([\\/]|$)/.test(name);
}

export function upward(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...upward(dirname(folder))];
}

function contains(root: string, folder: string): boolean {
  if (!existsSync(root)) return false;
  const way = relative(realpathSync(root), realpathSync(folder));
  return !way.startsWith('..') && !isAbsolute(way);
}
