/** Handles render tasks: templates and values in, texts out. Writes no file. */
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import type { CapTag, Task } from '../../shared/task.ts';
import { openTemplateEngine } from '../render/jinja/engine.ts';
import { type RenderData, RenderPayload } from '../render/task.ts';
import type { Handled, HandlerContext, TaskHandler } from './handler.ts';

export class RenderHandler implements TaskHandler {
  readonly kind = 'render';
  readonly name = 'render';
  readonly version = '1';
  readonly provides: readonly CapTag[] = ['cpu'];

  accepts(task: Task): boolean {
    return task.kind === this.kind;
  }

  async handle(task: Task, { signal }: HandlerContext): Promise<Handled> {
    const parsed = RenderPayload.safeParse(task.payload);
    if (!parsed.success) {
      const detail = z.prettifyError(parsed.error);
      throw new PeagenError('invalid_input', `The payload of render task ${task.id} is malformed: ${detail}`);
    }
    const { engine, ...batch } = parsed.data;
    const outcomes = await (await openTemplateEngine(engine)).render(batch, signal);
    return { status: 'ok', data: { outcomes } satisfies RenderData };
  }
}
