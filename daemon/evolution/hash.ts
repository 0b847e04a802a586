/** Names of programs and texts: SHA-256 over a canonical form, so that equal content has one name everywhere. */
import { hash } from 'node:crypto';
import { Sha256 } from '../../shared/ids.ts';
import type { Program } from '../../shared/program.ts';

/** Over the UTF-8 bytes of the text. */
export function textSha(text: string): Sha256 {
  return Sha256.parse(hash('sha256', text));
}

/** Over language and files in the order of their paths. Spans are not part: they say what may change, not what it is. */
export function programSha(program: Pick<Program, 'language' | 'files'>): Sha256 {
  const files = program.files.map((file) => [file.path, file.text] as const);
  files.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return textSha(JSON.stringify([program.language, files]));
}
