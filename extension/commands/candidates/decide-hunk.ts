/** Accept and reject: from a CodeLens, a thread's button (the thread is the argument), or the key (the hunk at the cursor). */
import type { Peagen } from '../../peagen.ts';
import { offerNext } from './after-review.ts';

export function acceptHunk(peagen: Peagen, at?: unknown): Promise<void> {
  return decide(peagen, at, 'accept');
}

export function rejectHunk(peagen: Peagen, at?: unknown): Promise<void> {
  return decide(peagen, at, 'reject');
}

/** By key, from change to change: the next one comes into sight, and none is decided that is not. */
async function decide(peagen: Peagen, at: unknown, how: 'accept' | 'reject'): Promise<void> {
  const { navigation, decisions } = await peagen.reviews();
  const target = navigation.resolve(at);
  if (target === undefined) return;
  if (target.byCursor && !navigation.inSight(target)) return await navigation.goTo(target);
  const { review, hunk } = target;
  await decisions[how](review, [hunk]);
  offerNext(peagen, review);
  const open = review.open();
  if (target.byCursor && open.length > 0 && !open.includes(hunk)) await navigation.move(1);
}

export async function acceptAll(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.navigation.resolve(at)?.review ?? reviews.current();
  if (review === undefined) return;
  await reviews.decisions.accept(review, review.pending());
  offerNext(peagen, review);
}

export async function rejectAll(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.navigation.resolve(at)?.review ?? reviews.current();
  if (review === undefined) return;
  await reviews.decisions.reject(review, review.open());
  offerNext(peagen, review);
}

/** Everything that is open, each change confirmed in the editor's Refactor Preview. */
export async function previewAll(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.navigation.resolve(at)?.review ?? reviews.current();
  if (review !== undefined) await reviews.decisions.accept(review, review.pending(), true);
}
