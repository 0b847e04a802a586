/** The contract of a back end: one place that answers chat requests. Routing, retries and budget are the ensemble's. */
import type { Config } from '../../shared/config.ts';
import type { ChatAnswer, ChatRequest } from '../../shared/llm.ts';

export interface LlmBackend {
  readonly name: string;
  readonly model: string;
  /**
   * Asks once. Throws PeagenError `backend_failed` with `retryable` as the endpoint's answer allows, `timeout`, or
   * `cancelled`. `onText` is called with the answer as it streams in; an empty piece is a sign of life (the model reasons).
   */
  ask(request: ChatRequest, options: { signal: AbortSignal; onText?: (piece: string) => void }): Promise<ChatAnswer>;
}

declare module '../registry.ts' {
  interface PluginKinds {
    /** `name` is that of an entry of `llm.backends`, whose preset chose this factory; `env` holds the keys. */
    backend: (config: Config, name: string, env: NodeJS.ProcessEnv) => LlmBackend;
  }
}
