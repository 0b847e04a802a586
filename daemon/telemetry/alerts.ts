/**
 * The alerts of one daemon, from samples of its metrics: the same conditions as the rules for Prometheus in
 * daemon/deploy, for those who run none. Pure: the clock is in the samples.
 */
import type { Alert } from '../../shared/protocol/watch.ts';
import type { MetricsSample } from './sample.ts';

const MINUTE = 60_000;
/** The longest window that a rule looks back, and the pace of what is kept of it. */
const WINDOW_MS = 30 * MINUTE;
const KEEP_EVERY_MS = 5000;
/** Windows of ten minutes that make up what is usual: a week of them. */
const USUAL_WINDOWS = 7 * 24 * 6;
/** Fewer failed tasks raise no alert: their callers see the failure, such as an original that fails on its inputs. */
const LEAST_FAILURES = 5;

type Finding = Pick<Alert, 'severity' | 'summary' | 'fix'>;

export class AlertRules {
  private samples: MetricsSample[] = [];
  /** Since when a condition holds without a break. */
  private readonly holding = new Map<string, number>();
  private readonly raised = new Map<string, Alert>();
  /** Tokens in each past window of ten minutes in which any were used. */
  private usual: number[] = [];
  private window: { start: number; tokens: number } | undefined;

  /** All alerts there are after this sample. Samples come in the order of time. */
  observe(sample: MetricsSample): Alert[] {
    const last = this.samples.at(-1);
    if (last === undefined || sample.at - last.at >= KEEP_EVERY_MS) this.samples.push(sample);
    this.samples = this.samples.filter(({ at }) => sample.at - at <= WINDOW_MS + MINUTE);
    this.count(sample);
    const found = new Map<string, Finding>();
    const find = (id: string, forMs: number, finding: Finding | undefined) => {
      if (this.held(id, finding !== undefined, sample.at) >= forMs && finding !== undefined) found.set(id, finding);
    };
    find('execute-backlog', 10 * MINUTE, backlog(sample));
    find('worker-errors', 0, this.workerErrors(sample));
    for (const handler of sample.tasks.keys()) find(`failures-${handler}`, MINUTE, this.failures(sample, handler));
    find('tokens', MINUTE, this.tokens(sample));
    find('result-store', 0, this.storeFailures(sample));
    find('best-flat', MINUTE, this.flat(sample));
    return this.settle(found, sample.at);
  }

  /** For how long the condition has held; −1 when it does not. */
  private held(id: string, holds: boolean, now: number): number {
    if (!holds) {
      this.holding.delete(id);
      return -1;
    }
    const since = this.holding.get(id) ?? now;
    this.holding.set(id, since);
    return now - since;
  }

  private settle(found: ReadonlyMap<string, Finding>, now: number): Alert[] {
    for (const id of this.raised.keys()) if (!found.has(id)) this.raised.delete(id);
    for (const [id, finding] of found) {
      this.raised.set(id, { id, since: this.raised.get(id)?.since ?? new Date(now).toISOString(), ...finding });
    }
    return [...this.raised.values()];
  }

  /** The oldest sample of the last `ms`; undefined while there is only the newest. */
  private before({ at }: MetricsSample, ms: number): MetricsSample | undefined {
    const found = this.samples.find((sample) => at - sample.at <= ms);
    return found?.at === at ? undefined : found;
  }

  private workerErrors(sample: MetricsSample): Finding | undefined {
    const errors = sample.workerErrors - (this.before(sample, 10 * MINUTE)?.workerErrors ?? sample.workerErrors);
    if (errors <= 5) return undefined;
    return {
      severity: 'warning',
      summary: `${errors} workers ended with an error in 10 minutes`,
      fix: 'See the daemon log; their tasks are reclaimed and tried again.',
    };
  }

  private failures(sample: MetricsSample, handler: string): Finding | undefined {
    const now = sample.tasks.get(handler);
    const then = this.before(sample, 5 * MINUTE)?.tasks.get(handler) ?? { all: 0, failed: 0 };
    const all = (now?.all ?? 0) - then.all;
    const failed = (now?.failed ?? 0) - then.failed;
    if (failed < LEAST_FAILURES || failed / all <= 0.1) return undefined;
    return {
      severity: 'warning',
      summary: `${Math.round((100 * failed) / all)} % of the ${handler} tasks of the last 5 minutes failed`,
      fix: 'See the reasons in the daemon log, or with peagen queue dlq list.',
    };
  }

  private tokens(sample: MetricsSample): Finding | undefined {
    const then = this.before(sample, 10 * MINUTE);
    // What is unusual does not become the usual at once: the latest window does not count yet.
    const past = this.usual.slice(0, -1);
    if (then === undefined || past.length === 0) return undefined;
    const used = sample.tokens - then.tokens;
    const usual = past.reduce((total, tokens) => total + tokens, 0) / past.length;
    if (used <= 2 * usual) return undefined;
    return {
      severity: 'warning',
      summary: `${Math.round(used).toLocaleString('en')} tokens in 10 minutes, more than twice the usual ${Math.round(usual).toLocaleString('en')}`,
      fix: 'Look at the runs in progress and their budgets (budget_tokens under [evolve.stop]).',
    };
  }

  /** Closes a window of ten minutes when it is over, and remembers it if tokens were used in it. */
  private count({ at, tokens }: MetricsSample): void {
    this.window ??= { start: at, tokens };
    if (at - this.window.start < 10 * MINUTE) return;
    const used = tokens - this.window.tokens;
    if (used > 0) this.usual = [...this.usual, used].slice(-USUAL_WINDOWS);
    this.window = { start: at, tokens };
  }

  private storeFailures(sample: MetricsSample): Finding | undefined {
    const failures = sample.storeFailures - (this.before(sample, 5 * MINUTE)?.storeFailures ?? 0);
    if (failures <= 0) return undefined;
    return {
      severity: 'critical',
      summary: 'Results cannot be stored',
      fix: 'Free space on the disk, or make the result store reachable; the tasks are tried again.',
    };
  }

  private flat(sample: MetricsSample): Finding | undefined {
    const { bestScore, at } = sample;
    const window = this.samples.filter((past) => at - past.at <= WINDOW_MS);
    const [oldest] = window;
    const long = oldest !== undefined && at - oldest.at >= WINDOW_MS - KEEP_EVERY_MS;
    if (!long || bestScore === undefined || window.some((past) => past.bestScore !== bestScore)) return undefined;
    if (tasksOf(sample) === tasksOf(this.before(sample, 5 * MINUTE) ?? sample)) return undefined;
    return {
      severity: 'info',
      summary: 'The best score has not changed for 30 minutes of work',
      fix: 'Stop the run, or give it other inputs, another mutator or another selector.',
    };
  }
}

function backlog({ pending }: MetricsSample): Finding | undefined {
  const waiting = pending['execute'] ?? 0;
  if (waiting <= 50) return undefined;
  return {
    severity: 'warning',
    summary: `${waiting} candidates have been waiting for a sandbox for 10 minutes`,
    fix: 'Start workers that can run them (peagen worker start), or look at why workers end.',
  };
}

function tasksOf({ tasks }: MetricsSample): number {
  return [...tasks.values()].reduce((total, { all }) => total + all, 0);
}
