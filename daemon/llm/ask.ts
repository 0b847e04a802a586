/** Asks the models of a worker's configuration: one ensemble for each, opened with the first question. */
import type { Config } from '../../shared/config.ts';
import type { ChatAnswer, ChatRequest } from '../../shared/llm.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import { type LlmEnsemble, openEnsemble } from './ensemble.ts';

const ensembles = new WeakMap<Config, Promise<LlmEnsemble>>();

export async function askModels(
  request: ChatRequest,
  context: { config: Config; registry: Registry; log: Log; signal: AbortSignal },
): Promise<ChatAnswer> {
  const { config, registry, log, signal } = context;
  let opening = ensembles.get(config);
  if (opening === undefined) {
    opening = openEnsemble(config, { registry, log, env: process.env });
    // A mistake in the configuration fails every question, not only the first.
    ensembles.set(config, opening);
  }
  return (await opening).ask(request, { signal });
}
