/** Where the operations of a program are executed, as each evaluator counts them in a run that nothing is timed in. */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommandEvaluator } from '../../../daemon/judging/command/command.ts';
import { createFolderEvaluator } from '../../../daemon/judging/folder/folder.ts';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import type { HotLine } from '../../../shared/judging.ts';
import { contextOf, programOf } from '../judging/judging.ts';

const python = `def pairs(n):
    found = 0
    for a in range(n):
        for b in range(n):
            found += a * b % 7 + a - b
    return found
`;
const javascript = `function pairs(n) {
  let found = 0;
  for (let a = 0; a < n; a++) {
    // Half of a line that never runs: [1].map((x) => x + 1)
    for (let b = 0; b < n; b++) if (a >= 0) found += ((a * b) % 7) + a - b;
  }
  return found;
}
`;
const types = `export function pairs(n: number): number {
  let found: number = 0;
  for (let a = 0; a < n; a++) for (let b = 0; b < n; b++) {
    found += ((a * b) % 7) + a - b;
  }
  return found;
}
`;

describe('the lines of a program that most of its work is done in', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'peagen-lines-'));
    await chmod(root, 0o755);
    const check = 'from target import pairs\nimport subprocess, sys\nassert pairs(30) == pairs(30)\n';
    await writeFile(join(root, 'check.py'), check);
    await writeFile(join(root, 'start.py'), 'import subprocess, sys\nsubprocess.run([sys.executable, "check.py"], check=True)\n');
    await writeFile(join(root, 'check.cjs'), "const { pairs } = require('./target.js');\npairs(30);\n");
    await writeFile(
      join(root, 'evaluator.py'),
      'import runpy\ndef evaluate(path):\n    return {"combined_score": runpy.run_path(path)["pairs"](30)}\n',
    );
  });
  after(() => rm(root, { recursive: true, force: true }));

  const ofFunction = async (language: string, text: string): Promise<HotLine[] | undefined> => {
    const original = programOf(language, text);
    const entry = { path: original.files[0]?.path ?? '', fn: 'pairs' };
    const spec = { name: 'function', options: { entry, calls: [{ args: [3] }, { args: [40] }] } };
    return await createFunctionEvaluator().lines?.(original, { evaluator: spec, original, data: null }, await contextOf());
  };
  const ofCommand = async (language: string, text: string, command: string): Promise<HotLine[] | undefined> => {
    const original = programOf(language, text);
    const evaluator = { name: 'command', options: { command, root, metrics: [] } };
    return await createCommandEvaluator().lines?.(original, { evaluator, original, data: null }, await contextOf());
  };

  it('are counted in functions of Python, JavaScript and TypeScript', async () => {
    for (const [language, text, line, runs] of [
      ['python', python, 5, 9 + 1600],
      ['javascript', javascript, 5, 9 + 1600],
      ['typescript', types, 4, 9 + 1600],
    ] as const) {
      const [first] = (await ofFunction(language, text)) ?? [];
      assert.deepEqual([first?.line, first?.code], [line, text.split('\n')[line - 1]?.trim()], language);
      assert.ok(first !== undefined && first.share > 0.4 && first.share <= 1, JSON.stringify(first));
      assert.ok(Math.abs(first.runs - runs) <= 45, `${language}: ${first.runs}`);
    }
  });

  it('are counted in the processes of a command', async () => {
    for (const command of ['python3 check.py', 'python3 start.py', 'true && python3 -m unittest -q check; true']) {
      const [first] = (await ofCommand('python', python, command)) ?? [];
      assert.equal(first?.line, 5, command);
    }
    const script = `${javascript}module.exports = { pairs };\n`;
    assert.equal((await ofCommand('javascript', script, 'node check.cjs'))?.[0]?.line, 5);
  });

  it('are none where the interpreter cannot be asked', async () => {
    assert.deepEqual(
      await ofCommand('python', python, 'python3 -I -c "import sys; sys.path.insert(0, str()); import check"'),
      [],
    );
    assert.deepEqual(await ofCommand('python', python, 'true'), []);
  });

  it('are counted in a folder with its own evaluator', async () => {
    const original = programOf('python', python);
    const evaluator = { name: 'openevolve', options: { root } };
    const basis = { evaluator, original, data: null };
    const lines = await createFolderEvaluator('openevolve').lines?.(original, basis, await contextOf());
    assert.deepEqual([lines?.[0]?.path, lines?.[0]?.line, lines?.[0]?.runs], ['target.py', 5, 900]);
  });
});
