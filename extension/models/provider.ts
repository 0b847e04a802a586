/** A model of a provider that wants an API key: asks for the address where it is not known, the key once, the model, its price. */
import * as vscode from 'vscode';
import type * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { Choose } from '../../shared/protocol/choices.ts';
import { ListEndpointModels, type ListModels } from '../../shared/protocol/models.ts';
import type { EditorClient } from '../client/client.ts';
import { warnOf } from '../commands/errors.ts';
import { BACK, pickOne, type StepAnswer, typeText } from '../dialogue/steps.ts';
import type { Peagen } from '../peagen.ts';
import { byCount } from '../words.ts';
import { type ModelChoice, modelChoice, providerName } from './choice.ts';

type Provider = z.infer<typeof ListModels.result>['providers'][number];

export async function chooseFromProvider(
  peagen: Peagen,
  client: EditorClient,
  provider: Provider,
): Promise<StepAnswer<ModelChoice>> {
  const { preset, key_env: variable } = provider;
  const name = providerName(preset);
  const address = provider.base_url ?? (await askAddress(vscode.l10n.t('Endpoint URL for {0}', name), preset));
  if (address === BACK || address === undefined) return address;
  const where = address === provider.base_url ? {} : { base_url: address };
  const names = await modelsWithKey(peagen, client, { preset, name, variable, ...where });
  return await askModelOf(name, names, (model, price) => modelChoice(preset, model, { ...where, ...price }, variable));
}

/** Any server that speaks the OpenAI protocol: its base URL, a key if it wants one, and a model. */
export async function chooseOwnEndpoint(peagen: Peagen, client: EditorClient): Promise<StepAnswer<ModelChoice>> {
  const address = await askAddress(vscode.l10n.t('Base URL of your endpoint'), OWN);
  if (address === BACK || address === undefined) return address;
  const host = new URL(address).host;
  const variable = keyNameOf(host);
  const where = { preset: OWN, base_url: address, api_key_env: variable };
  const names = await modelsWithKey(peagen, client, { ...where, name: host, variable });
  return await askModelOf(host, names, (model, price) => modelChoice(host, model, { ...where, ...price }, variable));
}

const OWN = 'compatible';

/** The variable of a key for this host: `PEAGEN_LOCALHOST_8080_API_KEY`. */
function keyNameOf(host: string): string {
  return `PEAGEN_${host
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .slice(0, 45)}_API_KEY`;
}

async function askModelOf(
  name: string,
  names: StepAnswer<string[]> | null,
  choice: (model: string, price: Price) => ModelChoice,
): Promise<StepAnswer<ModelChoice>> {
  if (names === BACK || names === undefined) return names;
  const model = await askModel(name, names);
  if (model === BACK || model === undefined) return model;
  const price = await askPrice(model);
  return price === BACK || price === undefined ? price : choice(model, price);
}

async function askAddress(title: string, preset: string): Promise<StepAnswer<string>> {
  return await typeText({
    title,
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
  /** For the user. */
  readonly name: string;
  readonly variable: string;
  readonly base_url?: string;
  readonly api_key_env?: string;
}

/** Asks for a key until the endpoint takes it; one that is kept already is tried first. Null: it has no list of models. */
async function modelsWithKey(
  peagen: Peagen,
  client: EditorClient,
  { variable, name, ...endpoint }: Endpoint,
): Promise<StepAnswer<string[]> | null> {
  const { chosen } = await peagen.models();
  const own = endpoint.preset === OWN;
  let known = (await chosen.secrets.get(variable)) !== undefined;
  for (;;) {
    if (!known) {
      const key = await typeText({
        title: vscode.l10n.t('API key for {0}', name),
        prompt: own
          ? vscode.l10n.t('Kept in the secret store of the editor. Leave it empty when the endpoint wants no key.')
          : vscode.l10n.t('Kept in the secret store of the editor, and given to the workers that ask the model'),
        mayBeEmpty: own,
        placeholder: variable,
        password: true,
        back: true,
        problem: (text) => (text.length > 8192 ? vscode.l10n.t('That is too long for a key.') : undefined),
      });
      if (key === BACK || key === undefined) return key;
      if (key !== '') await chosen.secrets.keep(variable, key);
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

async function askModel(name: string, names: readonly string[] | null): Promise<StepAnswer<string>> {
  const title = vscode.l10n.t('Which model of {0}?', name);
  if (names === null || names.length === 0) {
    return await typeText({ title, prompt: vscode.l10n.t('Name of the model, as the provider writes it'), back: true });
  }
  const pick = await pickOne({
    title,
    placeholder: byCount(names.length, vscode.l10n.t('{0} model', names.length), vscode.l10n.t('{0} models', names.length)),
    back: true,
    items: names.map((label) => ({ label })),
  });
  return pick === BACK || pick === undefined ? pick : pick.label;
}

/** Dollars per million tokens; without them the worst case of a run is shown in tokens only. */
interface Price {
  readonly price_prompt?: number;
  readonly price_completion?: number;
}

async function askPrice(model: string): Promise<StepAnswer<Price>> {
  const text = await typeText({
    title: vscode.l10n.t('Price of {0}', model),
    prompt: vscode.l10n.t('Price per million tokens (input, output) to show costs in dollars. Leave empty to skip.'),
    placeholder: '0.40, 1.60',
    mayBeEmpty: true,
    back: true,
    problem: (given) =>
      given === '' || parsePrice(given) !== undefined ? undefined : vscode.l10n.t('Expected two numbers such as 0.40, 1.60.'),
  });
  if (text === BACK || text === undefined) return text;
  return parsePrice(text) ?? {};
}

function parsePrice(text: string): { price_prompt: number; price_completion: number } | undefined {
  const match = /^\$?(\d+(?:\.\d+)?)[\s,;/]+\$?(\d+(?:\.\d+)?)$/.exec(text.trim());
  return match === null ? undefined : { price_prompt: Number(match[1]), price_completion: Number(match[2]) };
}
