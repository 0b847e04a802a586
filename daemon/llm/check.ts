/** Looks whether a back end can be used: its address, its key, its model, how long it takes. Asks one tiny question. */
import * as z from 'zod';
import type { Config, LlmBackendConfig } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Registry } from '../registry.ts';
import { boundedFetch } from './backends/compatible.ts';
import { dialects } from './backends/dialects.ts';
import { priceOf } from './cost/prices.ts';
import { BackendFailure } from './failure.ts';
import { type Endpoint, endpointOf, presets } from './presets.ts';

export interface BackendReport {
  readonly name: string;
  readonly model: string;
  /** Null for back ends without an address: the editor's models, recorded answers, plugins. */
  readonly base_url: string | null;
  readonly reachable: boolean;
  readonly key: 'present' | 'missing' | 'not needed';
  /** Null: the endpoint does not say what it has. */
  readonly model_exists: boolean | null;
  /** Time to the first token of the question; null when it was not asked or not answered. */
  readonly latency_ms: number | null;
  /** Dollars per million tokens, as configured, or as the provider published them. */
  readonly price: { readonly prompt: number; readonly completion: number } | null;
  /** What is wrong, and what to do about it. */
  readonly problem: string | null;
}

export const LIST_MS = 5_000;
const ASK_MS = 30_000;

interface CheckOptions {
  readonly config: Config;
  readonly registry: Registry;
  readonly env: NodeJS.ProcessEnv;
  /** Without it nothing is asked, so nothing is spent. */
  readonly ask: boolean;
}

export async function checkBackend(backend: LlmBackendConfig, options: CheckOptions): Promise<BackendReport> {
  const report: BackendReport = {
    name: backend.name,
    model: backend.model,
    base_url: null,
    reachable: false,
    key: 'not needed',
    model_exists: null,
    latency_ms: null,
    price: priceOf(backend) ?? null,
    problem: null,
  };
  try {
    return { ...report, ...(await look(backend, options)) };
  } catch (caught) {
    return { ...report, problem: PeagenError.from(caught).line };
  }
}

async function look(backend: LlmBackendConfig, options: CheckOptions): Promise<Partial<BackendReport>> {
  const known = backend.preset === undefined || presets[backend.preset] !== undefined;
  if (!known) return { ...(await question(backend, options)) };
  const { baseUrl, keyEnv, protocol } = endpointOf(backend);
  const key = keyEnv === undefined ? undefined : options.env[keyEnv]?.trim() || undefined;
  const found: Partial<BackendReport> = {
    base_url: baseUrl,
    key: keyEnv === undefined ? 'not needed' : key ? 'present' : 'missing',
  };
  const models = await offeredModels(baseUrl, key, LIST_MS, protocol);
  if (models.kind === 'unreachable')
    return { ...found, problem: `${baseUrl} cannot be reached. Check base_url, and that the server runs.` };
  if (found.key === 'missing')
    return { ...found, reachable: true, problem: `Set the environment variable ${keyEnv} to your API key.` };
  const exists = models.kind === 'list' ? models.ids.includes(backend.model) : null;
  if (exists === false && models.kind === 'list') {
    const offered = models.ids.slice(0, 8).join(', ');
    const problem = `There is no model "${backend.model}"; offered: ${offered}${models.ids.length > 8 ? ', …' : ''}.`;
    return { ...found, reachable: true, model_exists: false, problem };
  }
  return { ...found, reachable: true, model_exists: exists, ...(await question(backend, options)) };
}

async function question(
  backend: LlmBackendConfig,
  { config, registry, env, ask }: CheckOptions,
): Promise<Partial<BackendReport>> {
  const one = (await registry.load('backend', backend.preset ?? 'compatible'))(config, backend.name, env);
  if (!ask) return {};
  try {
    const answer = await one.ask(
      { system: 'You answer with one word.', prompt: 'Say yes.', temperature: 0, maxTokens: 16, backend: backend.name },
      { signal: AbortSignal.timeout(ASK_MS) },
    );
    return { reachable: true, latency_ms: Math.round(answer.firstTokenMs) };
  } catch (caught) {
    const slow = caught instanceof BackendFailure && caught.kind === 'cancelled';
    return { problem: slow ? `It did not answer within ${ASK_MS / 1000} s.` : PeagenError.from(caught).line };
  }
}

type Listed = { kind: 'list'; ids: string[] } | { kind: 'silent' } | { kind: 'refused' } | { kind: 'unreachable' };

/** What an endpoint offers; `silent` when it answers but gives no list, `refused` when it does not take the key. */
export async function offeredModels(
  baseUrl: string,
  key: string | undefined,
  timeoutMs: number,
  protocol: Endpoint['protocol'] = 'chat',
): Promise<Listed> {
  try {
    const response = await boundedFetch(`${baseUrl.replace(/\/$/, '')}/models`, {
      headers: Object.entries(dialects[protocol].headers(key)).filter((header): header is [string, string] => header[1] !== null),
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.status === 401 || response.status === 403) return { kind: 'refused' };
    const body: unknown = response.ok ? await response.json().catch(() => undefined) : undefined;
    const list = ModelList.safeParse(body).data;
    if (list === undefined) return { kind: 'silent' };
    return { kind: 'list', ids: list.flatMap(({ id, name }) => id ?? name?.replace(/^models\//, '') ?? []) };
  } catch {
    return { kind: 'unreachable' };
  }
}

const Named = z.object({ id: z.string().optional(), name: z.string().optional() }).catch({});
/** Google's list has another name than all others, and so have the names in it. */
const ModelList = z
  .union([z.object({ data: z.array(Named) }), z.object({ models: z.array(Named) })])
  .transform((body) => ('data' in body ? body.data : body.models));

export interface LocalServer {
  readonly preset: string;
  readonly base_url: string;
  readonly models: readonly string[];
}

/** Servers on this machine's usual ports that no configured back end names. */
export async function findLocalServers(config: Config): Promise<LocalServer[]> {
  const known = new Set(
    config.llm.backends.flatMap((backend) => backend.base_url ?? presets[backend.preset ?? '']?.baseUrl ?? []),
  );
  const looked = Object.entries(presets).flatMap(([preset, { local, baseUrl }]) =>
    local === true && baseUrl !== undefined && !known.has(baseUrl) ? [{ preset, baseUrl }] : [],
  );
  const found = await Promise.all(
    looked.map(async ({ preset, baseUrl }) => {
      const models = await offeredModels(baseUrl, undefined, 500);
      return models.kind === 'list' ? [{ preset, base_url: baseUrl, models: models.ids }] : [];
    }),
  );
  return found.flat();
}
