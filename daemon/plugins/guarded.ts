/**
 * Parts of plugins as the daemon uses them: each in a thread of its own. A selector works there; a mutator and an evaluator
 * only say what their tasks need, since their work is done in the processes of tasks (fabric/host/plugin-process.ts).
 */
import * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { Sha256 } from '../../shared/ids.ts';
import type { EvaluatorSpec } from '../../shared/judging.ts';
import type { Elite } from '../../shared/niche.ts';
import type { Basis } from '../../shared/payloads.ts';
import { CallOutputs } from '../../shared/protocol/runs.ts';
import { CapTag } from '../../shared/task.ts';
import type { EvoDB } from '../evolution/evodb.ts';
import type { Mutator } from '../evolution/mutators/mutator.ts';
import type { ParentSelector } from '../evolution/selectors/selector.ts';
import type { Evaluator } from '../judging/evaluator.ts';
import type { Random } from '../random.ts';
import type { PluginKinds } from '../registry.ts';
import { describePart, type PartSource } from './part.ts';
import { PartThread } from './part-thread.ts';

const Tags = z.array(CapTag);
const DescribedMutator = z.object({ requires: Tags });
const DescribedEvaluator = z.object({ metric: z.string(), derives: z.boolean(), attacks: z.boolean() });

/** The kinds whose code the daemon would otherwise run itself. */
export const guarded: Partial<{ [Kind in keyof PluginKinds]: (from: PartSource) => PluginKinds[Kind] }> = {
  selector: (from) => (config) => new GuardedSelector(from, config),
  mutator: (from) => (config) => guardedMutator(from, config),
  evaluator: (from) => (config) => new GuardedEvaluator(from, config),
};

/** Throws for a module that hangs or throws when it is imported: tried in a thread, before it is imported here. */
export function requireImportable(from: PartSource, config: Config): void {
  if (importable.has(from.part.file)) return;
  const thread = new PartThread(from, config, 'import');
  thread.end();
  importable.add(from.part.file);
}

const importable = new Set<string>();

class GuardedSelector implements ParentSelector {
  readonly name: string;
  private readonly from: PartSource;
  private readonly thread: PartThread;

  constructor(from: PartSource, config: Config) {
    this.name = from.part.name;
    this.from = from;
    this.thread = new PartThread(from, config);
  }

  select(archive: EvoDB, random: Random): Elite {
    const found = this.thread.ask({ do: 'select', archive: archive.snapshot(), seed: random.int(2 ** 32) });
    const [elite] = this.elites(archive, found);
    if (elite === undefined) throw new PeagenError('invalid_input', `The ${describePart(this.from)} selected no parent.`);
    return elite;
  }

  inspirations(archive: EvoDB, k: number, parent: Sha256, random: Random): Elite[] {
    const question = { do: 'inspirations', archive: archive.snapshot(), seed: random.int(2 ** 32), k, parent } as const;
    return this.elites(archive, this.thread.ask(question)).slice(0, k);
  }

  feedback(parent: Sha256, gain: number): void {
    this.thread.tell({ do: 'feedback', parent, gain });
  }

  private elites(archive: EvoDB, found: unknown): Elite[] {
    return described(this.from, z.array(Sha256), found).map((sha256) => {
      const elite = archive.find(sha256);
      if (elite !== undefined) return elite;
      throw new PeagenError('invalid_input', `The ${describePart(this.from)} chose ${sha256}, which is not an elite of the run.`);
    });
  }
}

function guardedMutator(from: PartSource, config: Config): Mutator {
  const thread = new PartThread(from, config);
  const { requires } = described(from, DescribedMutator, thread.described);
  thread.end();
  return { name: from.part.name, requires, mutate: () => elsewhere(from) };
}

class GuardedEvaluator implements Evaluator {
  readonly name: string;
  readonly metric: string;
  readonly derive?: () => Promise<never>;
  readonly attack?: () => Promise<never>;
  private readonly from: PartSource;
  private readonly thread: PartThread;
  private readonly tags = new Map<string, CapTag[]>();

  constructor(from: PartSource, config: Config) {
    this.name = from.part.name;
    this.from = from;
    this.thread = new PartThread(from, config);
    const { metric, derives, attacks } = described(from, DescribedEvaluator, this.thread.described);
    this.metric = metric;
    if (derives) this.derive = () => elsewhere(from);
    if (attacks) this.attack = () => elsewhere(from);
  }

  parse(spec: EvaluatorSpec): void {
    this.thread.ask({ do: 'parse', spec });
  }

  requires(language: string): CapTag[] {
    const known = this.tags.get(language);
    const tags = known ?? described(this.from, Tags, this.thread.ask({ do: 'requires', language }));
    this.tags.set(language, tags);
    return tags;
  }

  outputs(basis: Basis): CallOutputs {
    return described(this.from, CallOutputs, this.thread.ask({ do: 'outputs', basis }));
  }

  prepare(): Promise<never> {
    return elsewhere(this.from);
  }

  judge(): Promise<never> {
    return elsewhere(this.from);
  }
}

function described<T>(from: PartSource, shape: z.ZodType<T>, data: unknown): T {
  const parsed = shape.safeParse(data);
  if (parsed.success) return parsed.data;
  const why = z.prettifyError(parsed.error).replaceAll('\n', ' ');
  throw new PeagenError('invalid_input', `The ${describePart(from)} does not have the shape of its kind: ${why}`);
}

async function elsewhere(from: PartSource): Promise<never> {
  throw new PeagenError('internal', `The ${describePart(from)} works in the processes of tasks only.`);
}
