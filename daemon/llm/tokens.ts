/**
 * Counts tokens. One encoding (o200k, that of OpenAI's current models) stands for all: exact there, within some
 * percent elsewhere. Its table is large, so it is loaded on first use and never by a command that asks no model.
 */
import type { ChatRequest } from '../../shared/llm.ts';

export type CountTokens = (text: string) => number;

/** The protocol's own tokens: three for each of two messages with their roles, three to start the answer. */
const FRAME = 11;

/** Merging byte pairs takes quadratic time in an unbroken run, so a long one (hostile, or data) is counted in parts of this length: never too few. */
const LONG_RUN = /\w{256}|\s{256}|[^\w\s]{256}/g;

let loading: Promise<CountTokens> | undefined;

/** Text that looks like a special token (`<|endoftext|>`) counts as the plain text it is. */
export function tokenCounter(): Promise<CountTokens> {
  loading ??= import('gpt-tokenizer/encoding/o200k_base').then(({ countTokens }) =>
    inParts((text) => countTokens(text, { disallowedSpecial: new Set() })),
  );
  return loading;
}

function inParts(count: CountTokens): CountTokens {
  return (text) => {
    let total = 0;
    let at = 0;
    for (const run of text.matchAll(LONG_RUN)) {
      if (run.index > at) total += count(text.slice(at, run.index));
      total += count(run[0]);
      at = run.index + run[0].length;
    }
    return at < text.length ? total + count(text.slice(at)) : total;
  };
}

/** Prompt tokens of a request, an upper bound by at most a few for OpenAI's models. */
export async function requestTokens(request: Pick<ChatRequest, 'system' | 'prompt'>): Promise<number> {
  const count = await tokenCounter();
  return count(request.system) + count(request.prompt) + FRAME;
}
