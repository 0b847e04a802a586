/** Changes of files as a unified diff, for a terminal and for other tools. Pure. */
import { createTwoFilesPatch } from 'diff';

export interface FileChange {
  path: string;
  before: string;
  after: string;
}

/** In the form that `git apply` and `patch -p1` take. */
export function unifiedDiff(changes: readonly FileChange[]): string {
  return changes
    .map(({ path, before, after }) => createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined))
    .map((patch) => patch.replace(/^=+\n/, ''))
    .join('');
}
