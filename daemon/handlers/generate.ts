/** Handles the render tasks that ask a language model for a text: a file, or a reflection of a search. The answer is only ever text: it names no path and runs nothing. */
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import type { ChatAnswer } from '../../shared/llm.ts';
import type { CapTag, Task } from '../../shared/task.ts';
import { fencedBlocks, withoutThinking } from '../evolution/answers/parse.ts';
import { MAX_PAID } from '../llm/cost/limits.ts';
import { BackendFailure } from '../llm/failure.ts';
import { type GenerateData, GeneratePayload } from '../render/task.ts';
import type { Handled, HandlerContext, TaskHandler } from './handler.ts';
import type { Ask } from './mutate.ts';

/** Longer answers are not parsed. */
const MAX_ANSWER_CHARS = 4_000_000;

export class GenerateHandler implements TaskHandler {
  readonly kind = 'render';
  readonly name = 'render-llm';
  readonly version = '1';
  readonly provides: readonly CapTag[] = ['cpu', 'llm'];
  private readonly ask: Ask;

  constructor(ask: Ask) {
    this.ask = ask;
  }

  accepts(task: Task): boolean {
    return task.kind === this.kind && task.requires.includes('llm');
  }

  async handle(task: Task, context: HandlerContext): Promise<Handled> {
    const parsed = GeneratePayload.safeParse(task.payload);
    if (!parsed.success) {
      const detail = z.prettifyError(parsed.error);
      throw new PeagenError('invalid_input', `The payload of render task ${task.id} is malformed: ${detail}`);
    }
    const { allowance, ...request } = parsed.data;
    // What an earlier attempt has spent is not known, and nothing beyond the worst case is ever spent.
    if (task.attempts > 0) return failed('the worker that asked for it died', { prompt: allowance ?? 0, completion: 0 });
    try {
      const answer = await this.ask({ ...request, maxPaid: allowance === undefined ? MAX_PAID : 1 }, context);
      const { tokens, backend } = answer;
      const found = fileFromAnswer(answer);
      if ('fault' in found) return failed(found.fault, tokens);
      return { status: 'ok', data: { kind: 'text', text: found.text, backend, tokens } satisfies GenerateData };
    } catch (caught) {
      const { code, message, hint, line } = PeagenError.from(caught);
      // Also of a question that is not wanted any more: what it has cost is part of the result.
      const spent = caught instanceof BackendFailure && caught.tokens.prompt + caught.tokens.completion > 0;
      if (caught instanceof BackendFailure && (spent || code !== 'cancelled')) return failed(line, caught.tokens);
      // A second attempt of the task would be taken for one after a death.
      throw new PeagenError(code, message, { hint, retryable: false, cause: caught });
    }
  }
}

function failed(reason: string, tokens: ChatAnswer['tokens']): Handled {
  return { status: 'ok', data: { kind: 'failed', reason, tokens } satisfies GenerateData };
}

/** The first fenced block, else the whole answer, without what the model thought aloud. */
function fileFromAnswer({ text, finish }: Pick<ChatAnswer, 'text' | 'finish'>): { text: string } | { fault: string } {
  if (finish === 'refused') return { fault: `the model declined: ${text.replaceAll(/\s+/g, ' ').trim().slice(0, 160)}` };
  if (text.length > MAX_ANSWER_CHARS) return { fault: `the answer has ${text.length} characters` };
  const said = withoutThinking(text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', ''));
  const { blocks, open } = fencedBlocks(said.split('\n'));
  const [block] = blocks;
  if (block === undefined && (open || finish === 'length')) {
    return { fault: 'the answer was cut off; raise max_tokens under [mutate]' };
  }
  const body = block?.text ?? said.trim();
  return body.trim() === '' ? { fault: 'the answer is empty' } : { text: `${body.replace(/\n+$/, '')}\n` };
}
