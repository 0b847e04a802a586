/**
 * Cheats on a test or benchmark command, each caught by its rule; and honest candidates that look like them, which are not. What
 * only a clock shows is in `npm run bench -- forgery`.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommandEvaluator } from '../../../daemon/judging/command/command.ts';
import { commands } from '../../forgery/commands.ts';
import { contextOf } from './judging.ts';

/** Judged at the same time. */
const TOGETHER = 4;

describe('candidates that cheat on a command', () => {
  const evaluator = createCommandEvaluator();
  for (const { name, language, path, command, metrics, effort = 'quick', original, files, honest, cheats } of commands) {
    describe(`of ${name}`, () => {
      const program = (text: string) => ({ language, files: [{ path, text }], spans: [{ path, start: 0, end: text.length }] });
      const judged = new Map<string, Awaited<ReturnType<typeof evaluator.judge>>>();
      before(async () => {
        const root = mkdtempSync(join(tmpdir(), 'peagen-commands-'));
        chmodSync(root, 0o755);
        for (const [file, text] of Object.entries({ ...files, [path]: original })) writeFileSync(join(root, file), text);
        const evaluatorSpec = { name: 'command', options: { command, root, metrics } };
        const basis = { evaluator: evaluatorSpec, original: program(original), data: null };
        const waiting = [...Object.values(honest), ...Object.values(cheats).map(([code]) => code)];
        const work = async (): Promise<void> => {
          for (let code = waiting.pop(); code !== undefined; code = waiting.pop()) {
            judged.set(code, await evaluator.judge(program(code), basis, await contextOf({ effort })));
          }
        };
        await Promise.all(Array.from({ length: TOGETHER }, work));
        rmSync(root, { recursive: true });
      });

      for (const [what, code] of Object.entries(honest)) {
        it(`are distinguished from an honest one that ${what}`, () => {
          const { outcome } = judged.get(code) ?? assert.fail('not judged');
          assert.equal(outcome.kind, 'correct', outcome.detail);
        });
      }
      for (const [what, [code, rule]] of Object.entries(cheats)) {
        it(`are caught: one that ${what}`, () => {
          const { outcome, metrics: said } = judged.get(code) ?? assert.fail('not judged');
          assert.match(`${outcome.kind}: ${outcome.detail}`, rule, JSON.stringify(said));
        });
      }
    });
  }
});
