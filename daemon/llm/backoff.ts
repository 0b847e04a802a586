/** How long to wait before asking again. Pure. */

const BASE_MS = 500;
const CAP_MS = 20_000;

/**
 * Milliseconds before attempt `failures + 1`. What the endpoint asked for is a floor; beyond it, exponential with full
 * jitter (M. Brooker, "Exponential Backoff and Jitter", 2015), so that many workers do not come back together.
 * `random` in [0, 1).
 */
export function backoffMs(failures: number, retryAfterMs: number | undefined, random: number, baseMs = BASE_MS): number {
  const ceiling = Math.min(Math.max(CAP_MS, baseMs), baseMs * 2 ** (failures - 1));
  return retryAfterMs === undefined ? ceiling * random : retryAfterMs + Math.min(ceiling, baseMs) * random;
}
