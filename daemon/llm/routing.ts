/**
 * Which back ends a question goes to, in what order. Pure. `auto`: the configured default, else a bandit over all;
 * `weighted`: by weight; `all`: to every one at once, one answer chosen; `a` or `a,b`: these, in this order.
 */
import type { Config } from '../../shared/config.ts';
import { nearest, PeagenError } from '../../shared/errors.ts';

/** What a question may name in place of back ends. */
const ways = ['auto', 'weighted', 'all'];

export interface Route {
  readonly mode: 'first' | 'all';
  /** For `first`, each one is a fallback of those before it. */
  readonly order: readonly string[];
}

interface Routable {
  readonly name: string;
  readonly weight: number;
}

/** What is known of a back end: answers that came, and their worth in [0, 1] (an answer alone counts as 1). */
export interface TrackRecord {
  readonly asked: number;
  readonly worth: number;
}

export interface RoutingInput {
  readonly asked: string;
  readonly fallback: string | undefined;
  readonly backends: readonly Routable[];
  readonly records: ReadonlyMap<string, TrackRecord>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

export function route(input: RoutingInput): Route {
  const names = input.backends.map((backend) => backend.name);
  if (names.length === 0) {
    throw new PeagenError('unavailable', 'No language model is configured.', {
      hint: 'Add [[llm.backends]] with a name, a model and a preset or base_url to .peagen.toml, or use the mutator "structural".',
      retryable: false,
    });
  }
  const asked = input.asked === 'auto' && input.fallback !== undefined ? input.fallback : input.asked;
  if (asked === 'all') return { mode: 'all', order: names };
  if (asked === 'weighted') return { mode: 'first', order: byWeight(input.backends, () => 1, input.random) };
  if (asked === 'auto') return { mode: 'first', order: byWeight(input.backends, (name) => sample(input, name), input.random) };
  const order = asked.split(',').map((name) => name.trim());
  for (const name of order) if (!names.includes(name)) throw unknown(name, names);
  return { mode: 'first', order: [...new Set(order)] };
}

/** Throws `invalid_config` for the name of a back end that is not configured. */
export function requireBackends({ llm: { backends } }: Config, asked: string): void {
  if (ways.includes(asked)) return;
  const names = backends.map(({ name }) => name);
  for (const name of asked.split(',').map((each) => each.trim())) if (!names.includes(name)) throw unknown(name, names);
}

/** How many back ends answer a question at once. */
export function fanOutWidth(config: Config, asked: string): number {
  const { backends, default_backend: fallback } = config.llm;
  if (backends.length === 0) return 1;
  const { mode, order } = route({ asked, fallback, backends, records: new Map(), random: () => 0 });
  return mode === 'all' ? order.length : 1;
}

/** All names, each next one drawn with a probability in proportion to weight × factor. */
function byWeight(backends: readonly Routable[], factor: (name: string) => number, random: () => number): string[] {
  const left = backends.map((backend) => ({ name: backend.name, share: backend.weight * factor(backend.name) }));
  const order: string[] = [];
  while (left.length > 0) {
    let at = random() * left.reduce((sum, { share }) => sum + share, 0);
    const index = left.findIndex(({ share }) => {
      at -= share;
      return at < 0;
    });
    order.push(...left.splice(index < 0 ? left.length - 1 : index, 1).map(({ name }) => name));
  }
  return order;
}

/** Mean worth with one imagined good answer, so that a new one is tried: an optimistic start in place of exploration. */
function sample(input: RoutingInput, name: string): number {
  const { asked, worth } = input.records.get(name) ?? { asked: 0, worth: 0 };
  const mean = (worth + 1) / (asked + 1);
  // The fourth power turns a share by worth into a clear preference, and still asks the worse one now and then.
  return Math.max(mean, 0.02) ** 4;
}

function unknown(name: string, names: readonly string[]): PeagenError {
  const near = nearest(name, [...names, ...ways]);
  return new PeagenError('invalid_config', `There is no back end "${name}".`, {
    hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Configured: ${names.join(', ') || 'none'}; or ${ways.join(', ')}.`,
  });
}
