/**
 * Carries what a run has found over to a new original, after its file was edited: each program's change is applied to the
 * new text, hunk by hunk, where its old lines still stand. What does not apply as a whole is dropped.
 */
import type { Sha256 } from '../../../shared/ids.ts';
import { planAccept } from '../../../shared/patch/decide.ts';
import { diffHunks } from '../../../shared/patch/hunk.ts';
import { editText, splitLines } from '../../../shared/patch/lines.ts';
import { placeHunks } from '../../../shared/patch/locate.ts';
import type { Origin, Program } from '../../../shared/program.ts';
import { programSha } from '../../evolution/hash.ts';
import { normalHash } from '../../evolution/syntax/normal.ts';
import { syntaxError } from '../../evolution/syntax/parse.ts';
import { childFault } from '../../handlers/child-check.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { EventOf } from '../run/state/slots.ts';
import { respan } from './submission.ts';

interface Carried {
  readonly program: Program;
  readonly sha256: Sha256;
  readonly normal: Sha256;
  readonly origin: Origin;
}

/** An earlier program, by its hash, with what is to be reported about it. */
interface Before {
  readonly sha256: Sha256;
  readonly program: Program;
  readonly origin: Origin;
}

/** In the order given; of those that become the same program, the first. `normal`: of the new original. */
async function carryOver(
  from: Program,
  to: Program,
  before: readonly Before[],
): Promise<{ carried: Carried[]; dropped: number; normal: Sha256 }> {
  const carried = new Map<Sha256, Carried>();
  const readable = (await syntaxError(to)) === undefined;
  const original = await normalHash(to);
  for (const { sha256, program, origin } of before) {
    const moved = rebased(from, to, program);
    if (moved === undefined || (readable && (await syntaxError(moved)) !== undefined)) continue;
    const normal = await normalHash(moved);
    if (normal === original || carried.has(normal)) continue;
    // A user's own edit stays one.
    const mutator = origin.mutator === 'user' ? 'user' : 'rebase';
    carried.set(normal, {
      program: moved,
      sha256: programSha(moved),
      normal,
      origin: { parents: [sha256], mutator, summary: origin.summary },
    });
  }
  return { carried: [...carried.values()], dropped: before.length - carried.size, normal: original };
}

/** The program's change of `from`, made to `to`; undefined when it does not apply there. */
export function rebased(from: Program, to: Program, program: Program): Program | undefined {
  const [old, target, changed] = [from.files[0]?.text, to.files[0]?.text, program.files[0]?.text];
  if (old === undefined || target === undefined || changed === undefined) return undefined;
  const lines = splitLines(target);
  const hunks = placeHunks(diffHunks(old, changed), lines);
  const pending = hunks.filter(({ state }) => state === 'pending');
  if (hunks.some(({ state }) => state !== 'pending' && state !== 'accepted')) return undefined;
  // The text has the change already, or does not contain the lines that the change removes.
  if (pending.length === 0) return undefined;
  const { edits, conflicts } = planAccept(hunks, lines, new Set(pending.map(({ id }) => id)));
  if (conflicts.length > 0) return undefined;
  const child = respan(to, edits.reduce(editText, target));
  return child === undefined || childFault(child, to) !== undefined ? undefined : child;
}

/** The event after which everything is compared with the edited original: what is carried over, as objects. */
export async function rebasedEvent(
  old: Program,
  next: Program,
  state: RunState,
  { program, objects }: { program(sha256: Sha256): Promise<Program>; objects: { put(text: string): Promise<Sha256> } },
): Promise<Omit<EventOf<'rebased'>, 'at'>> {
  const elites = state.population.elites().filter(({ sha256 }) => sha256 !== state.original.sha256);
  const before = [...state.pending.keys(), ...elites.map(({ sha256 }) => sha256)].map(async (sha256) => {
    const origin = state.pending.get(sha256)?.origin ?? state.known.get(sha256)?.origin;
    return { sha256, program: await program(sha256), origin: origin ?? { parents: [], mutator: '', summary: '' } };
  });
  const { carried, ...others } = await carryOver(old, next, await Promise.all(before));
  const listed = carried.map(async ({ program: one, ...rest }) => ({ ...rest, object: await objects.put(JSON.stringify(one)) }));
  const object = await objects.put(JSON.stringify(next));
  return { type: 'rebased', original: programSha(next), object, carried: await Promise.all(listed), ...others };
}
