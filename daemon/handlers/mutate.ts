/**
 * Handles mutate tasks: asks the mutator for a child, checks it the same for every mutator, and names the execute task
 * that follows. A child that breaks a rule is an answer (`rejected`, with what it cost), not an error.
 */
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import type { Sha256 } from '../../shared/ids.ts';
import type { ChatAnswer, ChatRequest } from '../../shared/llm.ts';
import { type ExecutePayload, type MutateData, MutatePayload } from '../../shared/payloads.ts';
import type { CapTag, Task } from '../../shared/task.ts';
import type { Mutator } from '../evolution/mutators/mutator.ts';
import { BackendFailure } from '../llm/failure.ts';
import { Turns } from '../turns.ts';
import { followUp } from './follow-up.ts';
import type { Handled, HandlerContext, TaskHandler } from './handler.ts';
import { checked, isSyntaxMutator, mutateSyntax } from './pure-work.ts';

/** Spaces out the checks of children in this process. */
const checking = new Turns();

/** Children that are remembered. */
const LATEST = 1000;

/** Asks the models of a worker's configuration. */
export type Ask = (request: ChatRequest, context: HandlerContext) => Promise<ChatAnswer>;

export class MutateHandler implements TaskHandler {
  readonly kind = 'mutate';
  readonly version = '1';
  readonly name: string;
  readonly provides: readonly CapTag[];
  private readonly ask: Ask;
  private readonly made: Set<Sha256>;

  /**
   * `made`: hashes of the syntax trees of the latest children of this process. Runs ask for several children at a time, which may
   * come to one program.
   */
  constructor(name: string, provides: readonly CapTag[], ask: Ask, made = new Set<Sha256>()) {
    this.name = name;
    this.provides = provides;
    this.ask = ask;
    this.made = made;
  }

  accepts(task: Task): boolean {
    return task.kind === this.kind;
  }

  async handle(task: Task, context: HandlerContext): Promise<Handled> {
    const payload = parsePayload(task);
    if (payload.allowance !== undefined && task.attempts > 0) return { status: 'ok', data: lostWithItsWorker(payload.allowance) };
    const mutator = await this.mutator(payload, context);
    const data = await this.child(mutator, payload, context);
    if (data.kind === 'rejected' || payload.next === undefined || this.isMadeAgain(data.normal)) return { status: 'ok', data };
    const next: ExecutePayload = { ...payload.next, program: data.program };
    const execute = followUp(task, 'execute', next, [...new Set(['cpu', ...payload.nextRequires])].sort());
    return { status: 'ok', data: { ...data, execute: execute.id }, followUps: [execute] };
  }

  /** A run that takes the child although another one was made like it has it executed itself. */
  private isMadeAgain(normal: Sha256): boolean {
    const known = this.made.has(normal);
    this.made.add(normal);
    const [oldest] = this.made;
    if (this.made.size > LATEST && oldest !== undefined) this.made.delete(oldest);
    return known;
  }

  /** The child, checked. A plugin may have the name of a built-in mutator, and is not trusted for it. */
  private async child(mutator: Mutator, payload: MutatePayload, context: HandlerContext): Promise<MutateData> {
    const { signal, threads } = context;
    const log = context.log.child({ mutator: mutator.name });
    const own = context.registry.sourceOf('mutator', payload.mutator) === 'builtin';
    if (own && isSyntaxMutator(payload.mutator)) {
      const work = { name: payload.mutator, payload };
      return await (threads === undefined ? mutateSyntax(work, { signal, log }) : threads.mutate(work, signal));
    }
    const ask =
      payload.recorded === undefined ? (request: ChatRequest) => this.ask(request, context) : recordedAnswers(payload.recorded);
    const mutated = await mutator.mutate(payload, { signal, log, ask }).catch((caught: unknown) => {
      // Back ends have been asked as often as there is hope.
      throw payload.allowance === undefined && !(caught instanceof BackendFailure) ? caught : askedOnce(caught);
    });
    // Questions that were put together may be answered together.
    await checking.next();
    // Also for a task that is not wanted any more: what the model's answer has cost is part of the result.
    return await (threads === undefined ? checked(mutated, payload) : threads.check({ child: mutated, payload }));
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

/** In a run with a budget, what an earlier attempt has spent is unknown: all of it counts as spent, so that nothing is asked again. */
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

/** Gives the answers of an earlier run in their order; no model is asked. */
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
