/** The parent selectors of a run: its own options go over those of the configuration, and each island learns for itself. */
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { Sha256 } from '../../../shared/ids.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import type { ParentSelector } from '../../evolution/selectors/selector.ts';
import type { Registry } from '../../registry.ts';

export async function selectorOf(
  { selector: name, selector_options: own }: Pick<RunSpec, 'selector' | 'selector_options'>,
  config: Config,
  registry: Registry,
): Promise<ParentSelector> {
  const make = await registry.load('selector', name);
  if (own === undefined) return make(config);
  return make({ ...config, selector: { ...config.selector, [name]: { ...config.selector[name], ...own } } });
}

export class RunSelectors {
  private readonly learners: readonly ParentSelector[];
  /** The gains that the selectors have learnt from, in order. */
  private readonly lessons: [slot: number, parent: Sha256, gain: number][] = [];

  /** One for each island, or one. */
  constructor(selectors: readonly ParentSelector[]) {
    this.learners = selectors;
  }

  /** Learns from the children of the slots that share an island with this one. */
  of(slot: number): ParentSelector {
    const selector = this.learners[slot % this.learners.length];
    if (selector === undefined) throw new PeagenError('internal', 'A run needs a selector.');
    return selector;
  }

  /** The selector of a slot learns what its child gained. */
  teach(slot: number, parent: Sha256, gain: number): void {
    this.lessons.push([slot, parent, gain]);
    this.of(slot).feedback(parent, gain);
  }

  /** Has selectors that have learnt nothing yet learn everything again. */
  repeat(): void {
    for (const [slot, parent, gain] of this.lessons) this.of(slot).feedback(parent, gain);
  }
}
