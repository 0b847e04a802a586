/**
 * Divides a run's slots among mutators, for the mutator `auto`, by what their children gain for what they cost. Pure:
 * what it knows comes from the journal, in an order that does not depend on who was faster when the run is deterministic.
 */
import type { Config } from '../../shared/config.ts';
import type { RunSpec, Slot } from '../../shared/run.ts';
import { Bandit, type Trial } from '../evolution/bandit.ts';
import { createRandom } from '../evolution/random.ts';
import type { Registry } from '../plugins/registry.ts';

/** In place of a mutator's name: a choice for each slot. */
export const AUTO = 'auto';

/** Without another program to cross the parent with, these have nothing to do. */
const NEED_MATES: ReadonlySet<string> = new Set(['crossover', 'crossover-tree']);
/** Mends an original that fails, and a run's original never does. */
const NO_ARM = 'fix';

/** The mutators that can run with this configuration, in the order in which they are registered. */
export async function armsOf(config: Config, registry: Registry): Promise<string[]> {
  const asks = config.llm.backends.length > 0;
  const arms: string[] = [];
  for (const name of registry.names('mutator')) {
    const { requires } = (await registry.load('mutator', name))(config);
    if (name !== NO_ARM && requires.every((tag) => asks && tag === 'llm')) arms.push(name);
  }
  return arms;
}

interface Settled {
  readonly slot: Slot;
  readonly mutator: string;
  readonly trial: Trial;
}

export class Division {
  private readonly spec: RunSpec;
  private readonly arms: readonly string[];
  private readonly bandit: Bandit;
  private settled: Settled[] = [];

  /** `arms`: at least one. */
  constructor(spec: RunSpec, arms: readonly string[]) {
    this.spec = spec;
    this.arms = arms;
    this.bandit = new Bandit(arms);
  }

  choose(slot: Slot, hasMates: boolean): string {
    const arm = this.bandit.choose(createRandom(this.spec.seed, 'mutator', slot.index, slot.attempt));
    if (hasMates || !NEED_MATES.has(arm)) return arm;
    return this.arms.find((other) => !NEED_MATES.has(other)) ?? arm;
  }

  /** In a deterministic run time must not decide, and each attempt counts as a second. */
  record(slot: Slot, mutator: string, { gain, tokens, seconds }: Trial): void {
    const trial = { gain, tokens, seconds: this.spec.deterministic ? 1 : Math.max(0, seconds) };
    this.settled.push({ slot, mutator, trial });
    if (!this.spec.deterministic) this.learn();
  }

  /** Learns what a deterministic run has settled since the last generation, in the order of its slots. */
  endGeneration(): void {
    this.settled.sort((a, b) => a.slot.index - b.slot.index || a.slot.attempt - b.slot.attempt);
    this.learn();
  }

  private learn(): void {
    for (const { mutator, trial } of this.settled) this.bandit.record(mutator, trial);
    this.settled = [];
  }
}
