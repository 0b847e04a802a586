/** Which files of a project are rendered when a user names where to begin. Pure. */
import { nearest, PeagenError } from '../../../shared/errors.ts';
import type { PlannedFile, ProjectPlan } from '../../render/plan.ts';

export interface Start {
  /** The output path of a file: from it on, in order; or with `transitive` it and all that it depends on, and nothing else. */
  readonly file?: string | undefined;
  readonly transitive: boolean;
  /** Leave out this many files of each project, in order. */
  readonly index?: number | undefined;
}

/** Output paths by plan. Throws `not_found` for a file that no project has. */
export function selectFiles(plans: readonly ProjectPlan[], { file, transitive, index }: Start): ReadonlySet<string>[] {
  const name = file?.replaceAll('\\', '/').replace(/^\.\//, '');
  if (name !== undefined && !plans.some(({ files }) => files.some(({ output }) => output === name))) {
    const near = nearest(
      name,
      plans.flatMap(({ files }) => files.map(({ output }) => output)),
    );
    throw new PeagenError('not_found', `No project has the file "${file}".`, {
      hint: near === undefined ? 'Look at the list with --dry-run.' : `Did you mean "${near}"?`,
    });
  }
  return plans.map(({ files }) => {
    const start = name === undefined ? 0 : files.findIndex(({ output }) => output === name);
    if (start < 0) return new Set();
    const chosen = name !== undefined && transitive ? withDependencies(files, new Set([name])) : files.slice(start);
    return new Set(chosen.slice(index ?? 0).map(({ output }) => output));
  });
}

/** The files and all that they depend on, in order. */
export function withDependencies(files: readonly PlannedFile[], outputs: ReadonlySet<string>): PlannedFile[] {
  const wanted = new Set(outputs);
  // Backwards: what a file depends on comes before it.
  for (const { output, dependencies } of files.toReversed()) {
    if (wanted.has(output)) for (const name of dependencies) wanted.add(name);
  }
  return files.filter(({ output }) => wanted.has(output));
}
