/**
 * Sends metrics and spans to an OpenTelemetry collector, as JSON over HTTP (OTLP 1.x, https://opentelemetry.io/docs/specs/otlp/).
 * On when OTEL_EXPORTER_OTLP_ENDPOINT is set; the other variables are those of the OpenTelemetry specification.
 */
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { PeagenError } from '../../shared/errors.ts';
import { version } from '../version.ts';
import type { Log } from './log.ts';
import { metricsRegistry } from './metrics.ts';
import { onSpans, type SpanKind, type TraceSpan } from './trace.ts';

const TRACES_MS = 5000;
const METRICS_MS = 60_000;
const POST_MS = 5000;
/** A collector that is away costs spans, and never memory. */
const MOST_SPANS = 10_000;

export interface Exporter {
  /** Sends what there is and ends. Never rejects. */
  close(): Promise<void>;
}

type Json = Readonly<Record<string, unknown>>;

/** Undefined when no endpoint is set. `service`: what this process is, unless OTEL_SERVICE_NAME says otherwise. */
export function startExporter(env: NodeJS.ProcessEnv, service: string, log: Pick<Log, 'warn'>): Exporter | undefined {
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!endpoint || env['OTEL_SDK_DISABLED'] === 'true') return undefined;
  return new OtlpExporter(endpoint, env, service, log);
}

class OtlpExporter implements Exporter {
  private readonly endpoint: string;
  private readonly headers: Record<string, string>;
  private readonly resource: Json;
  private readonly log: Pick<Log, 'warn'>;
  private readonly startedAt = nanos(performance.timeOrigin);
  private readonly timers: NodeJS.Timeout[];
  private spans: TraceSpan[] = [];
  private sending: Promise<unknown> = Promise.resolve();
  private away = false;

  constructor(endpoint: string, env: NodeJS.ProcessEnv, service: string, log: Pick<Log, 'warn'>) {
    this.endpoint = endpoint.replace(/\/+$/, '');
    this.headers = { ...headersOf(env['OTEL_EXPORTER_OTLP_HEADERS']), 'content-type': 'application/json' };
    const name = env['OTEL_SERVICE_NAME'] || service;
    this.resource = {
      attributes: attributesOf({ 'service.name': name, 'service.version': version, 'process.pid': process.pid }),
    };
    this.log = log;
    onSpans((span) => {
      if (this.spans.length < MOST_SPANS) this.spans.push(span);
    });
    const every = Number(env['OTEL_METRIC_EXPORT_INTERVAL']) || METRICS_MS;
    this.timers = [
      setInterval(() => this.next(() => this.sendSpans()), TRACES_MS).unref(),
      setInterval(() => this.next(() => this.sendMetrics()), every).unref(),
    ];
  }

  async close(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    onSpans(undefined);
    this.next(() => this.sendSpans());
    this.next(() => this.sendMetrics());
    await this.sending;
  }

  private next(send: () => Promise<void>): void {
    this.sending = this.sending.then(send).catch((caught: unknown) => {
      // Once, until the collector has answered again.
      if (!this.away) this.log.warn(`The collector ${this.endpoint} gets no telemetry: ${PeagenError.from(caught).message}`);
      this.away = true;
    });
  }

  private async sendSpans(): Promise<void> {
    const spans = this.spans;
    if (spans.length === 0) return;
    this.spans = [];
    const scope = { name: 'peagen', version };
    await this.post('/v1/traces', {
      resourceSpans: [{ resource: this.resource, scopeSpans: [{ scope, spans: spans.map(spanOf) }] }],
    });
  }

  private async sendMetrics(): Promise<void> {
    const time = { startTimeUnixNano: this.startedAt, timeUnixNano: nanos(Date.now()) };
    const metrics = (await metricsRegistry.getMetricsAsJSON()).flatMap((metric) => metricOf(metric, time));
    const scope = { name: 'peagen', version };
    await this.post('/v1/metrics', { resourceMetrics: [{ resource: this.resource, scopeMetrics: [{ scope, metrics }] }] });
  }

  private async post(path: string, body: Json): Promise<void> {
    const response = await fetch(`${this.endpoint}${path}`, {
      method: 'POST',
      headers: this.headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(POST_MS),
    });
    await response.body?.cancel();
    if (!response.ok) throw new PeagenError('unavailable', `it answered ${response.status} to ${path}`);
    this.away = false;
  }
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };

function spanOf({ traceId, spanId, parentId, name, kind, attributes, start, end, error }: TraceSpan): Json {
  return {
    traceId,
    spanId,
    ...(parentId === undefined ? {} : { parentSpanId: parentId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(end),
    attributes: attributesOf(attributes),
    status: error === undefined ? {} : { code: 2, message: error },
  };
}

interface Times {
  readonly startTimeUnixNano: string;
  readonly timeUnixNano: string;
}

/** Cumulative, as Prometheus counts. None while nothing was counted. */
function metricOf({ name, help, type, values }: MetricObjectWithValues<MetricValue<string>>, time: Times): Json[] {
  if (values.length === 0) return [];
  const about = { name, description: help };
  const points = () => values.map(({ value, labels }) => ({ ...time, asDouble: value, attributes: attributesOf(labels) }));
  // prom-client's enumeration says `counter`, `gauge`, `histogram` at run time.
  switch (String(type)) {
    case 'counter':
      return [{ ...about, sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: points() } }];
    case 'gauge':
      return [{ ...about, gauge: { dataPoints: points() } }];
    case 'histogram':
      return [{ ...about, histogram: { aggregationTemporality: 2, dataPoints: histogramPoints(values, time) } }];
    default:
      return [];
  }
}

/** Prometheus counts what is at most each bound; OTLP what is between two. */
function histogramPoints(values: readonly (MetricValue<string> & { metricName?: string })[], time: Times): Json[] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...series.values()].map((parts) => {
    const { le: _, ...labels } = parts[0]?.labels ?? {};
    const of = (ending: string) => parts.find(({ metricName }) => metricName?.endsWith(ending))?.value ?? 0;
    const buckets = parts.filter(({ metricName }) => metricName?.endsWith('_bucket'));
    const counts = buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0));
    return {
      ...time,
      count: String(of('_count')),
      sum: of('_sum'),
      bucketCounts: counts.map(String),
      explicitBounds: buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite),
      attributes: attributesOf(labels),
    };
  });
}

function attributesOf(values: Readonly<Record<string, string | number | undefined>>): Json[] {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ key, value: typeof value === 'string' ? { stringValue: value } : { doubleValue: value } }];
  });
}

/** `name=value,name=value`, percent-encoded. */
function headersOf(text = ''): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs.flatMap(([name = '', ...value]) =>
      name.trim() === '' ? [] : [[name.trim(), decodeURIComponent(value.join('=').trim())]],
    ),
  );
}

/** 64-bit numbers are strings in the JSON of OTLP. */
function nanos(ms: number): string {
  return `${BigInt(Math.round(ms * 1000))}000`;
}
