/** What a candidate changes, file by file, and as a unified diff. Pure. */
import { createTwoFilesPatch } from 'diff';
import { fileText, type Program } from '../../shared/program.ts';

export interface Change {
  path: string;
  before: string;
  after: string;
}

export function changesOf(original: Program, program: Program): Change[] {
  return program.files.flatMap(({ path, text }) => {
    const before = fileText(original, path) ?? '';
    return before === text ? [] : [{ path, before, after: text }];
  });
}

/** In the form that `git apply` and `patch -p1` take. */
export function unifiedDiff(changes: readonly Change[]): string {
  return changes
    .map(({ path, before, after }) => createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined))
    .map((patch) => patch.replace(/^=+\n/, ''))
    .join('');
}
