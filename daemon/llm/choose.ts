/** What a user can choose a model from: the configuration's back ends, servers on this machine, providers that want a key. */
import type * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { ListModels } from '../../shared/protocol/models.ts';
import { findLocalServers, LIST_MS, offeredModels } from './check.ts';
import { endpointOf, keyVariable, presets } from './presets.ts';

export async function listModels(config: Config, env: NodeJS.ProcessEnv): Promise<z.input<typeof ListModels.result>> {
  return {
    configured: config.llm.backends.map((backend) => {
      const { name, model, preset = 'compatible' } = backend;
      const variable = keyVariable(backend);
      const missing = variable !== undefined && !env[variable]?.trim() ? { missing_key: variable } : {};
      return { name, model, preset, ...missing };
    }),
    local: (await findLocalServers(config)).map((server) => ({ ...server, models: [...server.models] })),
    providers: Object.entries(presets).flatMap(([preset, { keyEnv, baseUrl }]) =>
      keyEnv === undefined ? [] : [{ preset, key_env: keyEnv, ...(baseUrl === undefined ? {} : { base_url: baseUrl }) }],
    ),
  };
}

/** Null when the endpoint has no list. Throws `unavailable` when it does not answer, `untrusted` when it refuses the key. */
export async function listEndpointModels(
  preset: string,
  baseUrl: string | undefined,
  env: NodeJS.ProcessEnv,
  keyEnv?: string,
): Promise<string[] | null> {
  const place = endpointOf({
    name: preset,
    model: '-',
    preset,
    timeout_ms: LIST_MS,
    weight: 1,
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(keyEnv === undefined ? {} : { api_key_env: keyEnv }),
  });
  const key = place.keyEnv === undefined ? undefined : env[place.keyEnv]?.trim();
  const found = await offeredModels(place.baseUrl, key, LIST_MS, place.protocol);
  switch (found.kind) {
    case 'list':
      return found.ids;
    case 'silent':
      return null;
    case 'refused':
      throw new PeagenError('untrusted', `${place.baseUrl} refuses the API key.`, { hint: 'Enter the key again.' });
    case 'unreachable':
      throw new PeagenError('unavailable', `${place.baseUrl} cannot be reached.`, {
        hint: 'Check the address, and that the server runs.',
      });
  }
}
