/**
 * Serves the requests of shared/protocol/render.ts: what an editor shows and writes itself, and its help in writing payloads
 * and templates.
 */
import { resolve } from 'node:path';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import {
  AgreeToReplace,
  AgreeToSpend,
  CheckRenderFile,
  CompleteRenderFile,
  MakeRender,
  PreviewRender,
  RenderChoices,
  type RenderCost,
  type Rendered,
  ShowTemplateValue,
  WriteRender,
} from '../../shared/protocol/render.ts';
import type { Engine } from '../engine/engine.ts';
import type { RenderDecisions, RenderRequest } from '../engine/render/render.ts';
import type { TemplatePlace } from '../render/editor/uses.ts';
import type { Session } from './connection.ts';
import { signalOf } from './signal.ts';

export interface RenderHost {
  readonly answer: Session['answer'];
  readonly session: Session;
  /** Throws where nothing may be executed. */
  engine(): Promise<Engine>;
  /** Where templates are looked for; throws where the workspace is not trusted. */
  place(): Promise<TemplatePlace>;
}

export function answerRender({ answer, session, engine, place }: RenderHost): void {
  answer(PreviewRender, async (from, token) => {
    return rendered(await engine(), { ...from, mode: 'compare' }, within(undefined), signalOf(token));
  });
  answer(MakeRender, async ({ agreed, ...from }, token) => {
    return rendered(await engine(), { ...from, mode: 'generate' }, within(agreed), signalOf(token));
  });
  answer(WriteRender, async ({ compare, ...from }, token) => {
    const signal = signalOf(token);
    const choices: RenderDecisions = {
      spend: async (cost, files) => void (await session.ask(AgreeToSpend, { cost: { ...cost, files } }, signal)),
      replace: async (changes) => new Set((await session.ask(AgreeToReplace, { changes: [...changes] }, signal)).replaced),
    };
    return rendered(await engine(), { ...from, mode: compare ? 'compare' : 'write' }, choices, signal);
  });
  answer(RenderChoices, async () => {
    const [{ listTemplateSets }, { extrasOf }, { Payload }, where] = await Promise.all([
      import('../render/sets/sets.ts'),
      import('../render/sets/extras.ts'),
      import('../render/payload.ts'),
      place(),
    ]);
    const found = await listTemplateSets({ ...where, home: where.workspace });
    const sets = await Promise.all(
      found.map(async ({ name, from, folder, description }) => ({
        ...{ name, from, folder, description },
        extras: await extrasOf(folder),
      })),
    );
    return { sets, schema: z.toJSONSchema(Payload, { io: 'input' }) };
  });
  answer(CheckRenderFile, async ({ path, text }) => {
    const { checkRenderFile } = await import('../render/editor/check.ts');
    return { faults: await checkRenderFile(path, text, await place()) };
  });
  answer(CompleteRenderFile, async ({ path, text, position }) => {
    const { completeRenderFile } = await import('../render/editor/complete.ts');
    return { items: await completeRenderFile(path, text, offsetOf(text, position), await place()) };
  });
  answer(ShowTemplateValue, async ({ path, text, position }) => {
    const [{ expressionAt, valuesOf }, { useOf }] = await Promise.all([
      import('../render/editor/value.ts'),
      import('../render/editor/uses.ts'),
    ]);
    const found = expressionAt(text, offsetOf(text, position));
    const use = found === undefined ? undefined : await useOf(path, await place());
    if (found === undefined || use === undefined) return null;
    const lineStart = offsetOf(text, { line: position.line, character: 0 });
    const { values, more } = await valuesOf(text, found, use);
    const { expression, start, end } = found;
    return { expression, values, more, payload: use.payload, start: start - lineStart, end: end - lineStart };
  });
}

/** For an editor, which shows the cost before it asks, and writes the files itself. */
function within(agreed: RenderCost | undefined): RenderDecisions {
  return {
    spend: async (cost, files) => {
      const tokens = cost.prompt_tokens + cost.completion_tokens;
      const most = agreed === undefined ? 0 : agreed.prompt_tokens + agreed.completion_tokens;
      if (tokens <= most) return;
      throw new PeagenError('budget_exceeded', `${files} files may cost ${tokens} tokens, and ${most} were agreed to.`, {
        hint: 'Start again: the templates have changed since.',
      });
    },
    // Nothing is written here.
    replace: async () => new Set(),
  };
}

async function rendered(
  engine: Engine,
  request: RenderRequest,
  choices: RenderDecisions,
  signal: AbortSignal,
): Promise<Rendered> {
  const project = resolve(request.project);
  const { files, warnings, worst_case } = await engine.render({ ...request, project }, choices, signal);
  return {
    files: files.map(({ path, state, before, after }) => ({
      path,
      state,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    })),
    warnings: [...warnings],
    worst_case,
  };
}

function offsetOf(text: string, { line, character }: { line: number; character: number }): number {
  let start = 0;
  for (let at = 0; at < line; at++) {
    const end = text.indexOf('\n', start);
    if (end < 0) return text.length;
    start = end + 1;
  }
  return Math.min(text.length, start + character);
}
