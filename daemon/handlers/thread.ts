/** The entry point of a thread for pure work: what tinypool calls by name. An error goes back as data, which keeps its code. */
import { type ErrorData, PeagenError } from '../../shared/errors.ts';
import type { MutateData } from '../../shared/payloads.ts';
import { createLog } from '../telemetry/log.ts';
import { checked, mutateSyntax, type SyntaxMutation } from './pure-work.ts';
import type { CheckedChild } from './threads.ts';

export type ThreadAnswer = { readonly value: MutateData } | { readonly error: ErrorData };

/** A thread whose work is not wanted any more is ended from outside. */
const context = { signal: new AbortController().signal, log: createLog({ level: 'silent' }) };

export function mutate(work: SyntaxMutation): Promise<ThreadAnswer> {
  return answered(mutateSyntax(work, context));
}

export function check({ child, payload }: CheckedChild): Promise<ThreadAnswer> {
  return answered(checked(child, payload));
}

async function answered(work: Promise<MutateData>): Promise<ThreadAnswer> {
  try {
    return { value: await work };
  } catch (caught) {
    return { error: PeagenError.from(caught).toJSON() };
  }
}
