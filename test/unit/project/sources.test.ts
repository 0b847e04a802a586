/** What our sources must not have, and no linter looks for. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');

describe('the sources that ship', () => {
  // Lowered for Node 22 by esbuild, an error of one turn of the loop is thrown again at the end of every later one.
  it('have no `using` in a loop', () => {
    const files = globSync('{daemon,extension,shared}/**/*.ts', { cwd: root });
    assert.ok(files.length > 100);
    const found = files.flatMap((file) =>
      usingInLoops(readFileSync(join(root, file), 'utf8')).map((line) => `${file}:${line}: declare it in a function of its own`),
    );
    assert.deepEqual(found, []);
  });

  it('would be found with one', () => {
    const using = 'using file = await open();';
    assert.deepEqual(usingInLoops(`for (;;) {\n  try {\n    await ${using}\n  } catch {}\n}`), [3]);
    assert.deepEqual(usingInLoops(`while (more) {\n  ${using}\n}`), [2]);
    assert.deepEqual(usingInLoops(`for (;;) {\n  all.map(async () => {\n    ${using}\n  });\n}`), []);
    assert.deepEqual(usingInLoops(`{\n  for (;;) {\n  }\n  ${using}\n}`), []);
  });
});

/** Lines, from 1, by their indentation: the formatter gives each block its own. */
function usingInLoops(text: string): number[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => (/^\s*(await )?using \w+ =/.test(line) && isInLoop(lines, index) ? [index + 1] : []));
}

function isInLoop(lines: readonly string[], index: number): boolean {
  let depth = indentOf(lines[index]);
  for (let at = index - 1; at >= 0 && depth > 0; at--) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || indentOf(line) >= depth) continue;
    depth = indentOf(line);
    if (/^\s*(for|while|do)\b/.test(line)) return true;
    const opensBlock = /^\s*(\} )?(try|catch|finally|if|else|switch|case|default)\b|^\s*\{$|^\s*\)? ?\{$/.test(line);
    if (!opensBlock) return false;
  }
  return false;
}

function indentOf(line = ''): number {
  return line.length - line.trimStart().length;
}
