/** Adds what was spent. Apart from the schemas in asking.ts: the extension loads it when it activates. */
import type { TokenUse } from './asking.ts';

/** Without back ends, which nobody asks a run for. */
export function sumTokens(a: TokenUse, b: TokenUse): TokenUse {
  return { prompt: a.prompt + b.prompt, completion: a.completion + b.completion };
}
