/** The options of a selector: its table `[selector.<name>]`, parsed by the selector itself. */
import type * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';

/** Throws `invalid_config` that names the key and the value expected. */
export function selectorOptions<S extends z.ZodType>(config: Config, name: string, schema: S): z.infer<S> {
  const parsed = schema.safeParse(config.selector[name] ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys : (issue?.path ?? []);
  const key = ['selector', name, ...keys].join('.');
  throw new PeagenError('invalid_config', `${key}: ${issue?.message ?? 'not understood'}.`, {
    hint: `Fix [selector.${name}] in .peagen.toml.`,
  });
}
