/**
 * Whether this process has loaded the metrics. A one-shot worker asks here, since loading prom-client costs it more than
 * Node's own start, and most tasks count nothing.
 */
import type { Registry } from 'prom-client';

export const loaded: { metrics: Registry | undefined } = { metrics: undefined };
