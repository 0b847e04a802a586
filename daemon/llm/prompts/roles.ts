/**
 * Prompt roles: the kind of change that a question asks for. A rewrite is bold and a crossover combines by what they are; an
 * edit of a program is asked for in one of four ways. The bandit finds out which of them pays. Pure.
 */
import type { PromptRole } from '../../../shared/asking.ts';
import type { PromptKind } from './view.ts';

const own: Readonly<Partial<Record<string, PromptRole>>> = { rewrite: 'bold', crossover: 'combine' };
const ways: readonly PromptRole[] = ['algorithm', 'structure', 'constant', 'simplify'];

/**
 * The roles that a mutator's questions take turns in: `undefined` for a question without one, an empty list where the mutator
 * has a kind that is not wanted.
 */
export function rolesOf(mutator: string, wanted: readonly PromptRole[]): (PromptRole | undefined)[] {
  const role = own[mutator];
  if (wanted.length === 0 || (role !== undefined && wanted.includes(role))) return [undefined];
  if (role !== undefined) return [];
  if (mutator !== ('patch' satisfies PromptKind)) return [undefined];
  const asked = ways.filter((way) => wanted.includes(way));
  return asked.length === 0 ? [undefined] : asked;
}

/** The role of a mutator's question: its own, or the one that it is asked in. */
export function roleOf(mutator: string, asked: PromptRole | undefined): PromptRole | undefined {
  return own[mutator] ?? asked;
}

type Texts = Readonly<Partial<Record<PromptRole, { readonly speed: string; readonly score: string }>>>;

const texts: Texts = {
  algorithm: {
    speed:
      'Look for an algorithm that does less work: something that is searched, sorted or computed again and again although once would do, or a loop inside a loop that one pass can replace.',
    score:
      'Look at the method itself: which step of it keeps the result from being better, and which known method handles that step better?',
  },
  structure: {
    speed:
      'Look at the data structures: would a set, a dictionary, an array, a heap or a different layout of the same data make the most frequent operation cheaper?',
    score:
      'Look at how the problem is represented: would another representation or search space make good solutions easier to reach?',
  },
  constant: {
    speed:
      'Keep the algorithm and lower what each step costs: move work out of the innermost loop, use what the language runs natively, and avoid allocations and repeated lookups.',
    score: 'Keep the method and tune it: its numbers, thresholds, starting points and number of steps.',
  },
  simplify: {
    speed: 'Remove what the result does not depend on: checks, copies, passes and variables that are not needed.',
    score: 'Remove what does not contribute to the result, so that what does contribute has more of the time.',
  },
};

/** What a question of this role asks for in particular; empty for a role that the question as a whole stands for. */
export function roleText(role: PromptRole | undefined, kind: 'speed' | 'score'): string {
  return role === undefined ? '' : (texts[role]?.[kind] ?? '');
}
