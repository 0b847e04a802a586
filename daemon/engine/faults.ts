/** Whose fault a failure is. */
import type { PeagenError } from '../../shared/errors.ts';

/** Poison for its worker, not a fault of the system: the run goes on without it. */
export function isCandidatesFault(error: PeagenError): boolean {
  return error.code === 'internal' || error.code === 'timeout';
}
