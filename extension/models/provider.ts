/** A model of a provider that wants an API key: asks for the address where it is not known, the key once, the model, its price. */
import * as vscode from 'vscode';
import type * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { Choose } from '../../shared/protocol/choices.ts';
import { ListEndpointModels, type ListModels } from '../../shared/protocol/models.ts';
import type { DaemonClient } from '../client/client.ts';
import { warnOf } from '../commands/errors.ts';
import { type Answer, BACK, pickOne, typeText } from '../dialogue/steps.ts';
import type { Peagen } from '../peagen.ts';
import { type ModelChoice, modelChoice } from './choice.ts';

type Provider = z.infer<typeof ListModels.result>['providers'][number];

export async function chooseFromProvider(peagen: Peagen, client: DaemonClient, provider: Provider): Promise<Answer<ModelChoice>> {
  const { preset, key_env: variable } = provider;
  const address = await askAddress(provider);
  if (address === BACK || address === undefined) return address;
  const where = address === provider.base_url ? {} : { base_url: address };
  const names = await modelsWithKey(peagen, client, { preset, variable, ...where });
  if (names === BACK || names === undefined) return names;
  const model = await askModel(preset, names);
  if (model === BACK || model === undefined) return model;
  const price = await askPrice(model);
  if (price === BACK || price === undefined) return price;
  return modelChoice(preset, model, { ...where, ...price }, variable);
}

async function askAddress({ preset, base_url }: Provider): Promise<Answer<string>> {
  if (base_url !== undefined) return base_url;
  return await typeText({
    title: vscode.l10n.t('Where is {0}?', preset),
    prompt: vscode.l10n.t('Address of an endpoint that speaks the OpenAI protocol, up to and with /v1'),
    placeholder: preset === 'azure' ? 'https://NAME.openai.azure.com/openai/v1' : 'https://host/v1',
    back: true,
    problem: (text) =>
      /^https?:$/.test(URL.parse(text)?.protocol ?? '')
        ? undefined
        : vscode.l10n.t('Expected an address with https:// or http://.'),
  });
}

interface Endpoint {
  readonly preset: string;
  readonly variable: string;
  readonly base_url?: string;
}

/** Asks for a key until the endpoint takes it; one that is kept already is tried first. Null: it has no list of models. */
async function modelsWithKey(
  peagen: Peagen,
  client: DaemonClient,
  { variable, ...endpoint }: Endpoint,
): Promise<Answer<string[]> | null> {
  const { chosen } = await peagen.models();
  let known = (await chosen.secrets.get(variable)) !== undefined;
  for (;;) {
    if (!known) {
      const key = await typeText({
        title: vscode.l10n.t('API key for {0}', endpoint.preset),
        prompt: vscode.l10n.t('Kept in the secret store of the editor, and given to the workers that ask the model'),
        placeholder: variable,
        password: true,
        back: true,
        problem: (text) => (text.length > 8192 ? vscode.l10n.t('That is too long for a key.') : undefined),
      });
      if (key === BACK || key === undefined) return key;
      await chosen.secrets.keep(variable, key);
    }
    try {
      // The daemon asks with the key, so it must have it first.
      const choices = await chosen.forDaemon();
      const key = await chosen.secrets.get(variable);
      await client.request(Choose, {
        ...choices,
        secrets: { ...choices.secrets, ...(key === undefined ? {} : { [variable]: key }) },
      });
      return (await client.request(ListEndpointModels, endpoint)).models;
    } catch (caught) {
      const error = PeagenError.from(caught);
      warnOf(peagen, error);
      if (error.code !== 'untrusted') return BACK;
      await chosen.secrets.forget(variable);
      known = false;
    }
  }
}

async function askModel(preset: string, names: readonly string[] | null): Promise<Answer<string>> {
  const title = vscode.l10n.t('Which model of {0}?', preset);
  if (names === null || names.length === 0) {
    return await typeText({ title, prompt: vscode.l10n.t('Name of the model, as the provider writes it'), back: true });
  }
  const pick = await pickOne({
    title,
    placeholder: vscode.l10n.t('{0} on offer', names.length),
    back: true,
    items: names.map((label) => ({ label })),
  });
  return pick === BACK || pick === undefined ? pick : pick.label;
}

/** Dollars per million tokens; without them the worst case of a run is told in tokens only. */
async function askPrice(model: string): Promise<Answer<{ price_prompt?: number; price_completion?: number }>> {
  const skip = 'skip';
  const text = await typeText({
    title: vscode.l10n.t('Price of {0}', model),
    prompt: vscode.l10n.t('Dollars per million tokens, prompt and answer, so that a run can be told in money; or "skip"'),
    placeholder: '0.40, 1.60',
    value: skip,
    back: true,
    problem: (given) =>
      given === skip || parsePrice(given) !== undefined ? undefined : vscode.l10n.t('Expected two numbers such as 0.40, 1.60.'),
  });
  if (text === BACK || text === undefined) return text;
  return parsePrice(text) ?? {};
}

export function parsePrice(text: string): { price_prompt: number; price_completion: number } | undefined {
  const match = /^\$?(\d+(?:\.\d+)?)[\s,;/]+\$?(\d+(?:\.\d+)?)$/.exec(text.trim());
  return match === null ? undefined : { price_prompt: Number(match[1]), price_completion: Number(match[2]) };
}
