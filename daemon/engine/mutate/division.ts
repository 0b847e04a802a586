/**
 * Divides a run's slots among mutators (for the mutator `auto`) and back ends, by what their children gain for what they
 * cost. Pure: what it knows comes from the journal, in an order that does not depend on who was faster when the run is
 * deterministic.
 */
import { dollarsOf, type Prices, PromptRole, type TokenUse } from '../../../shared/asking.ts';
import type { Config } from '../../../shared/config.ts';
import type { Slot } from '../../../shared/run.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import { Bandit, type Trial } from '../../evolution/bandit.ts';
import { rolesOf } from '../../llm/prompts/roles.ts';
import { createRandom } from '../../random.ts';
import type { Registry } from '../../registry.ts';
import type { EventOf } from '../run/state/slots.ts';

/** In place of the name of a mutator or a back end: a choice for each slot. */
export const AUTO = 'auto';

/** These need another program to cross the parent with. */
const NEED_MATES: ReadonlySet<string> = new Set(['crossover', 'crossover-tree']);
/** This mutator is not for programs that work. */
const NO_ARM = 'fix';

/** Between the name of a mutator and its role, and before that of its back end. */
const AS = '#';
const AT = '@';

/**
 * What a run divides its slots among, in the order in which mutators are registered: for `auto` those that can run with
 * this configuration, else the one that is named; each that asks a model once for each of its roles and each back end, unless
 * one is `asked` for or the configuration has a default. Undefined when there is nothing to choose.
 */
export async function armsOf(
  mutator: string,
  asked: string | undefined,
  config: Config,
  registry: Registry,
  roles: readonly PromptRole[] = config.evolve.roles,
): Promise<string[] | undefined> {
  const { backends, default_backend: fixed } = config.llm;
  const divides = (asked ?? config.mutate.backend) === AUTO && fixed === undefined && backends.length > 1;
  const arms: string[] = [];
  for (const name of mutator === AUTO ? registry.names('mutator') : [mutator]) {
    const { requires } = (await registry.load('mutator', name))(config);
    const asks = requires.includes('llm');
    if (name === NO_ARM || requires.some((tag) => tag !== 'llm') || (asks && backends.length === 0)) continue;
    const asked = asks ? rolesOf(name, roles) : [undefined];
    // A mutator that is named is used, whatever the roles are.
    for (const role of asked.length === 0 && mutator !== AUTO ? [undefined] : asked) {
      const ends = asks && divides ? backends.map((backend) => backend.name) : [undefined];
      for (const backend of ends) arms.push(armName({ mutator: name, role, backend }));
    }
  }
  return mutator === AUTO || arms.length > 1 || arms.some((arm) => arm !== mutator) ? arms : undefined;
}

interface Arm {
  readonly mutator: string;
  readonly role?: PromptRole | undefined;
  readonly backend?: string | undefined;
}

/** `patch`, `patch#algorithm` or `patch#algorithm@local`. */
function armName({ mutator, role, backend }: Arm): string {
  return `${mutator}${role === undefined ? '' : `${AS}${role}`}${backend === undefined ? '' : `${AT}${backend}`}`;
}

/** A registered mutator has neither `#` nor `@` in its name. */
export function mutatorOf(arm: string): Arm {
  const at = arm.indexOf(AT);
  const [mutator = arm, named] = (at < 0 ? arm : arm.slice(0, at)).split(AS);
  const role = PromptRole.safeParse(named).data;
  return { mutator, ...(role === undefined ? {} : { role }), ...(at < 0 ? {} : { backend: arm.slice(at + 1) }) };
}

interface End {
  readonly at: string;
  readonly tokens: TokenUse;
  readonly backend?: string | undefined;
}

/**
 * What came of a selection, and what it cost. Where every back end has a price, tokens count for what they cost, in millionths
 * of a dollar.
 */
function trialOf({ at }: EventOf<'selected'>, end: End, gain: number, prices: Prices | undefined): Trial {
  const { prompt, completion } = end.tokens;
  const tokens = prices === undefined ? prompt + completion : dollarsOf(end.tokens, prices) * 1e6;
  return { gain, tokens, seconds: (Date.parse(end.at) - Date.parse(at)) / 1000 };
}

interface Settled {
  readonly slot: Slot;
  readonly arm: string;
  readonly trial: Trial;
}

export class Division {
  private readonly spec: RunSpec;
  private readonly arms: readonly string[];
  private readonly bandit: Bandit;
  /** Undefined where a back end has no price: then tokens are compared. */
  private readonly prices: Prices | undefined;
  private settled: Settled[] = [];

  /** `arms`: at least one. */
  constructor(spec: RunSpec, arms: readonly string[]) {
    this.spec = spec;
    this.arms = arms;
    this.bandit = new Bandit(arms);
    const backends = arms.flatMap((arm) => mutatorOf(arm).backend ?? []);
    this.prices = backends.some((name) => spec.prices?.[name] === undefined) ? undefined : spec.prices;
  }

  choose(slot: Slot, hasMates: boolean): Arm {
    const arm = mutatorOf(this.bandit.choose(createRandom(this.spec.seed, 'mutator', slot.index, slot.attempt)));
    if (hasMates || !NEED_MATES.has(arm.mutator)) return arm;
    return this.arms.map(mutatorOf).find(({ mutator }) => !NEED_MATES.has(mutator)) ?? arm;
  }

  /**
   * The back ends for a question of this arm, in order, as a question names them: where the chosen one fails, the others are
   * asked.
   */
  backends({ mutator, backend }: { mutator: string; backend?: string | undefined }): string | undefined {
    if (backend === undefined) return undefined;
    const others = this.arms.map(mutatorOf).filter((arm) => arm.mutator === mutator && arm.backend !== backend);
    return [...new Set([backend, ...others.flatMap((arm) => arm.backend ?? [])])].join(',');
  }

  /**
   * `end`: with the back end that answered, if one did. What others have cost that were asked before or after it, with
   * nothing gained, counts against them.
   */
  credit(selected: EventOf<'selected'>, end: End, gain: number): void {
    const { slot, mutator, role, backend: chosen } = selected;
    if (chosen === undefined) {
      this.record(slot, armName({ mutator, role }), trialOf(selected, end, gain, this.prices));
      return;
    }
    const { backend: answered = chosen, at, tokens } = end;
    const { by = { [chosen]: tokens } } = tokens;
    for (const backend of new Set([chosen, answered, ...Object.keys(by)])) {
      const use = by[backend] ?? { prompt: 0, completion: 0 };
      const own = { at, tokens: { ...use, by: { [backend]: use } } };
      this.record(
        slot,
        armName({ mutator, role, backend }),
        trialOf(selected, own, backend === answered ? gain : 0, this.prices),
      );
    }
  }

  /**
   * In a deterministic run time must not decide, and each attempt counts as a second. What a user wished for may be
   * no arm, and teaches nothing.
   */
  private record(slot: Slot, arm: string, { gain, tokens, seconds }: Trial): void {
    if (!this.arms.includes(arm)) return;
    const trial = { gain, tokens, seconds: this.spec.deterministic ? 1 : Math.max(0, seconds) };
    this.settled.push({ slot, arm, trial });
    if (!this.spec.deterministic) this.learn();
  }

  /** Learns what a deterministic run has settled since the last generation, in the order of its slots. */
  endGeneration(): void {
    this.settled.sort((a, b) => a.slot.index - b.slot.index || a.slot.attempt - b.slot.attempt);
    this.learn();
  }

  private learn(): void {
    for (const { arm, trial } of this.settled) this.bandit.record(arm, trial);
    this.settled = [];
  }
}
