/** Loads one part of a plugin package: imports its module within a time limit, checks its shape and its options, makes it. */
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { PluginKind, PluginKinds } from '../registry.ts';
import type { OptionsSchema, Plugin } from './api.ts';
import type { ManifestPart } from './manifest.ts';

/** A module that waits longer than this for something when it is imported is refused. */
const IMPORT_MS = 10_000;
/** What a queue or a result store may take to connect. */
const OPEN_MS = 30_000;

const Shape = z.object({
  default: z.object({
    make: z.custom<(options: unknown, context: unknown) => unknown>((value) => typeof value === 'function'),
    options: z
      .custom<OptionsSchema<unknown>>((value) => typeof value === 'object' && value !== null && 'safeParse' in value)
      .optional(),
  }),
});

export interface PartSource {
  readonly part: ManifestPart;
  /** Such as `peagen-hello@1.0.0`. */
  readonly source: string;
  readonly workspace: string;
}

/** Such as `mutator "hello" of peagen-hello@1.0.0`. */
export function describePart({ part, source }: Pick<PartSource, 'part' | 'source'>): string {
  return `${part.kind} "${part.name}" of ${source}`;
}

/** The factory of a part. Throws `invalid_input` or `timeout` that names the plugin. */
export async function loadPart(from: PartSource, config: Config): Promise<PluginKinds[PluginKind]> {
  const plugin = await importPart(from);
  // Most kinds are given the configuration as it is now; a feature is given none.
  const make = (given: Config | undefined) => makePart(plugin, from, given ?? config);
  if (from.part.kind !== 'queue' && from.part.kind !== 'results') return make as PluginKinds[PluginKind];
  return (async (given: Config) => {
    try {
      return await within(Promise.resolve(make(given)), from, 'opened', OPEN_MS);
    } catch (caught) {
      throw caught instanceof PeagenError ? caught : failed(from, 'cannot be opened', caught);
    }
  }) as PluginKinds[PluginKind];
}

/** Throws `timeout` that names the plugin. */
async function within<T>(work: Promise<T>, from: PartSource, what: string, limitMs: number): Promise<T> {
  const over = Promise.withResolvers<never>();
  const say = () =>
    over.reject(new PeagenError('timeout', `The ${describePart(from)} was not ${what} within ${limitMs / 1000} s.`));
  const timer = setTimeout(say, limitMs);
  try {
    return await Promise.race([work, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

export async function importPart(from: PartSource): Promise<Plugin<PluginKind, unknown>> {
  const { file } = from.part;
  let module: unknown;
  try {
    module = await within(import(pathToFileURL(file).href), from, 'imported', IMPORT_MS);
  } catch (caught) {
    if (caught instanceof PeagenError) throw caught;
    throw failed(from, 'cannot be imported', caught);
  }
  const parsed = Shape.safeParse(module);
  if (parsed.success) return parsed.data.default as Plugin<PluginKind, unknown>;
  throw new PeagenError('invalid_input', `The ${describePart(from)}: ${file} has no default export with a function "make".`, {
    hint: 'Write export default { make: (options, context) => ... }; see "peagen plugin new".',
  });
}

export function makePart(plugin: Plugin<PluginKind, unknown>, from: PartSource, config: Config): unknown {
  const { part, workspace } = from;
  const options = optionsOf(plugin, from, config);
  try {
    return plugin.make(options, { name: part.name, config, workspace });
  } catch (caught) {
    throw failed(from, 'cannot be made', caught);
  }
}

function optionsOf(plugin: Plugin<PluginKind, unknown>, from: PartSource, config: Config): unknown {
  const { kind, name } = from.part;
  const table = kind === 'selector' ? `[selector.${name}]` : `[plugins.${name}]`;
  const given = kind === 'selector' ? config.selector[name] : config.plugins[name];
  const schema = plugin.options ?? z.strictObject({});
  const parsed = schema.safeParse(given ?? {});
  if (parsed.success) return parsed.data;
  const { error } = parsed;
  const why = error instanceof z.ZodError ? z.prettifyError(error) : readable(error.message);
  throw new PeagenError('invalid_config', `The options of the ${describePart(from)}: ${why.replaceAll('\n', ' ')}`, {
    hint: `Fix ${table} in .peagen.toml.`,
  });
}

/** The message of a zod of the plugin's own is a list of issues as JSON. */
function readable(message: string): string {
  const Issues = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }));
  try {
    return Issues.parse(JSON.parse(message))
      .map(({ path, message: why }) => `${path.join('.')}: ${why}`)
      .join('; ');
  } catch {
    return message;
  }
}

function failed(from: PartSource, what: string, caught: unknown): PeagenError {
  const why = caught instanceof Error ? caught.message : String(caught);
  return new PeagenError('invalid_input', `The ${describePart(from)} ${what}: ${why.split('\n')[0]}`, { cause: caught });
}
