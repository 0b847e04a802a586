/** The name of a workspace on a queue that is shared, where the configuration gives none: no two folders have the same one. */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename } from 'node:path';

/** `local/shop-1f0c9a2b7d3e`: the digits stand for this machine and the folder's real path. */
export function localWorkspace(folder: string, machine = hostname()): string {
  const place = createHash('sha256')
    .update(`${machine}\n${realPath(folder)}`)
    .digest('hex')
    .slice(0, 12);
  return `local/${basename(folder).replaceAll(/[^\w.-]/g, '_') || 'workspace'}-${place}`;
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
