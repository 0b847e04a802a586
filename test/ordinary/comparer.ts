/** Compares programs with an original on calls, in a child process of plain Python or Node that shares nothing with the product. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { type Call, Call as CallSchema } from '../../shared/judging.ts';
import type { Fixture } from './fixture.ts';

const Comparison = z.object({
  /** Sessions in which the candidate differs, as far as they were counted. */
  different: z.number().int(),
  first: z.object({ session: z.array(CallSchema), difference: z.string() }).nullable(),
  /** In how many sessions each part is the first that differs. */
  parts: z.record(z.string(), z.number()),
});
export type Comparison = z.infer<typeof Comparison>;

const Answer = z.object({ raised: z.record(z.string(), z.number()), results: z.array(Comparison) });

/** A whole comparison takes seconds; a candidate that never ends is cut off with it. */
const LIMIT_MS = 120_000;

/**
 * `raised`: how many calls of the sessions the original rejects, by the type of its exception. A candidate is given up when it
 * differs in `most` sessions.
 */
export async function compareWith(
  { language, entry, text: original }: Pick<Fixture, 'language' | 'entry' | 'text'>,
  candidates: readonly string[],
  sessions: readonly (readonly Call[])[],
  most = sessions.length,
): Promise<z.infer<typeof Answer>> {
  const script = join(import.meta.dirname, language === 'python' ? 'compare.py' : 'compare.mjs');
  const child = spawn(language === 'python' ? 'python3' : process.execPath, [script], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: LIMIT_MS,
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify({ original, candidates, entry, typescript: language === 'typescript', sessions, most }));
  const [written, complaint, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (status !== 0) throw new Error(`The comparison of ${entry} ended with ${String(status)}: ${complaint}`);
  return Answer.parse(JSON.parse(written));
}
