/**
 * What known models cost by their providers' price lists, in dollars per million tokens. Prices change: one in the
 * configuration takes the place of the one here. Models that run on this machine cost nothing; an endpoint that is not the
 * provider's own has no price here, whatever its models are called.
 */
import type { Prices } from '../../../shared/asking.ts';
import type { Config, LlmBackendConfig } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { presetAt, presets } from '../presets.ts';
import { route } from '../routing.ts';

type Table = Readonly<Record<string, readonly [prompt: number, completion: number]>>;

const known: Readonly<Record<string, Table>> = {
  openai: {
    'gpt-4o': [2.5, 10],
    'gpt-4o-mini': [0.15, 0.6],
    'gpt-4.1': [2, 8],
    'gpt-4.1-mini': [0.4, 1.6],
    'gpt-4.1-nano': [0.1, 0.4],
    'gpt-5': [1.25, 10],
    'gpt-5.1': [1.25, 10],
    'gpt-5-codex': [1.25, 10],
    'gpt-5-mini': [0.25, 2],
    'gpt-5-nano': [0.05, 0.4],
    o3: [2, 8],
    'o3-mini': [1.1, 4.4],
    'o4-mini': [1.1, 4.4],
  },
  anthropic: {
    'claude-opus-4': [15, 75],
    'claude-opus-4-1': [15, 75],
    'claude-opus-4-5': [5, 25],
    'claude-sonnet-4': [3, 15],
    'claude-sonnet-4-5': [3, 15],
    'claude-haiku-4-5': [1, 5],
    'claude-3-5-haiku': [0.8, 4],
  },
  // The higher of two prices where it depends on the length of the prompt.
  gemini: {
    'gemini-2.5-pro': [2.5, 15],
    'gemini-2.5-flash': [0.3, 2.5],
    'gemini-2.5-flash-lite': [0.1, 0.4],
    'gemini-2.0-flash': [0.1, 0.4],
  },
  groq: {
    'llama-3.1-8b-instant': [0.05, 0.08],
    'llama-3.3-70b-versatile': [0.59, 0.79],
  },
};

/** A dated version of a model costs what the model costs. */
const VERSION = /-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$/;

/** Dollars per million tokens of a back end; undefined when nothing is known. */
export function priceOf(backend: LlmBackendConfig): Prices[string] | undefined {
  const { price_prompt, price_completion, base_url: url, model } = backend;
  const usual = knownPrice(url === undefined ? backend.preset : presetAt(url), model);
  const prompt = price_prompt ?? usual?.[0];
  const completion = price_completion ?? usual?.[1];
  return prompt === undefined || completion === undefined ? undefined : { prompt, completion };
}

function knownPrice(preset: string | undefined, model: string): readonly [number, number] | undefined {
  if (preset === undefined) return undefined;
  if (preset === 'replay' || presets[preset]?.local === true) return [0, 0];
  const table = known[preset];
  return table?.[model] ?? table?.[model.replace(VERSION, '')];
}

/** The prices of all configured back ends that have one. */
export function pricesOf({ llm }: Pick<Config, 'llm'>): Prices {
  return Object.fromEntries(
    llm.backends.flatMap((backend) => {
      const price = priceOf(backend);
      return price === undefined ? [] : [[backend.name, price]];
    }),
  );
}

/**
 * The prices that a run is reckoned with. Throws `invalid_config` when a budget in dollars cannot be kept, since a back end
 * that may be asked has no price.
 */
export function pricesFor(
  config: Pick<Config, 'llm' | 'mutate'>,
  backend: string | undefined,
  budgetUsd: number | undefined,
): Prices {
  const prices = pricesOf(config);
  if (budgetUsd === undefined) return prices;
  const { backends, default_backend: fallback } = config.llm;
  const asked = backend ?? config.mutate.backend;
  const { order } = route({ asked, fallback, backends, records: new Map(), random: () => 0 });
  const unpriced = order.find((name) => prices[name] === undefined);
  if (unpriced === undefined) return prices;
  throw new PeagenError('invalid_config', `The price of the back end "${unpriced}" is not known, so budget_usd cannot be kept.`, {
    hint: 'Set price_prompt and price_completion of the back end, in dollars per million tokens, or use budget_tokens.',
  });
}
