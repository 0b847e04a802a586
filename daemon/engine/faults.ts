/** Whose fault a failure is. */
import type { ErrorCode, PeagenError } from '../../shared/errors.ts';

/** A worker that died of it or gave up on it, and a test that now and then fails on the original too. */
const candidates: readonly ErrorCode[] = ['internal', 'timeout', 'original_fails'];

/** A model or its editor that is away for a while. */
const passing: readonly ErrorCode[] = ['internal', 'timeout', 'backend_failed', 'unavailable'];

/** Poison for its worker, not a fault of the system: the run goes on without it. */
export function isCandidatesFault(error: PeagenError): boolean {
  return candidates.includes(error.code);
}

/** The next attempt at a mutation can succeed. */
export function isPassing(error: PeagenError): boolean {
  return passing.includes(error.code);
}

/** A run that ends with it can be resumed: it was interrupted, or its records could not be written. */
export function leavesRunOpen(error: PeagenError): boolean {
  return error.code === 'cancelled' || error.code === 'storage_failed';
}
