/** Known endpoints by name: where they are, which environment variable holds their key, and where local ones listen. */
import type { Config, LlmBackendConfig } from '../../shared/config.ts';
import { nearest, PeagenError } from '../../shared/errors.ts';

interface Preset {
  /** Undefined: the user must say. */
  readonly baseUrl?: string;
  readonly keyEnv?: string;
  /** What it speaks; `chat` unless given. */
  readonly protocol?: NonNullable<LlmBackendConfig['protocol']>;
  /** Runs on this machine when it runs at all; needs no key. */
  readonly local?: boolean;
}

export const presets: Readonly<Record<string, Preset>> = {
  openai: { baseUrl: 'https://api.openai.com/v1', keyEnv: 'OPENAI_API_KEY' },
  anthropic: { baseUrl: 'https://api.anthropic.com/v1', keyEnv: 'ANTHROPIC_API_KEY', protocol: 'anthropic' },
  gemini: { baseUrl: 'https://generativelanguage.googleapis.com/v1beta', keyEnv: 'GEMINI_API_KEY', protocol: 'gemini' },
  groq: { baseUrl: 'https://api.groq.com/openai/v1', keyEnv: 'GROQ_API_KEY' },
  openrouter: { baseUrl: 'https://openrouter.ai/api/v1', keyEnv: 'OPENROUTER_API_KEY' },
  /** `base_url` is `https://NAME.openai.azure.com/openai/v1`. */
  azure: { keyEnv: 'AZURE_OPENAI_API_KEY' },
  'llama.cpp': { baseUrl: 'http://127.0.0.1:8080/v1', local: true },
  ollama: { baseUrl: 'http://127.0.0.1:11434/v1', local: true },
  vllm: { baseUrl: 'http://127.0.0.1:8000/v1', local: true },
  lmstudio: { baseUrl: 'http://127.0.0.1:1234/v1', local: true },
  /** Anything else that speaks the protocol, at `base_url`. */
  compatible: {},
};

/** The preset of an address, if it is that of one. */
export function presetAt(baseUrl: string): string | undefined {
  return Object.keys(presets).find((name) => presets[name]?.baseUrl === baseUrl.replace(/\/+$/, ''));
}

export interface Endpoint {
  readonly baseUrl: string;
  /** Name of the environment variable; undefined: no key is sent. */
  readonly keyEnv: string | undefined;
  readonly protocol: NonNullable<LlmBackendConfig['protocol']>;
}

/** Where a configured back end is. Throws `invalid_config`. */
export function endpointOf(backend: LlmBackendConfig): Endpoint {
  const name = backend.preset ?? 'compatible';
  const preset = presets[name];
  if (preset === undefined) {
    const near = nearest(name, Object.keys(presets));
    throw new PeagenError('invalid_config', `llm.backends "${backend.name}": there is no preset "${name}".`, {
      hint: near === undefined ? `Known: ${Object.keys(presets).join(', ')}.` : `Did you mean "${near}"?`,
    });
  }
  const baseUrl = backend.base_url ?? preset.baseUrl;
  if (baseUrl === undefined || !/^https?:$/.test(URL.parse(baseUrl)?.protocol ?? '')) {
    throw new PeagenError('invalid_config', `llm.backends "${backend.name}": base_url is ${baseUrl ?? 'missing'}.`, {
      hint: 'Set it to the http(s) address of an endpoint that speaks the protocol, up to and with /v1.',
    });
  }
  return { baseUrl, keyEnv: backend.api_key_env ?? preset.keyEnv, protocol: backend.protocol ?? preset.protocol ?? 'chat' };
}

/** The environment variable that holds the key of a back end of any kind; undefined when it needs none. */
export function keyVariable(backend: LlmBackendConfig): string | undefined {
  return backend.api_key_env ?? presets[backend.preset ?? 'compatible']?.keyEnv;
}

/** The variables of the keys that are missing; empty when one of the back ends can be asked. */
export function missingKeys({ llm }: Config, env: NodeJS.ProcessEnv): string[] {
  const variables = llm.backends.map(keyVariable);
  const missing = variables.filter((name) => name !== undefined).filter((name) => !env[name]?.trim());
  return missing.length === variables.length ? [...new Set(missing)] : [];
}

/** Where models are asked from this machine alone, a question without a key would wait for ever. Throws `invalid_config`. */
export function requireKeys(config: Config, env: NodeJS.ProcessEnv): void {
  const missing = config.task_queue.provider === 'stub' ? missingKeys(config, env) : [];
  if (missing.length === 0) return;
  throw new PeagenError(
    'invalid_config',
    `No model can be asked: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set.`,
    {
      hint: 'Set the environment variable to your API key, name another with api_key_env, or search without a model: --mutator structural.',
    },
  );
}

/**
 * The environment variable that a question to the back end would carry to a server that is neither its preset's own nor that
 * of the preset that the variable belongs to. Undefined when there is none.
 */
export function foreignKey(backend: LlmBackendConfig): { variable: string; origin: string } | undefined {
  const variable = keyVariable(backend);
  const url = backend.base_url === undefined ? null : URL.parse(backend.base_url);
  if (variable === undefined || url === null) return undefined;
  const known = Object.entries(presets).filter(([name, { keyEnv }]) => name === backend.preset || keyEnv === variable);
  if (known.some(([, { baseUrl }]) => baseUrl !== undefined && new URL(baseUrl).origin === url.origin)) return undefined;
  const azure = url.protocol === 'https:' && url.hostname.endsWith('.openai.azure.com');
  return azure && variable === presets['azure']?.keyEnv ? undefined : { variable, origin: url.origin };
}

export const presetNames: readonly string[] = Object.keys(presets);

/** The entry of `llm.backends` with this name. */
export function backendConfig(config: Config, name: string): LlmBackendConfig {
  const found = config.llm.backends.find((backend) => backend.name === name);
  if (found !== undefined) return found;
  const names = config.llm.backends.map((backend) => backend.name);
  throw new PeagenError('not_found', `llm.backends has no "${name}".`, { hint: `Configured: ${names.join(', ') || 'none'}.` });
}
