/**
 * Handles mutate tasks: asks the mutator for a child, checks it the same for every mutator, and names the execute task
 * that follows. A child that breaks a rule is an answer (`rejected`, with what it cost), not an error.
 */
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import type { ChatAnswer, ChatRequest } from '../../shared/llm.ts';
import { type ExecutePayload, type MutateData, MutatePayload } from '../../shared/payloads.ts';
import { Program } from '../../shared/program.ts';
import type { CapTag, Task } from '../../shared/task.ts';
import { programSha } from '../evolution/hash.ts';
import type { Mutated, Mutator } from '../evolution/mutators/mutator.ts';
import { Seen } from '../evolution/seen.ts';
import { sketchDistance, sketchOf } from '../evolution/sketch.ts';
import { normalHash } from '../evolution/syntax/normal.ts';
import { syntaxError } from '../evolution/syntax/parse.ts';
import { BackendFailure } from '../llm/failure.ts';
import { childFault } from './child-check.ts';
import { followUp } from './follow-up.ts';
import type { Handled, HandlerContext, TaskHandler } from './handler.ts';

/** Asks the models of a worker's configuration. */
export type Ask = (request: ChatRequest, context: HandlerContext) => Promise<ChatAnswer>;

export class MutateHandler implements TaskHandler {
  readonly kind = 'mutate';
  readonly version = '1';
  readonly name: string;
  readonly provides: readonly CapTag[];
  private readonly ask: Ask;

  constructor(name: string, provides: readonly CapTag[], ask: Ask) {
    this.name = name;
    this.provides = provides;
    this.ask = ask;
  }

  accepts(task: Task): boolean {
    return task.kind === this.kind;
  }

  async handle(task: Task, context: HandlerContext): Promise<Handled> {
    const payload = parsePayload(task);
    if (payload.allowance !== undefined && task.attempts > 0) return { status: 'ok', data: lostWithItsWorker(payload.allowance) };
    const mutator = await this.mutator(payload, context);
    const { signal } = context;
    const log = context.log.child({ mutator: mutator.name });
    const ask =
      payload.recorded === undefined ? (request: ChatRequest) => this.ask(request, context) : recordedAnswers(payload.recorded);
    const mutated = await mutator.mutate(payload, { signal, log, ask }).catch((caught: unknown) => {
      // Back ends have been asked as often as there is hope.
      throw payload.allowance === undefined && !(caught instanceof BackendFailure) ? caught : askedOnce(caught);
    });
    const data = mutated.kind === 'rejected' ? mutated : await checked(mutated, payload);
    if (data.kind === 'rejected' || payload.next === undefined) return { status: 'ok', data };
    const next: ExecutePayload = { ...payload.next, program: data.program };
    const execute = followUp(task, 'execute', next, [...new Set(['cpu', ...payload.nextRequires])].sort());
    return { status: 'ok', data: { ...data, execute: execute.id }, followUps: [execute] };
  }

  private async mutator({ mutator: name, recorded }: MutatePayload, context: HandlerContext): Promise<Mutator> {
    const make = await context.registry.load('mutator', name);
    const mutator = make(context.config);
    const needed = recorded === undefined ? mutator.requires : mutator.requires.filter((tag) => tag !== 'llm');
    const missing = needed.filter((tag) => !this.provides.includes(tag));
    if (missing.length === 0) return mutator;
    throw new PeagenError(
      'unsupported',
      `The mutator "${name}" needs ${missing.join(', ')}, which the handler "${this.name}" lacks.`,
      {
        hint: 'Its tasks must require those tags.',
      },
    );
  }
}

/** Of a run with a budget: nobody knows what an earlier attempt has spent, so all of it counts, and none is left to ask again. */
function lostWithItsWorker(allowance: number): MutateData {
  const tokens = { prompt: allowance, completion: 0 };
  return { kind: 'rejected', reason: 'the worker that asked for this candidate died; all it may have spent is counted', tokens };
}

/** A failure that has cost nothing, kept from a second attempt; with a budget that would be taken for one after a death. */
function askedOnce(caught: unknown): PeagenError {
  const { code, message, hint } = PeagenError.from(caught);
  return new PeagenError(code, message, { hint, retryable: false, cause: caught });
}

function parsePayload(task: Task): MutatePayload {
  const parsed = MutatePayload.safeParse(task.payload);
  if (parsed.success) return parsed.data;
  throw new PeagenError('invalid_input', `The payload of mutate task ${task.id} is malformed: ${z.prettifyError(parsed.error)}`);
}

/** Gives the answers of an earlier run in their order; nothing is asked and nothing spent. */
function recordedAnswers(answers: readonly string[]): (request: ChatRequest) => Promise<ChatAnswer> {
  const rest = [...answers];
  return async ({ backend }) => {
    const text = rest.shift();
    if (text === undefined)
      throw new PeagenError('unavailable', 'The run recorded no further answer for this candidate.', { retryable: false });
    const tokens = { prompt: 0, completion: 0 };
    return { text, backend, model: 'recorded', tokens, finish: 'stop', firstTokenMs: 0, totalMs: 0 };
  };
}

/** The child with its names, or why there is none. A mutator may come from anywhere: nothing it says is taken on trust. */
async function checked(child: Extract<Mutated, { kind: 'child' }>, payload: MutatePayload): Promise<MutateData> {
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
  const own = sketchOf(program);
  return sketches.some((other) => sketchDistance(own, other) < share);
}

/** An original that its own grammar cannot read (newer syntax) says nothing about its children. */
async function syntaxFault(child: Program, original: Program): Promise<string | undefined> {
  const error = await syntaxError(child);
  return error === undefined || (await syntaxError(original)) !== undefined ? undefined : `it does not parse: ${error}`;
}
