/** `.peagen` in a workspace, where what Peagen keeps of its work lies: git ignores it, as it does the caches of other tools. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export const PEAGEN_FOLDER = '.peagen';

/** `folder`: that folder, which is there. What the user has written in its `.gitignore` stays. */
export async function ignoreInGit(folder: string): Promise<void> {
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
