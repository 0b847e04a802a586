/** What a candidate changes, file by file. Pure. */
import type { FileChange } from '../../../shared/patch/unified.ts';
import { fileText, type Program } from '../../../shared/program.ts';

export function changesOf(original: Program, program: Program): FileChange[] {
  return program.files.flatMap(({ path, text }) => {
    const before = fileText(original, path) ?? '';
    return before === text ? [] : [{ path, before, after: text }];
  });
}
