/** A user's part in a run that is in progress: programs of their own, and wishes about its elites. */
import * as z from 'zod';
import { RunId, Sha256 } from '../ids.ts';
import { request } from './message.ts';

const OneElite = z.object({ run: RunId, sha256: Sha256 });

/**
 * Client → daemon: enters a user's own edit as a candidate, with origin `user`. `text` is the whole text of the run's
 * target file; `parent` the elite that it was made from, else the original. Answers when the program is in the journal;
 * the events `submitted` and `judged` with its `sha256` tell what becomes of it. Errors: `invalid_input` (it does not parse,
 * changes what may not change, or changes nothing), `conflict` (the run has made the same program, or judges its best),
 * `not_found` (it is over).
 */
export const SubmitCandidate = request(
  'peagen/run/submit',
  z.object({ run: RunId, text: z.string(), parent: Sha256.optional() }),
  z.object({ sha256: Sha256 }),
);

/** Client → daemon: the next free slot crosses two elites; its `selected` event names both. */
export const CrossElites = request('peagen/run/cross', z.object({ run: RunId, a: Sha256, b: Sha256 }), z.object({}));

/** Client → daemon: the next slots, as many as a generation has, descend from this elite. */
export const UseAsParent = request('peagen/run/parent', OneElite, z.object({}));

/** Client → daemon: keeps an elite in the list of elites and in the mutators' view, whatever beats it, or no longer does. */
export const PinElite = request('peagen/run/pin', OneElite.extend({ pinned: z.boolean() }), z.object({}));

/** Client → daemon: takes an elite out of the archive for good; it is neither a parent any more nor announced. */
export const DiscardElite = request('peagen/run/discard', OneElite, z.object({}));
