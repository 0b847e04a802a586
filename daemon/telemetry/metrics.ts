/** The product's metrics, on a registry of their own. Names and labels are a contract with dashboards and alert rules. */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type Count, followCounts } from './counts.ts';

export const metricsRegistry = new Registry();

const counter = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Counter({ name, help, labelNames, registers: [metricsRegistry] });
const gauge = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Gauge({ name, help, labelNames, registers: [metricsRegistry] });
const histogram = <L extends string>(name: string, help: string, labelNames: L[] = []) =>
  new Histogram({
    name,
    help,
    labelNames,
    registers: [metricsRegistry],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.3, 1, 3, 10, 30, 100, 300],
  });

export const metrics = {
  queuePending: gauge('queue_pending_total', 'Tasks waiting.', ['stream', 'kind']),
  queuePendingIdleMax: gauge('queue_pending_idle_max_seconds', 'Age of the oldest waiting task.', ['stream']),
  queueAck: counter('queue_ack_total', 'Tasks completed.', ['kind']),
  queueDead: counter('queue_dead_total', 'Tasks that went to the dead-letter queue.', ['kind']),
  queueMalformed: counter('queue_malformed_total', 'Entries of a shared queue that were malformed and skipped.'),
  workerTask: counter('worker_task_total', 'Tasks handled by workers.', ['handler', 'status']),
  workerRuntime: histogram('worker_runtime_seconds', 'Life of a worker, from launch to exit.'),
  workerExitReason: counter('worker_exit_reason_total', 'Why workers ended.', ['reason']),
  workspaceWorkers: gauge('workspace_workers', 'Tasks that all hosts of the workspace take at a time.'),
  spawnerLive: gauge('warm_spawner_live_workers', 'Workers alive.', ['caps']),
  spawnerIdle: gauge('warm_spawner_idle_workers', 'Workers waiting for a task.', ['caps']),
  spawnerLaunch: counter('warm_spawner_launch_total', 'Workers launched.', ['caps']),
  handlerDuration: histogram('handler_duration_seconds', 'Time in a handler.', ['handler', 'status']),
  handlerFail: counter('handler_fail_total', 'Failures of a handler.', ['handler', 'reason']),
  llmTokens: counter('llm_tokens_total', 'Tokens, prompt and completion.', ['handler', 'backend']),
  llmLatency: histogram('llm_latency_seconds', 'Time to the whole answer.', ['backend']),
  llmFirstToken: histogram('llm_first_token_seconds', 'Time to the first piece of an answer.', ['backend']),
  llmSpeed: histogram('llm_tokens_per_second', 'Completion tokens a second, answer by answer.', ['backend']),
  llmErrors: counter('llm_errors_total', 'Questions that a back end did not answer, by kind.', ['backend', 'kind']),
  llmBreaker: gauge('llm_breaker_state', 'Circuit breaker: 0 closed, 1 half open, 2 open.', ['backend']),
  resultBackendFail: counter('result_backend_fail_total', 'Results that could not be stored.'),
  bestScore: gauge('evo_best_score', 'Best fitness of the latest run.', ['workspace']),
  bestSpeed: gauge('evo_best_speed_ms', 'Speed of the best program of the latest run.', ['workspace']),
};

/** Adds what was counted, here or by a worker. A name or label that this build does not know is left out. */
export function addCounts(counts: readonly Count[]): void {
  for (const { name, labels, sum, count } of counts) {
    const metric = metricsRegistry.getSingleMetric(name);
    try {
      if (metric instanceof Counter) metric.inc(labels, sum);
      else if (metric instanceof Histogram && count !== undefined) {
        for (let i = 0; i < Math.min(count, 100); i++) metric.observe(labels, sum / count);
      }
    } catch {
      // An unknown label: the worker belongs to another build.
    }
  }
}

followCounts((count) => addCounts([count]));
