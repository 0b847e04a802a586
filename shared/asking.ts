/** How language models are asked, and what that costs. By itself: a worker reads this, and none of what else a run is. */
import * as z from 'zod';

const temperature = z.number().min(0).max(2);

/** What language models are asked with, in place of what is configured. */
export const Asking = z.object({
  /** One of several is drawn for each candidate. */
  temperature: z.union([temperature, z.array(temperature).min(1)]).optional(),
  top_p: z.number().min(0).max(1).optional(),
  max_tokens: z.number().int().positive().optional(),
  /** Says to the model what it is; the rules that every answer keeps to follow. */
  system: z.string().optional(),
  /** Whole questions, with `{current_program}` and the like in them, by mutator. */
  questions: z.record(z.string(), z.string()).optional(),
  /** Texts for `{name}` in `system` and `questions`; one is drawn for each candidate. */
  variations: z.record(z.string(), z.array(z.string()).min(1)).optional(),
  /** Characters of what the parent's evaluation wrote that are shown; 0: nothing of it. */
  artifact_chars: z.number().int().min(0).optional(),
  /** What the evaluator says about itself, such as the docstring of its file. */
  about: z.string().max(8000).optional(),
  /** Packages that candidates can import, as `name version`, those that the program uses first. */
  packages: z.array(z.string().max(200)).max(400).optional(),
});
export type Asking = z.infer<typeof Asking>;

/** How much a model reasons before it answers. */
export const ReasoningEffort = z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh']);
export type ReasoningEffort = z.infer<typeof ReasoningEffort>;

/** The kind of change that a question asks for. `bold` is what a rewrite is, and `combine` a crossover. */
export const PromptRole = z.enum(['bold', 'structure', 'algorithm', 'constant', 'combine', 'simplify']);
export type PromptRole = z.infer<typeof PromptRole>;

const lesson = z.string().min(1).max(600);
/** What a model concludes from the attempts of a search so far, one line each. */
export const Lessons = z.object({ works: lesson.optional(), fails: lesson.optional(), next: lesson });
export type Lessons = z.infer<typeof Lessons>;

const Tokens = { prompt: z.number().int().min(0), completion: z.number().int().min(0) };
export const TokenUse = z.object({
  ...Tokens,
  /** The same by back end, where that is known: a question may have cost more than the one that answered it. */
  by: z.record(z.string(), z.object(Tokens)).optional(),
});
export type TokenUse = z.infer<typeof TokenUse>;

/** Dollars per million tokens, by back end. */
export const Prices = z.record(z.string(), z.object({ prompt: z.number().min(0), completion: z.number().min(0) }));
export type Prices = z.infer<typeof Prices>;

/** What a million tokens can cost at most, in dollars. */
export function dearestMillion(prices: Prices): number {
  return Math.max(0, ...Object.values(prices).flatMap(({ prompt, completion }) => [prompt, completion]));
}

/** What a million tokens cost at least, in dollars; 0 without a price. */
export function cheapestMillion(prices: Prices): number {
  const all = Object.values(prices).flatMap(({ prompt, completion }) => [prompt, completion]);
  return all.length === 0 ? 0 : Math.min(...all);
}

/** What a token can cost at most, in dollars. */
export function dearestToken(prices: Prices): number {
  return dearestMillion(prices) / 1e6;
}

/** The dollars that tokens cost. Those that no priced back end accounts for count at the dearest price. */
export function dollarsOf({ prompt, completion, by = {} }: TokenUse, prices: Prices): number {
  let dollars = 0;
  let unknown = prompt + completion;
  for (const [backend, use] of Object.entries(by)) {
    const price = prices[backend];
    if (price === undefined) continue;
    dollars += (use.prompt * price.prompt + use.completion * price.completion) / 1e6;
    unknown -= use.prompt + use.completion;
  }
  return dollars + Math.max(0, unknown) * dearestToken(prices);
}

export function addTokens(into: TokenUse, { prompt, completion, by }: TokenUse): void {
  into.prompt += prompt;
  into.completion += completion;
  for (const [backend, use] of Object.entries(by ?? {})) {
    into.by ??= {};
    into.by[backend] ??= { prompt: 0, completion: 0 };
    addTokens(into.by[backend], use);
  }
}
