/** Taking the results of runs elsewhere: the archive as JSON, the way to the best as a git branch. */
import * as z from 'zod';
import { RunId } from '../ids.ts';
import { request } from './message.ts';

/** Client → daemon: the archive of a run, or of several merged, as JSON. Throws `conflict` for archives that cannot be compared. */
export const ExportArchive = request(
  'peagen/run/export',
  z.object({ runs: z.array(RunId).min(1) }),
  z.object({ text: z.string() }),
);

export const GitExport = z.object({
  branch: z.string(),
  /** The repository's folder that the paths are relative to. */
  root: z.string(),
  /** The commit that the branch starts from; null when nothing was written. */
  base: z.string().nullable(),
  /** Oldest first; empty when `base` already holds the best. `commit` is null when nothing was written. */
  commits: z.array(z.object({ commit: z.string().nullable(), sha256: z.string(), summary: z.string() })),
});
export type GitExport = z.infer<typeof GitExport>;

/**
 * Client → daemon: writes the steps from the original to the announced best as commits of a branch; with `preview` nothing is
 * written. Work tree, index and checked-out branch stay as they are. Throws `not_found` without a best or a repository, and
 * `conflict` when the branch exists.
 */
export const ExportToGit = request('peagen/run/export/git', z.object({ run: RunId, preview: z.boolean() }), GitExport);
