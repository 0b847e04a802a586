/**
 * The metrics and health of a daemon or a worker over HTTP, for Prometheus and probes. Off unless `PEAGEN_METRICS_PORT` is set;
 * on the loopback only, unless `PEAGEN_METRICS_HOST` names another address of this machine.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { PeagenError } from '../../shared/errors.ts';
import { metricsRegistry } from './metrics.ts';

/** Ready: undefined; else why not. */
export type Readiness = () => string | undefined;

/** Serves on the port of `PEAGEN_METRICS_PORT`, when it is set. Returns the port; throws `invalid_input` or `conflict`. */
export async function serveMetricsOf(env: NodeJS.ProcessEnv, notReady: Readiness): Promise<number | undefined> {
  const port = env['PEAGEN_METRICS_PORT'];
  if (port === undefined || port === '') return undefined;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new PeagenError('invalid_input', `PEAGEN_METRICS_PORT is "${port}", which is not a port.`);
  }
  await serveMetrics(Number(port), notReady, env['PEAGEN_METRICS_HOST'] || LOOPBACK);
  return Number(port);
}

const LOOPBACK = '127.0.0.1';

/** Rejects with `conflict` when the port is taken. */
export async function serveMetrics(port: number, notReady: Readiness, host = LOOPBACK): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string, type = 'text/plain; charset=utf-8') => {
      response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' });
      response.end(request.method === 'HEAD' ? undefined : body);
    };
    // A page in a browser may reach the loopback under a name of its own.
    const named = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/.test(request.headers.host ?? '');
    if (host === LOOPBACK && !named) return answer(403, 'forbidden\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, 'only GET\n');
    switch (request.url) {
      case '/metrics':
        metricsRegistry.metrics().then(
          (text) => answer(200, text, metricsRegistry.contentType),
          (caught: unknown) => answer(500, `${PeagenError.from(caught).line}\n`),
        );
        return;
      case '/healthz':
        return answer(200, 'ok\n');
      case '/readyz': {
        const reason = notReady();
        return reason === undefined ? answer(200, 'ready\n') : answer(503, `${reason}\n`);
      }
      default:
        return answer(404, 'there is /metrics, /healthz and /readyz\n');
    }
  });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw new PeagenError('conflict', `Port ${port} for the metrics cannot be used (${(cause as NodeJS.ErrnoException).code}).`, {
      hint: 'Choose another with PEAGEN_METRICS_PORT.',
      cause,
    });
  }
  // The endpoint serves as long as the process lives, and does not make it live.
  return server.unref();
}
