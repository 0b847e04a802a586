/**
 * The part of a mutate task that is processor time and nothing else: edits of a syntax tree, and the checks of a child. A host
 * has it done in threads (see threads.ts), for which this module is the entry point.
 */
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import type { MutateData, MutatePayload } from '../../shared/payloads.ts';
import { Program } from '../../shared/program.ts';
import { programSha } from '../evolution/hash.ts';
import { minHashDistance, minHashOf } from '../evolution/min-hash.ts';
import type { Mutated, Mutator, MutatorContext } from '../evolution/mutators/mutator.ts';
import { Seen } from '../evolution/seen.ts';
import { normalHash } from '../evolution/syntax/normal.ts';
import { syntaxError } from '../evolution/syntax/parse.ts';
import { childFault } from './child-check.ts';

const syntaxMutators: Readonly<Record<string, () => Promise<Mutator>>> = {
  structural: async () => (await import('../evolution/mutators/structural.ts')).structural,
  'crossover-tree': async () => (await import('../evolution/mutators/crossover-tree.ts')).crossoverTree,
};

/** Whether a built-in mutator asks no model and needs nothing but processor time. */
export function isSyntaxMutator(name: string): boolean {
  return name in syntaxMutators;
}

export interface SyntaxMutation {
  readonly name: string;
  readonly payload: MutatePayload;
}

/** A child that an edit of the syntax tree made, checked. */
export async function mutateSyntax(
  { name, payload }: SyntaxMutation,
  context: Pick<MutatorContext, 'signal' | 'log'>,
): Promise<MutateData> {
  const mutator = await syntaxMutators[name]?.();
  if (mutator === undefined) throw new PeagenError('not_found', `"${name}" does not edit syntax trees.`);
  const ask = () => Promise.reject(new PeagenError('internal', `The mutator "${name}" asks no model.`));
  return checked(await mutator.mutate(payload, { ...context, ask }), payload);
}

/** The child with its names, or why there is none. A mutator may be a plugin: nothing that it returns is trusted. */
export async function checked(child: Mutated, payload: MutatePayload): Promise<MutateData> {
  if (child.kind === 'rejected') return child;
  const { prompt, answer, tokens } = child;
  const texts = { ...(prompt === undefined ? {} : { prompt }), ...(answer === undefined ? {} : { answer }) };
  const rejected = (reason: string): MutateData => ({ kind: 'rejected', reason, ...texts, tokens });
  const parsed = Program.safeParse(child.program);
  if (!parsed.success) return rejected(`the mutator made no program: ${z.prettifyError(parsed.error)}`);
  const program = parsed.data;
  const fault =
    childFault(program, payload.original) ?? tooLong(program, payload) ?? (await syntaxFault(program, payload.original));
  if (fault !== undefined) return rejected(`the child is refused: ${fault}`);
  const normal = await normalHash(program);
  if (normal === (await normalHash(payload.parent.program)))
    return rejected('the child is its parent, but for comments and layout');
  if (payload.seen !== undefined && Seen.decode(payload.seen).has(normal))
    return { kind: 'rejected', reason: 'the same program as an earlier candidate', normal, ...texts, tokens };
  if (payload.near !== undefined && isNear(program, payload.near)) {
    return rejected(`less than ${payload.near.share * 100} % of its tokens differ from the parent's or a recent candidate's`);
  }
  const { mutator, summary, backend } = child.origin;
  const origin = { mutator, summary, ...(backend === undefined ? {} : { backend }) };
  return { kind: 'child', program, sha256: programSha(program), normal, origin, ...texts, tokens };
}

function tooLong({ files }: Program, { maxCodeLength: limit = Number.POSITIVE_INFINITY }: MutatePayload): string | undefined {
  const long = files.find(({ text }) => text.length > limit);
  return long === undefined ? undefined : `${long.path} has ${long.text.length} characters; the run allows ${limit}`;
}

/** By sketches, whose error is about two per cent where programs are nearly the same. */
function isNear(program: Program, { share, sketches }: NonNullable<MutatePayload['near']>): boolean {
  const own = minHashOf(program);
  return sketches.some((other) => minHashDistance(own, other) < share);
}

/** An original that its own grammar cannot read (newer syntax) says nothing about its children. */
async function syntaxFault(child: Program, original: Program): Promise<string | undefined> {
  const error = await syntaxError(child);
  return error === undefined || (await syntaxError(original)) !== undefined ? undefined : `it does not parse: ${error}`;
}
