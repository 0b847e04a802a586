/** Which run a command is about. */
import { PeagenError } from '../../shared/errors.ts';
import { RunId } from '../../shared/ids.ts';
import { ListRuns } from '../../shared/protocol/runs.ts';
import type { CommandSession } from './session.ts';

/** Throws `invalid_input` for a text that is not the id of a run. */
export function runId(text: string): RunId {
  const run = RunId.safeParse(text);
  if (run.success) return run.data;
  throw new PeagenError('invalid_input', `"${text}" is not the id of a run.`, { hint: 'Ids look like 20260131-142501-3fa9c1.' });
}

/** The named run, or the newest of this folder. Throws `not_found` when there is none. */
export async function runOrNewest({ client }: CommandSession, text: string | undefined): Promise<RunId> {
  if (text !== undefined) return runId(text);
  const newest = (await client.request(ListRuns, {}))[0];
  if (newest !== undefined) return newest.run;
  throw new PeagenError('not_found', 'There is no run in this folder.', { hint: 'Make one with `peagen evolve run`.' });
}
