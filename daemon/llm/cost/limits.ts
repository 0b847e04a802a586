/** Hard limits on what one candidate can cost; the worst case of a run is computed from them. */

/** Attempts for one question that an endpoint may charge for; a candidate's second question has one. */
export const MAX_PAID = 2;

/** Questions for one candidate: the first, and one more with the reason why its answer could not be used. */
export const ASKS_PER_CANDIDATE = 2;

/** How much longer an answer may be when the one before was cut off at its limit. */
export const LONGER = 2;
