/**
 * Spans of a trace, as W3C trace context names them (https://www.w3.org/TR/trace-context/): what runs inside of `traced` is a
 * child of the span that it began. Nothing is made while nobody listens.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';

export interface TraceSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** Milliseconds since the epoch, with fractions. */
  readonly start: number;
  readonly end: number;
  /** In one line; undefined when it succeeded. */
  readonly error: string | undefined;
}

/** As OpenTelemetry has it: the submitter of a task is a producer, its worker a consumer. */
type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

type Listener = (span: TraceSpan) => void;

interface Context {
  readonly traceId: string;
  readonly spanId: string;
}

const current = new AsyncLocalStorage<Context | undefined>();
let listener: Listener | undefined;

/** Calls the listener with every span that ends from now on; undefined removes it. */
export function onSpans(hear: Listener | undefined): void {
  listener = hear;
}

/** A span that another process of ours has ended; see `report` in fabric/worker/ipc.ts. */
export function passSpan(span: TraceSpan): void {
  listener?.(span);
}

/** The context of what runs now, for another process: `00-<trace>-<span>-01`. */
export function traceparent(): string | undefined {
  const at = current.getStore();
  return at === undefined ? undefined : `00-${at.traceId}-${at.spanId}-01`;
}

/** Undefined for what is not a context of version 00, and for one that is not sampled. */
function parseTraceparent(text: string | undefined): Context | undefined {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId) || (Number.parseInt(flags, 16) & 1) === 0) return undefined;
  return { traceId, spanId };
}

interface SpanOptions {
  readonly kind?: SpanKind;
  /** In place of the span that this one begins in. */
  readonly parent?: string | undefined;
  readonly attributes?: Readonly<Record<string, string | number | undefined>>;
}

/** Runs `work` in a span. What it throws is thrown, and is the span's error. */
export async function traced<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  const hear = listener;
  if (hear === undefined) return await work();
  const parent = options.parent === undefined ? current.getStore() : parseTraceparent(options.parent);
  const context = { traceId: parent?.traceId ?? randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
  const start = now();
  const end = (error: string | undefined) => {
    const { kind = 'internal', attributes = {} } = options;
    const known = Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
    hear({ ...context, parentId: parent?.spanId, name, kind, attributes: Object.fromEntries(known), start, end: now(), error });
  };
  try {
    const result = await current.run(context, work);
    end(undefined);
    return result;
  } catch (caught) {
    end((caught instanceof Error ? caught.message : String(caught)).split('\n')[0]);
    throw caught;
  }
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
