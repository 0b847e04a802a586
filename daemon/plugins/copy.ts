/** Copies plugin packages with all that they depend on, so that an image has them and needs no registry. */
import { existsSync, realpathSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { readAllowed, requireAllowedPlugin } from '../config/allowed.ts';
import { findPackage, isPath, upward } from './find.ts';
import { integrityOf } from './integrity.ts';
import { readDependencies, readManifest } from './manifest.ts';

/** Into `place/node_modules`. Throws `untrusted` for a package that neither the operator nor the user has confirmed. */
export async function copyPackages(
  names: readonly string[],
  place: string,
  { workspace, env }: { workspace: string; env: NodeJS.ProcessEnv },
): Promise<void> {
  await mkdir(place, { recursive: true });
  for (const name of names) {
    const { folder, byOperator } = findPackage(name, workspace, env);
    const manifest = readManifest(folder);
    const { name: its, version, dependencies } = manifest;
    if (!byOperator) requireAllowedPlugin({ name: its, version, integrity: integrityOf(manifest) }, readAllowed(env));
    await copyPackage(folder, join(place, 'node_modules', its), dependencies, []);
  }
}

/** As other machines know the packages: by name, where this one may have given the path of a folder. */
export function packageNames(names: readonly string[], workspace: string, env: NodeJS.ProcessEnv): string[] {
  return names.map((name) => (isPath(name) ? readManifest(findPackage(name, workspace, env).folder).name : name));
}

/** `above`: real paths of the packages that need this one; one that needs itself in the end is found where it is already. */
async function copyPackage(folder: string, to: string, needs: readonly string[], above: readonly string[]): Promise<void> {
  const real = realpathSync(folder);
  const modules = join(real, 'node_modules');
  await cp(real, to, { recursive: true, dereference: true, filter: (path) => path !== modules });
  for (const name of needs) {
    const found = upward(real)
      .map((each) => join(each, 'node_modules', name))
      .find((each) => existsSync(each));
    if (found === undefined) {
      throw new PeagenError('not_found', `The plugin in ${folder} needs the package "${name}", which is not installed.`, {
        hint: `Run "npm install" in ${folder}.`,
      });
    }
    const place = realpathSync(found);
    if (place !== real && !above.includes(place)) {
      await copyPackage(found, join(to, 'node_modules', name), readDependencies(found), [...above, real]);
    }
  }
}
