/**
 * Recorded answers: `base_url` names the folder of an earlier run. A question is answered when the run asked the same
 * prompt, else with what the run kept for the same seed; no model is asked, and nothing is spent.
 */
import { dirname, join } from 'node:path';
import type { LlmBackendConfig } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { ChatAnswer, ChatRequest } from '../../../shared/llm.ts';
import type { LlmBackend } from '../../llm/backend.ts';
import { BackendFailure } from '../../llm/failure.ts';
import { promptRecord } from '../../llm/record.ts';
import { textSha } from '../hash.ts';
import { Journal } from '../journal.ts';
import { answerOf, ObjectStore } from '../objects.ts';

/** Recorded answers by the hash of their prompt, and by the seed of their candidate. */
export interface Recordings {
  readonly byPrompt: ReadonlyMap<string, string>;
  readonly bySeed: ReadonlyMap<number, string>;
}

export function replayBackend(config: LlmBackendConfig): LlmBackend {
  const folder = config.base_url;
  if (folder === undefined) {
    throw new PeagenError('invalid_config', `llm.backends "${config.name}": base_url is missing.`, {
      hint: 'Set it to the folder of a run, such as ".peagen/runs/20260131-142501-3fa9c1".',
    });
  }
  let reading: Promise<Recordings> | undefined;
  return replayOf(config, () => {
    reading ??= readRecordings(folder);
    return reading;
  });
}

export function replayOf(
  { name, model }: Pick<LlmBackendConfig, 'name' | 'model'>,
  recordings: () => Promise<Recordings>,
): LlmBackend {
  return {
    name,
    model,
    async ask(request: ChatRequest, { signal, onText }): Promise<ChatAnswer> {
      const { byPrompt, bySeed } = await recordings();
      if (signal.aborted) throw new BackendFailure('cancelled', name, 'the question was withdrawn.');
      const text =
        byPrompt.get(textSha(promptRecord(request))) ?? (request.seed === undefined ? undefined : bySeed.get(request.seed));
      if (text === undefined) throw new BackendFailure('model', name, 'no answer is recorded for this prompt.');
      onText?.(text);
      return { text, backend: name, model, tokens: { prompt: 0, completion: 0 }, finish: 'stop', firstTokenMs: 0, totalMs: 0 };
    },
  };
}

async function readRecordings(folder: string): Promise<Recordings> {
  const { events } = await Journal.read(folder);
  const objects = new ObjectStore(join(dirname(dirname(folder)), 'objects'));
  const byPrompt = new Map<string, string>();
  const bySeed = new Map<number, string>();
  const seeds = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'selected') seeds.set(JSON.stringify(event.slot), event.seed);
    if (event.type !== 'mutated') continue;
    const text = await answerOf(event, (sha) => objects.get(sha));
    if (text === undefined) continue;
    if (event.origin.prompt !== undefined) byPrompt.set(event.origin.prompt, text);
    const seed = seeds.get(JSON.stringify(event.slot));
    if (seed !== undefined) bySeed.set(seed, text);
  }
  return { byPrompt, bySeed };
}
