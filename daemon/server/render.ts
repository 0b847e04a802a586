/**
 * Serves the requests of shared/protocol/render.ts: what an editor shows and writes itself.
 */
import { resolve } from 'node:path';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import {
  AgreeToReplace,
  AgreeToSpend,
  MakeRender,
  PreviewRender,
  RenderChoices,
  type RenderCost,
  type Rendered,
  WriteRender,
} from '../../shared/protocol/render.ts';
import type { Engine } from '../engine/engine.ts';
import type { RenderDecisions, RenderRequest } from '../engine/render/render.ts';
import type { SearchOptions } from '../render/sets/search.ts';
import type { Session } from './connection.ts';
import { signalOf } from './signal.ts';

interface RenderHost {
  readonly answer: Session['answer'];
  readonly session: Session;
  /** Throws where nothing may be executed. */
  engine(): Promise<Engine>;
  /** Where templates are looked for; throws where the workspace is not trusted. */
  place(): Promise<Omit<SearchOptions, 'home'>>;
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
