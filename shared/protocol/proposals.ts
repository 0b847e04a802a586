/** An elite that an agent or a command line wants to have reviewed in the editor. */
import * as z from 'zod';
import { RunId, Sha256 } from '../ids.ts';
import { notification, request } from './message.ts';

const OneElite = z.object({ run: RunId, sha256: Sha256 });

/** Client → daemon, on connecting: this client shows proposals to a user. */
export const OfferReviews = notification('peagen/review/offer', z.object({}));

/** Client → daemon: asks the clients that show proposals to open this one; nothing is changed before a user accepts it. */
export const ProposeElite = request('peagen/review/propose', OneElite, z.object({ windows: z.number().int().min(0) }));

/** Daemon → client, to those that offered it: open this elite for review. */
export const Proposed = notification('peagen/review/proposed', OneElite);
