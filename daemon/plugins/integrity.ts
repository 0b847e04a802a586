/** The hash that a user confirms for a plugin: of its files, and of those of the packages that it depends on. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { upward } from './find.ts';
import { type Manifest, readDependencies } from './manifest.ts';

/** Files of a plugin with all its dependencies; more than this is no plugin but an application. */
const MOST_FILES = 20_000;

/** `sha512-` and the hash in base64, the same on every machine. Throws `invalid_input` for a package that is too large. */
export function integrityOf({ folder, dependencies }: Manifest): string {
  const hash = createHash('sha512');
  const seen = new Set<string>();
  let files = 0;
  const add = (root: string, label: string, needs: readonly string[]): void => {
    const real = realpathSync(root);
    if (seen.has(real)) return;
    seen.add(real);
    for (const path of filesIn(real)) {
      if (++files > MOST_FILES)
        throw new PeagenError('invalid_input', `The plugin in ${folder} has more than ${MOST_FILES} files.`);
      const full = join(real, path);
      const content = lstatSync(full).isSymbolicLink() ? `-> ${readlinkSync(full)}` : readFileSync(full);
      hash.update(`${label}/${path}\0`).update(createHash('sha512').update(content).digest());
    }
    for (const name of [...needs].sort()) {
      const found = upward(real)
        .map((each) => join(each, 'node_modules', name))
        .find((each) => existsSync(each));
      if (found === undefined) hash.update(`${label} lacks ${name}\0`);
      else add(found, name, readDependencies(found));
    }
  };
  add(folder, '', dependencies);
  return `sha512-${hash.digest('base64')}`;
}

/** Sorted, with `/`, without what it depends on. */
function filesIn(folder: string, prefix = ''): string[] {
  const entries = readdirSync(join(folder, prefix), { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    const path = `${prefix}${entry.name}`;
    return entry.isDirectory() ? filesIn(folder, `${path}/`) : [path];
  });
}
