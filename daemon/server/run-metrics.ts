/** Keeps the gauges of the best score and speed from what happens in runs. */
import { basename } from 'node:path';
import type { RunEvent } from '../../shared/run.ts';
import { metrics } from '../telemetry/metrics.ts';

export class RunMetrics {
  private readonly labels: { workspace: string };
  /** Fitness of the best program of the latest run. */
  private best = Number.NEGATIVE_INFINITY;

  constructor(workspace: string) {
    this.labels = { workspace: basename(workspace) };
  }

  hear(event: RunEvent): void {
    switch (event.type) {
      case 'started':
        this.best = Number.NEGATIVE_INFINITY;
        return;
      case 'baseline':
        this.found(event.fitness, event.metrics['speed_ms']);
        return;
      case 'evaluated':
        if (event.fitness !== null) this.found(event.fitness, event.metrics['speed_ms']);
        return;
      case 'confirmed':
        // Measured with care: replaces what the search had measured quickly.
        if (event.best !== null) metrics.bestSpeed.set(this.labels, event.best.speed_ms);
        return;
      default:
        return;
    }
  }

  private found(fitness: number, speedMs: number | undefined): void {
    if (fitness <= this.best) return;
    this.best = fitness;
    metrics.bestScore.set(this.labels, fitness);
    if (speedMs !== undefined) metrics.bestSpeed.set(this.labels, speedMs);
  }
}
