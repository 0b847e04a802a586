/** What a collector receives, checked against the JSON of the OpenTelemetry protocol, and what a command says without one. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { runPeagen } from '../../peagen.ts';

const samples = join(import.meta.dirname, '..', '..', '..', 'media', 'samples');
const nanos = z.string().regex(/^\d{19}$/);
const count = z.number().int().nonnegative();
const Value = z.union([
  z.object({ stringValue: z.string() }),
  z.object({ intValue: z.number().int() }),
  z.object({ doubleValue: z.number() }),
]);
const attributes = z.array(z.object({ key: z.string().min(1), value: Value }));
const resource = z.object({ attributes });
const scope = z.object({ name: z.string(), version: z.string() });
const point = { startTimeUnixNano: nanos, timeUnixNano: nanos, attributes };

const Span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.number().int().min(1).max(5),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes,
  status: z.object({ code: z.union([z.literal(0), z.literal(2)]), message: z.string().optional() }),
});
const Traces = z.object({
  resourceSpans: z.array(z.object({ resource, scopeSpans: z.array(z.object({ scope, spans: z.array(Span) })) })),
});

const numbers = z.array(z.object({ ...point, asDouble: z.number() }));
const Histogram = z.object({
  ...point,
  count,
  sum: z.number(),
  bucketCounts: z.array(count),
  explicitBounds: z.array(z.number()),
});
const Metric = z.object({
  name: z.string().min(1),
  description: z.string(),
  sum: z.object({ aggregationTemporality: z.literal(2), isMonotonic: z.boolean(), dataPoints: numbers }).optional(),
  gauge: z.object({ dataPoints: numbers }).optional(),
  histogram: z.object({ aggregationTemporality: z.literal(2), dataPoints: z.array(Histogram) }).optional(),
});
const Metrics = z.object({
  resourceMetrics: z.array(z.object({ resource, scopeMetrics: z.array(z.object({ scope, metrics: z.array(Metric) })) })),
});

describe('the telemetry of a command', () => {
  const spans: z.infer<typeof Span>[] = [];
  const metrics: z.infer<typeof Metric>[] = [];
  const asked: (string | undefined)[] = [];
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-otlp-'));
    const collector = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      asked.push(`${request.method} ${request.headers['content-type']} ${request.headers['x-team']}`);
      if (request.url === '/base/v1/traces')
        for (const each of Traces.parse(body).resourceSpans) spans.push(...each.scopeSpans.flatMap((one) => one.spans));
      if (request.url === '/base/v1/metrics')
        for (const each of Metrics.parse(body).resourceMetrics) metrics.push(...each.scopeMetrics.flatMap((one) => one.metrics));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => collector.once('listening', resolve));
    const { port } = collector.address() as AddressInfo;
    try {
      const args = ['evolve', 'step', join(samples, 'bad_sort_js'), '--sync', '--seed', '1', '--population', '1', '--no-derive'];
      const ended = await runPeagen(args, folder, {
        ...process.env,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/base/`,
        OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b',
        TRACEPARENT: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
      });
      assert.equal(ended.status, 0, ended.stderr);
    } finally {
      collector.close();
    }
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is one trace, from the command to the executor, in the trace that the command was started in', () => {
    assert.deepEqual(new Set(spans.map(({ traceId }) => traceId)), new Set(['a'.repeat(32)]));
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const wayUp = (span: z.infer<typeof Span> | undefined): string[] =>
      span === undefined ? [] : [span.name, ...wayUp(byId.get(span.parentSpanId ?? ''))];
    const ways = spans.filter(({ name }) => name === 'executor').map((span) => wayUp(span).join(' < '));
    const way = 'executor < handle execute < task execute < peagen/run/start < peagen evolve step';
    assert.ok(ways.includes(way), ways.join('\n'));
    const root = spans.find(({ name }) => name === 'peagen evolve step');
    assert.equal(root?.parentSpanId, 'b'.repeat(16));
    for (const { startTimeUnixNano, endTimeUnixNano } of spans) assert.ok(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano));
  });

  it('has every metric that was counted, with histograms that add up', () => {
    const named = new Map(metrics.map((metric) => [metric.name, metric]));
    const tasks = named.get('worker_task_total')?.sum;
    assert.ok(tasks?.isMonotonic === true && tasks.dataPoints.some(({ asDouble }) => asDouble > 0));
    const durations = named.get('handler_duration_seconds')?.histogram?.dataPoints ?? [];
    assert.ok(durations.length > 0);
    for (const { count: all, bucketCounts, explicitBounds } of durations) {
      assert.equal(bucketCounts.length, explicitBounds.length + 1);
      assert.equal(
        bucketCounts.reduce((sum, each) => sum + Number(each), 0),
        Number(all),
      );
    }
  });

  it('costs a command one line when no collector answers', async () => {
    const ended = await runPeagen(['runs', 'list'], folder, {
      ...process.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
      OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    });
    assert.equal(ended.status, 0, ended.stderr);
    assert.equal(ended.stderr.match(/^The collector http:\/\/127\.0\.0\.1:1 gets no telemetry: /gm)?.length, 1, ended.stderr);
  });

  it('is sent as JSON, with the headers that the environment names', () => {
    assert.ok(asked.length >= 2);
    assert.deepEqual(new Set(asked), new Set(['POST application/json a b']));
  });
});
