/**
 * Sends metrics and spans to an OpenTelemetry collector, as JSON over HTTP (https://opentelemetry.io/docs/specs/otlp/), with
 * OpenTelemetry's own exporters. On when OTEL_EXPORTER_OTLP_ENDPOINT is set; the other variables are those of its specification.
 */
import { type HrTime, SpanKind, SpanStatusCode, TraceFlags, ValueType } from '@opentelemetry/api';
import { hrTime, millisToHrTime, setGlobalErrorHandler } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, type ReadableSpan } from '@opentelemetry/sdk-trace';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { PeagenError } from '../../shared/errors.ts';
import { version } from '../version.ts';
import { metricsRegistry } from './metrics.ts';
import { onSpans, type TraceSpan } from './trace.ts';

const METRICS_MS = 60_000;
/** A command waits this long for a collector that is away; OTEL_EXPORTER_OTLP_TIMEOUT sets another time. */
const POST_MS = 5000;

export interface Exporter {
  /** Sends what there is and ends. Never rejects. */
  close(): Promise<void>;
}

const scope = { name: 'peagen', version };

/**
 * Undefined when no endpoint is set. `service`: what this process is, unless OTEL_SERVICE_NAME says otherwise. `warn` gets one
 * line for the first telemetry that could not be sent.
 */
export function startExporter(service: string, warn: (line: string) => void): Exporter | undefined {
  const { env } = process;
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  if (!endpoint || env['OTEL_SDK_DISABLED'] === 'true') return undefined;
  let warned = false;
  setGlobalErrorHandler((caught) => {
    if (!warned) warn(`The collector ${endpoint} gets no telemetry: ${PeagenError.from(caught).message}`);
    warned = true;
  });
  const resource = resourceFromAttributes({
    'service.name': env['OTEL_SERVICE_NAME'] || service,
    'service.version': version,
    'process.pid': process.pid,
  });
  const limits = env['OTEL_EXPORTER_OTLP_TIMEOUT'] ? {} : { timeoutMillis: POST_MS };
  const spans = new BatchSpanProcessor({ exporter: new OTLPTraceExporter(limits) });
  onSpans((span) => spans.onEnd(readable(span, resource)));
  const startTime = millisToHrTime(performance.timeOrigin);
  const metrics = new MeterProvider({
    resource,
    readers: [
      new PeriodicExportingMetricReader({
        exporter: new OTLPMetricExporter(limits),
        exportIntervalMillis: Number(env['OTEL_METRIC_EXPORT_INTERVAL']) || METRICS_MS,
        exportTimeoutMillis: POST_MS,
        metricProducers: [{ collect: async () => ({ resourceMetrics: await counted(resource, startTime), errors: [] }) }],
      }),
    ],
  });
  return {
    close: async () => {
      onSpans(undefined);
      await Promise.allSettled([spans.shutdown(), metrics.shutdown()]);
    },
  };
}

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
};

function readable({ traceId, spanId, parentId, ...span }: TraceSpan, resource: Resource): ReadableSpan {
  const place = (id: string) => ({ traceId, spanId: id, traceFlags: TraceFlags.SAMPLED });
  return {
    name: span.name,
    kind: kinds[span.kind],
    spanContext: () => place(spanId),
    ...(parentId === undefined ? {} : { parentSpanContext: place(parentId) }),
    startTime: millisToHrTime(span.start),
    endTime: millisToHrTime(span.end),
    duration: millisToHrTime(span.end - span.start),
    status: span.error === undefined ? { code: SpanStatusCode.UNSET } : { code: SpanStatusCode.ERROR, message: span.error },
    attributes: { ...span.attributes },
    links: [],
    events: [],
    ended: true,
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

async function counted(resource: Resource, startTime: HrTime) {
  const times = { startTime, endTime: hrTime() };
  const metrics = (await metricsRegistry.getMetricsAsJSON()).flatMap((metric) => metricOf(metric, times));
  return { resource, scopeMetrics: [{ scope, metrics }] };
}

type Times = Pick<DataPoint<number>, 'startTime' | 'endTime'>;

/** Cumulative, as Prometheus counts. None while nothing was counted. */
function metricOf({ name, help, type, values }: MetricObjectWithValues<MetricValue<string>>, times: Times): MetricData[] {
  if (values.length === 0) return [];
  const about = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  const dataPoints = values.map(({ value, labels }) => ({ ...times, value, attributes: { ...labels } }));
  // prom-client's enumeration says `counter`, `gauge`, `histogram` at run time.
  switch (String(type)) {
    case 'counter':
      return [{ ...about, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }];
    case 'gauge':
      return [{ ...about, dataPointType: DataPointType.GAUGE, dataPoints }];
    case 'histogram':
      return [{ ...about, dataPointType: DataPointType.HISTOGRAM, dataPoints: histogramPoints(values, times) }];
    default:
      return [];
  }
}

/** Prometheus counts what is at most each bound; OTLP what is between two. */
function histogramPoints(
  values: readonly (MetricValue<string> & { metricName?: string })[],
  times: Times,
): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return [...series.values()].map((parts) => {
    const { le: _, ...attributes } = parts[0]?.labels ?? {};
    const of = (ending: string) => parts.find(({ metricName }) => metricName?.endsWith(ending))?.value ?? 0;
    const buckets = parts.filter(({ metricName }) => metricName?.endsWith('_bucket'));
    const counts = buckets.map(({ value }, i) => value - (buckets[i - 1]?.value ?? 0));
    const boundaries = buckets.map(({ labels: { le } }) => Number(le)).filter(Number.isFinite);
    return { ...times, attributes, value: { count: of('_count'), sum: of('_sum'), buckets: { boundaries, counts } } };
  });
}
