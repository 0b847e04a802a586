/** Judges program texts with an evaluator, in the sandbox that `auto` chooses on this machine. */
import type * as z from 'zod';
import { openSandboxes } from '../../../daemon/executors/open.ts';
import type { Evaluator, EvaluatorContext } from '../../../daemon/judging/evaluator.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import type { Basis } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';

const extensions: Readonly<Record<string, string>> = { python: 'py', javascript: 'js', typescript: 'ts' };

export function programOf(language: string, text: string, more: Readonly<Record<string, string>> = {}): Program {
  const path = `target.${extensions[language] ?? 'txt'}`;
  const files = [{ path, text }, ...Object.entries(more).map(([name, content]) => ({ path: name, text: content }))];
  return {
    language,
    files: files.sort((a, b) => (a.path < b.path ? -1 : 1)),
    spans: [{ path, start: 0, end: text.length }],
  };
}

export async function contextOf(
  more: Partial<EvaluatorContext> = {},
  settings: z.input<typeof Config> = {},
): Promise<EvaluatorContext> {
  const sandboxes = await openSandboxes(Config.parse(settings), builtinRegistry(), 'foreign');
  return {
    signal: new AbortController().signal,
    log: createLog({ level: 'silent' }),
    sandboxes,
    deterministic: false,
    toBeat: undefined,
    effort: 'quick',
    ...more,
  };
}

export async function prepareText(
  evaluator: Evaluator,
  language: string,
  text: string,
  fn: string,
  options: Readonly<Record<string, unknown>>,
  more: Partial<EvaluatorContext> = {},
) {
  const original = programOf(language, text);
  const entry = { path: `target.${extensions[language]}`, fn };
  return await evaluator.prepare(original, { name: 'function', options: { entry, ...options } }, await contextOf(more));
}

export async function judgeText(
  evaluator: Evaluator,
  language: string,
  text: string,
  basis: Basis,
  more: Partial<EvaluatorContext> = {},
) {
  return await evaluator.judge(programOf(language, text), basis, await contextOf(more));
}
