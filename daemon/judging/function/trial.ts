/**
 * Tries a function on calls that nobody has made before: each in a sandbox of its own, so that one that hangs costs only
 * itself.
 */
import { type Call, FunctionOptions } from '../../../shared/judging.ts';
import type { Entry, Program } from '../../../shared/program.ts';
import { RunnerPool } from '../../executors/runner.ts';
import type { SandboxFactory } from '../../executors/sandbox.ts';
import { runCalls, runtimeOf, sourceOf } from './correctness.ts';
import { show } from './values.ts';

/** An input that takes longer is not a sample: every candidate is called with it many times. */
const MOST_MS = 5000;

type TrialResult =
  | { readonly kind: 'done'; readonly returned?: string; readonly raised?: string; readonly ms: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** In the order of `calls`. `program` with all that it imports. */
export async function tryCalls(
  program: Program,
  entry: Entry,
  calls: readonly Call[],
  sandboxes: SandboxFactory,
  signal: AbortSignal,
): Promise<TrialResult[]> {
  const pool = new RunnerPool(sandboxes, runtimeOf(program.language), signal);
  const tried: TrialResult[] = [];
  try {
    for (const call of calls) {
      pool.prefetch(2);
      tried.push(
        await pool.use(async (runner): Promise<TrialResult> => {
          const source = await sourceOf(runner, program, entry, sandboxes.limits.wallMs);
          if ('kind' in source) return { kind: 'failed', reason: source.detail };
          const bounds = { loadMs: sandboxes.limits.wallMs, callsMs: MOST_MS, cpuMs: undefined, operations: undefined };
          const options = FunctionOptions.parse({ entry: source.entry, calls: [call] });
          const ran = await runCalls(runner, source, options, bounds, undefined);
          if (!ran.ok) return { kind: 'failed', reason: ran.outcome.detail };
          const { results, callsMs: ms } = ran.observed;
          const [{ value, raised } = {}] = results;
          return raised === undefined ? { kind: 'done', returned: show(value ?? null), ms } : { kind: 'done', raised, ms };
        }),
      );
    }
    return tried;
  } finally {
    await pool.close();
  }
}
