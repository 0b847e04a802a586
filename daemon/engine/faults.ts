/** Whose fault a failure is. */
import type { ErrorCode, PeagenError } from '../../shared/errors.ts';

/** A worker died of the candidate or gave up on it, or a test now and then fails on the original, too. */
const candidates: readonly ErrorCode[] = ['internal', 'timeout', 'original_fails'];

/** A model or its editor is away for a while. */
const passing: readonly ErrorCode[] = ['internal', 'timeout', 'backend_failed', 'unavailable'];

/** The candidate ended its worker. The system is not at fault, and the run goes on without the candidate. */
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
