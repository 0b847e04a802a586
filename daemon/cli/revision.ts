/** Reads a file as a git revision has it. */
import { execFile } from 'node:child_process';
import { PeagenError } from '../../shared/errors.ts';

const LIMIT_MS = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** `folder/path` in the revision. Throws `not_found` or `missing_program`. */
export async function textAt(revision: string, folder: string, path: string): Promise<string> {
  const commit = await git(folder, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]);
  if (commit === undefined) {
    throw new PeagenError('not_found', `There is no git revision "${revision}" of ${folder}.`, {
      hint: 'Check --base: a branch, a tag, a commit, HEAD~1, or two of them as A..B.',
    });
  }
  const text = await git(folder, ['show', `${commit.trim()}:./${path}`]);
  if (text !== undefined) return text;
  throw new PeagenError('not_found', `The revision ${revision} has no file ${path}.`, {
    hint: 'Check --base and --target-file.',
  });
}

/** Undefined when git ends with a failure. */
function git(folder: string, args: readonly string[]): Promise<string | undefined> {
  const options = { timeout: LIMIT_MS, maxBuffer: MOST_BYTES, env: { ...process.env, GIT_TERMINAL_PROMPT: '0' } };
  return new Promise((resolve, reject) => {
    execFile('git', ['-C', folder, ...args], options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else if (error.code === 'ENOENT')
        reject(new PeagenError('missing_program', 'git is not installed.', { hint: 'Install git.' }));
      else resolve(undefined);
    });
  });
}
