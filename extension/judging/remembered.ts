/** How a person said a function is to be judged, kept per function in the workspace's state. */
import type { Memento } from 'vscode';
import * as z from 'zod';
import type { TargetSpec } from '../../shared/run.ts';

export const Judging = z.discriminatedUnion('kind', [
  /** Calls as JSON, as the person typed them. */
  z.object({ kind: z.literal('typed'), text: z.string() }),
  /** Absolute path of a JSON file, read at each run. */
  z.object({ kind: z.literal('file'), path: z.string() }),
  z.object({ kind: z.literal('command'), command: z.string() }),
]);
export type Judging = z.infer<typeof Judging>;

const keyOf = (target: Pick<TargetSpec, 'root' | 'path' | 'entry_fn'>) =>
  `judging:${target.root}:${target.path}:${target.entry_fn ?? ''}`;

export function rememberedJudging(state: Memento, target: TargetSpec): Judging | undefined {
  return Judging.safeParse(state.get(keyOf(target))).data;
}

export async function rememberJudging(state: Memento, target: TargetSpec, judging: Judging): Promise<void> {
  await state.update(keyOf(target), judging);
}

/** In words, for a pick: `inputs from calls.json`. */
export function judgingLabel(judging: Judging): string {
  if (judging.kind === 'typed')
    return `sample inputs ${judging.text.length > 40 ? `${judging.text.slice(0, 40)}…` : judging.text}`;
  if (judging.kind === 'file') return `inputs from ${judging.path.split(/[\\/]/).at(-1)}`;
  return `command ${judging.command}`;
}
