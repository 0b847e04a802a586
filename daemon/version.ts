/** What this build is: its version, and an id that differs between any two builds. */
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { PeagenError } from '../shared/errors.ts';

const root = findRoot(import.meta.dirname);

export const version = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))).version;

/** Throws `internal` when no folder above has a package.json: the installation is incomplete. */
export function findRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) {
      throw new PeagenError('internal', `There is no package.json in ${start} or any folder above.`, {
        hint: 'Install Peagen again.',
      });
    }
  }
}

/** For a build, what build.mjs wrote; for a checkout, a hash over names and times of the sources. */
export function buildId(): string {
  const written = join(import.meta.dirname, '..', 'build-id');
  if (existsSync(written)) return readFileSync(written, 'utf8').trim();
  const hash = createHash('sha256');
  for (const folder of ['daemon', 'shared']) {
    for (const path of globSync(`${folder}/**/*.{ts,py,cjs,mjs,lua,j2}`, { cwd: root }).sort()) {
      hash.update(`${path}:${statSync(join(root, path)).mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}
