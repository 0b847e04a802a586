/** Unpacks the archive of a package: files and folders only, inside the target, bounded in number and size. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { PeagenError } from '../../../shared/errors.ts';
import { outputPath } from '../paths.ts';

const BLOCK = 512;

/** Throws `too_large`, or `invalid_input` for a path that leaves the folder. Links and devices are left out. */
export async function unpack(archive: string, folder: string, limits: { maxFiles: number; maxBytes: number }): Promise<void> {
  // The headers of that many files, and an end.
  const most = limits.maxBytes + (2 * limits.maxFiles + 2) * BLOCK;
  const data = await promisify(gunzip)(await readFile(archive), { maxOutputLength: most }).catch((caught: unknown) => {
    throw new PeagenError('too_large', `The package ${archive} is damaged, or has more than ${most} bytes.`, { cause: caught });
  });
  let files = 0;
  for (let at = 0; at + BLOCK <= data.length; ) {
    const header = data.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const field = (from: number, length: number) => header.toString('latin1', from, from + length).replace(/\0.*$/s, '');
    const size = Number.parseInt(field(124, 12).trim() || '0', 8);
    if (!Number.isSafeInteger(size) || size < 0) throw new PeagenError('invalid_input', `The package ${archive} is damaged.`);
    const type = field(156, 1);
    if (type === '0' || type === '') {
      files += 1;
      if (files > limits.maxFiles)
        throw new PeagenError('too_large', `The package ${archive} has more than ${limits.maxFiles} files.`);
      const prefix = header.toString('utf8', 345, 500).replace(/\0.*$/s, '');
      const name = header.toString('utf8', 0, 100).replace(/\0.*$/s, '');
      // The first folder is the package itself.
      const path = outputPath(prefix === '' ? name : `${prefix}/${name}`)
        .split('/')
        .slice(1)
        .join('/');
      if (path !== '') {
        await mkdir(dirname(join(folder, path)), { recursive: true });
        await writeFile(join(folder, path), data.subarray(at + BLOCK, at + BLOCK + size));
      }
    }
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}
