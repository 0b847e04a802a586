/** What a run spent and what it got for it, from its journal. Pure. */
import type { RunId } from '../../shared/ids.ts';
import type { RunEvent } from '../../shared/run.ts';

export interface Share {
  attempts: number;
  candidates: number;
  /** Of these, how many entered the archive or improved a niche. */
  accepted: number;
  tokens: number;
}

export interface RunReport {
  run: RunId;
  total: Share;
  byGeneration: Record<string, Share>;
  byMutator: Record<string, Share>;
  byBackend: Record<string, Share>;
  outcomes: Record<string, number>;
  /** Why attempts made no candidate. */
  rejections: Record<string, number>;
  /** Speed-up of the announced best, in percent over the original; null without one. */
  gain_percent: number | null;
  tokens_per_percent: number | null;
}

const NO_BACKEND = 'none';

export function reportRun(run: RunId, events: readonly RunEvent[]): RunReport {
  const report: RunReport = {
    run,
    total: empty(),
    byGeneration: {},
    byMutator: {},
    byBackend: {},
    outcomes: {},
    rejections: {},
    gain_percent: null,
    tokens_per_percent: null,
  };
  const mutators = new Map<number, string>();
  const backends = new Map<number, string>();
  for (const event of events) {
    if (event.type === 'selected') mutators.set(event.slot.index, event.mutator);
    if (event.type === 'mutated') backends.set(event.slot.index, event.origin.backend ?? NO_BACKEND);
    if (event.type === 'evaluated') count(report.outcomes, event.outcome.kind);
    if (event.type === 'rejected') count(report.rejections, event.reason);
    if (event.type === 'confirmed' && event.best !== null) report.gain_percent = (event.best.speedup - 1) * 100;
    if (event.type !== 'mutated' && event.type !== 'rejected' && event.type !== 'inserted') continue;
    const { index, generation } = event.slot;
    const shares = [
      report.total,
      shareOf(report.byGeneration, String(generation)),
      shareOf(report.byMutator, mutators.get(index) ?? ''),
      shareOf(report.byBackend, backends.get(index) ?? NO_BACKEND),
    ];
    for (const share of shares) add(share, event);
  }
  if (report.gain_percent !== null && report.gain_percent > 0)
    report.tokens_per_percent = report.total.tokens / report.gain_percent;
  return report;
}

function add(share: Share, event: Extract<RunEvent, { type: 'mutated' | 'rejected' | 'inserted' }>): void {
  if (event.type === 'inserted') {
    if (event.status !== 'rejected') share.accepted++;
    return;
  }
  share.attempts++;
  share.tokens += event.tokens.prompt + event.tokens.completion;
  if (event.type === 'mutated') share.candidates++;
}

function empty(): Share {
  return { attempts: 0, candidates: 0, accepted: 0, tokens: 0 };
}

function shareOf(shares: Record<string, Share>, key: string): Share {
  shares[key] ??= empty();
  return shares[key];
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}
