/** What a run spent and what it got for it, from its journal. Pure. */
import type { Prices, TokenUse } from '../../../shared/asking.ts';
import type { RunId } from '../../../shared/ids.ts';
import type { RunReport, Share } from '../../../shared/protocol/report.ts';
import type { RunEvent } from '../../../shared/run.ts';
import type { Population } from '../run/state/population.ts';

/** The row of attempts that asked no back end. */
const NO_BACKEND = 'none';
/** The row of tokens whose back end died with its worker: all that it may have spent is counted. */
const UNKNOWN_BACKEND = 'unknown';

/** `population`: what the run has come to. */
export function reportRun(
  run: RunId,
  events: readonly RunEvent[],
  { population, prices }: { population: Population; prices: Prices },
): RunReport {
  const report: RunReport = {
    run,
    total: empty(),
    byGeneration: {},
    byMutator: {},
    byBackend: {},
    outcomes: {},
    rejections: {},
    gain_percent: null,
    overfitted: [],
    refuted: [],
    function: null,
    confidence: null,
    unconfirmed: [],
    tokens_per_percent: null,
    cost_per_accepted: null,
    objectives: [],
    archive: population.whole.stats(),
    islands: population.each().map((island) => island.stats()),
    migrated: 0,
    front: population
      .paretoFront()
      .map(({ sha256, niche, fitness, metrics, summary }) => ({ sha256, niche, fitness, metrics, summary })),
    steering: { submitted: 0, steered: 0, pinned: 0, discarded: 0 },
    rebases: 0,
  };
  const mutators = new Map<number, string>();
  const backends = new Map<number, string | undefined>();
  for (const event of events) {
    if (event.type === 'selected') mutators.set(event.slot.index, event.mutator);
    if (event.type === 'mutated') backends.set(event.slot.index, event.origin.backend);
    if (event.type in report.steering) count(report.steering, event.type);
    if (event.type === 'rebased') report.rebases++;
    if (event.type === 'reflected') {
      spend(report.total, event.tokens, prices);
      for (const [name, tokens] of spentBy(event.tokens, undefined))
        spend(shareOf(report.byBackend, name), { ...tokens, by: { [name]: tokens } }, prices);
    }
    if (event.type === 'generation') report.migrated += event.migrated ?? 0;
    if (event.type === 'evaluated' || event.type === 'judged') count(report.outcomes, event.outcome.kind);
    if (event.type === 'rejected') count(report.rejections, event.reason);
    if (event.type === 'started') {
      report.function = event.entry?.fn ?? null;
      report.confidence = event.spec.confidence ?? null;
      report.objectives = (event.spec.objectives?.of ?? []).map(({ metric, direction }) => ({ metric, direction }));
    }
    if (event.type === 'refuted') report.refuted.push({ sha256: event.sha256, counterexample: event.counterexample });
    if (event.type === 'confirmed') {
      report.confidence = event.best?.confidence ?? report.confidence;
      report.overfitted = event.overfitted;
      report.unconfirmed = event.unconfirmed;
    }
    if (event.type === 'confirmed' && event.best !== null) report.gain_percent = (event.best.speedup - 1) * 100;
    if (event.type !== 'mutated' && event.type !== 'rejected' && event.type !== 'inserted') continue;
    const { index, generation } = event.slot;
    const shares = [
      report.total,
      shareOf(report.byGeneration, String(generation)),
      shareOf(report.byMutator, mutators.get(index) ?? ''),
    ];
    const backend = event.type === 'rejected' ? undefined : backends.get(index);
    if (event.type === 'inserted') {
      const accepted = event.status === 'rejected' ? 0 : 1;
      for (const share of [...shares, shareOf(report.byBackend, backend ?? NO_BACKEND)]) share.accepted += accepted;
      continue;
    }
    for (const share of shares) {
      spend(share, event.tokens, prices);
      share.attempts++;
      if (event.type === 'mutated') share.candidates++;
    }
    for (const [name, tokens] of spentBy(event.tokens, backend)) {
      const share = shareOf(report.byBackend, name);
      spend(share, { ...tokens, by: { [name]: tokens } }, prices);
      share.attempts++;
      if (name === (backend ?? NO_BACKEND) && event.type === 'mutated') share.candidates++;
    }
  }
  const { total, gain_percent: gain } = report;
  if (gain !== null && gain > 0) report.tokens_per_percent = total.tokens / gain;
  if (total.cost !== null && total.accepted > 0) report.cost_per_accepted = total.cost / total.accepted;
  return report;
}

/** The model that was asked in an attempt, and what it cost. */
function spentBy({ by, prompt, completion }: TokenUse, backend: string | undefined): [string, Tokens][] {
  const asked = Object.entries(by ?? {});
  if (asked.length > 0) return asked;
  return [[backend ?? (prompt + completion > 0 ? UNKNOWN_BACKEND : NO_BACKEND), { prompt, completion }]];
}

type Tokens = Pick<TokenUse, 'prompt' | 'completion'>;

function spend(share: Share, { by, prompt, completion }: TokenUse, prices: Prices): void {
  share.tokens += prompt + completion;
  if (prompt + completion > 0 && by === undefined) share.cost = null;
  for (const [backend, tokens] of Object.entries(by ?? {})) {
    if (tokens.prompt + tokens.completion === 0) continue;
    const price = prices[backend];
    if (price === undefined) share.cost = null;
    if (price === undefined || share.cost === null) continue;
    share.cost += (tokens.prompt * price.prompt + tokens.completion * price.completion) / 1e6;
  }
}

function empty(): Share {
  return { attempts: 0, candidates: 0, accepted: 0, tokens: 0, cost: 0 };
}

function shareOf(shares: Record<string, Share>, key: string): Share {
  shares[key] ??= empty();
  return shares[key];
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
