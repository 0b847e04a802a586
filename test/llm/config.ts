/** Configurations for tests, with the schema's own defaults. */
import { Config, type LlmBackendConfig } from '../../shared/config.ts';

type Input = Partial<LlmBackendConfig>;

export function llmConfig(backends: Input[], rest: { default_backend?: string } = {}): Config {
  return Config.parse({ llm: { ...rest, backends: backends.map((one) => ({ name: 'a', model: 'test-model', ...one })) } });
}

export function backendConfig(input: Input): LlmBackendConfig {
  const [config] = llmConfig([input]).llm.backends;
  if (config === undefined) throw new Error('no back end');
  return config;
}
