/** Chooses for a slot its parent, other programs to learn from, and the mutator that makes the child. Changes no state. */
import type { Sha256 } from '../../../shared/ids.ts';
import type { Slot } from '../../../shared/run.ts';
import { plateauLevel, straysAt } from '../../evolution/plateau.ts';
import type { Random } from '../../random.ts';
import type { RunState } from '../run/state/run-state.ts';
import type { EventOf } from '../run/state/slots.ts';

/** The mutator that makes failing programs correct. */
export const MEND = 'fix' as const;
/** Programs a mutator sees next to the parent, unless the run says how many. */
const INSPIRATIONS = 3;
/** How often the parent comes from the Pareto front, where there is one. */
const FRONT_SHARE = 0.5;

type Choice = Pick<EventOf<'selected'>, 'parent' | 'inspirations' | 'mutator' | 'role' | 'backend' | 'plateau' | 'wished'>;
/** Without a mutator, the one of the run is used. */
type Parents = Omit<Choice, 'mutator'> & { mutator?: string | undefined };

/** `granting`: slots that are just being given what a user wished. */
export function choiceFor(state: RunState, slot: Slot, random: Random, granting = 0): Choice {
  // A later attempt keeps its level, which by now would depend on which task was faster.
  const before = state.open.get(slot.index)?.selected;
  const level =
    before === undefined ? plateauLevel(state.generations.done, state.improvedAt, state.spec.plateau) : (before.plateau ?? 0);
  const { mutator, ...parents } =
    asBefore(state, slot) ?? wished(state, slot, granting) ?? mending(state, random) ?? drawn(state, slot, random, level);
  const chosen = level === 0 ? parents : { ...parents, plateau: level };
  if (mutator !== undefined) return { ...chosen, mutator };
  const hasMates = chosen.inspirations.length > 0;
  return { ...chosen, ...(state.division?.choose(slot, hasMates) ?? { mutator: ownMutator(state.spec, hasMates) }) };
}

/** With no other program to take from, as at the beginning, a crossover by syntax tree is an edit of it. */
function ownMutator({ mutator }: RunState['spec'], hasMates: boolean): string {
  return mutator === 'crossover-tree' && !hasMates ? 'structural' : mutator;
}

/**
 * A later attempt of a deterministic run keeps its parent: by now the archive depends on who was faster. One that grants
 * a wish goes on granting it.
 */
function asBefore(state: RunState, slot: Slot): Parents | undefined {
  const selected = state.open.get(slot.index)?.selected;
  if (selected === undefined) return undefined;
  const { parent, inspirations, wished, mutator, role, backend } = selected;
  // A program that fails can only be fixed.
  if (mutator === MEND && state.spec.deterministic) return { parent, inspirations, mutator };
  if (wished === true)
    return {
      parent,
      inspirations,
      wished,
      mutator,
      ...(role === undefined ? {} : { role }),
      ...(backend === undefined ? {} : { backend }),
    };
  return state.spec.deterministic ? { parent, inspirations } : undefined;
}

function wished({ wishes }: RunState, { attempt }: Slot, granting: number): Parents | undefined {
  const wish = attempt === 0 ? wishes.next(granting) : undefined;
  if (wish === undefined) return undefined;
  return { parent: wish.parent, inspirations: [...wish.inspirations], mutator: wish.mutator, wished: true };
}

/** While no program is correct, one that fails is a better start than none. */
function mending(state: RunState, random: Random): Parents | undefined {
  const programs = toMend(state);
  return programs.length === 0 ? undefined : { parent: random.pick(programs), inspirations: [], mutator: MEND };
}

/** Newest first: none as soon as one is correct, or, unless the original fails itself, before a generation's worth has failed. */
function toMend({ spec, counts, memory, failing, original }: RunState): readonly Sha256[] {
  const alone = spec.strategy === 'best-of-n';
  if (failing !== undefined) return alone ? [original.sha256] : [...memory.failed, original.sha256];
  return !alone && spec.fix === true && counts.correct === 0 && counts.evaluated >= spec.population ? memory.failed : [];
}

/**
 * Every other slot of a run with several objectives takes its parent from the Pareto front, and next to it another program
 * that nothing beats: what each is best at is to be brought together, however their sums compare. Empty otherwise, and on
 * islands, which keep to their own.
 */
function fromFront(population: RunState['population'], random: Random): Sha256[] {
  const apart = population.each().length > 0;
  if (apart || (population.frontSize ?? 0) < 2 || random.next() >= FRONT_SHARE) return [];
  const front = population.paretoFront().map(({ sha256 }) => sha256);
  const parent = random.pick(front);
  return [parent, random.pick(front.filter((sha256) => sha256 !== parent))];
}

function drawn(state: RunState, { index }: Slot, random: Random, level: number): Parents {
  const { spec, original, population } = state;
  if (spec.strategy === 'best-of-n') return { parent: original.sha256, inspirations: [] };
  const archive = population.home(index);
  if (spec.strategy === 'greedy') return { parent: archive.best()?.sha256 ?? original.sha256, inspirations: [] };
  const selector = state.selectors.of(index);
  const isRandom = spec.strategy === 'random';
  const specialists = isRandom ? [] : fromFront(population, random);
  const stray = isRandom || (specialists.length === 0 && straysAt(level, random)) ? random.pick(archive.champions()) : undefined;
  const parent = specialists[0] ?? (stray ?? selector.select(archive, random)).sha256;
  const { best, others: usual } = spec.examples ?? { best: 0, others: INSPIRATIONS };
  const others = usual === 0 ? 0 : usual + level;
  const ranks = Array.from({ length: best + 1 }, (_, rank) => archive.ranked(rank)?.sha256 ?? parent);
  const mates = specialists.slice(1);
  const top = [...mates, ...ranks.filter((sha256) => sha256 !== parent && !mates.includes(sha256)).slice(0, best)];
  const drawn = selector.inspirations(archive, top.length + others, parent, random).map(({ sha256 }) => sha256);
  const rest = drawn.filter((sha256) => !top.includes(sha256)).slice(0, others);
  const pinned = population.pins().filter((sha256) => sha256 !== parent);
  return { parent, inspirations: [...new Set([...pinned, ...top, ...rest])].slice(0, best + others) };
}
