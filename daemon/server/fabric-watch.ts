/** Reads the metrics at intervals: for the clients that watch, and for the alerts that all clients get. */
import type { Alert, FabricState } from '../../shared/protocol/watch.ts';
import { AlertRules } from '../telemetry/alerts.ts';
import { type MetricsSample, takeSample } from '../telemetry/sample.ts';

/** The interval with and without a client that watches. */
const WATCHED_MS = 1000;
const UNWATCHED_MS = 5000;
/** Tokens a second are an average over this time. */
const RATE_MS = 10_000;

interface FabricListener {
  state(state: FabricState): void;
  /** Alerts came or went. */
  alerts(alerts: readonly Alert[]): void;
}

export class FabricWatch {
  private readonly listener: FabricListener;
  private readonly rules = new AlertRules();
  private recent: MetricsSample[] = [];
  private current: Alert[] = [];
  private timer: NodeJS.Timeout | undefined;
  private watched = false;
  private ended = false;

  constructor(listener: FabricListener) {
    this.listener = listener;
  }

  get alerts(): readonly Alert[] {
    return this.current;
  }

  start(): void {
    this.again();
  }

  /** Whether any client watches. */
  set watching(watching: boolean) {
    if (this.watched === watching || this.ended) return;
    this.watched = watching;
    this.again();
  }

  /** The state at this moment. */
  async state(): Promise<FabricState> {
    const sample = await takeSample(Date.now());
    this.recent = [...this.recent.filter(({ at }) => sample.at - at <= RATE_MS), sample];
    this.judge(sample);
    const [oldest = sample] = this.recent;
    const seconds = (sample.at - oldest.at) / 1000;
    const { pending, live, idle, tokens } = sample;
    return {
      at: new Date(sample.at).toISOString(),
      tokens_per_second: seconds === 0 ? 0 : Math.max(0, (tokens - oldest.tokens) / seconds),
      tokens,
      pending,
      workers: { live, idle },
      alerts: this.current,
    };
  }

  private judge(sample: MetricsSample): void {
    const before = this.current.map(({ id }) => id).join();
    this.current = this.rules.observe(sample);
    if (this.current.map(({ id }) => id).join() !== before) this.listener.alerts(this.current);
  }

  private async tick(): Promise<void> {
    const state = await this.state();
    if (this.ended) return;
    if (this.watched) this.listener.state(state);
    this.again();
  }

  private again(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.tick(), this.watched ? WATCHED_MS : UNWATCHED_MS).unref();
  }

  dispose(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }
}
