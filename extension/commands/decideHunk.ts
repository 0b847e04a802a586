/** Accept and reject: from a CodeLens, a thread's button (the thread is the argument), or the key (the hunk at the cursor). */
import type { Peagen } from '../peagen.ts';

export async function acceptHunk(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const target = reviews.navigation.resolve(at);
  if (target !== undefined) await reviews.decisions.accept(target.review, [target.hunk]);
}

export async function rejectHunk(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const target = reviews.navigation.resolve(at);
  if (target !== undefined) await reviews.decisions.reject(target.review, [target.hunk]);
}

export async function acceptAll(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.navigation.resolve(at)?.review ?? reviews.current();
  if (review !== undefined) await reviews.decisions.accept(review, review.pending());
}

export async function rejectAll(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.navigation.resolve(at)?.review ?? reviews.current();
  if (review !== undefined) await reviews.decisions.reject(review, review.open());
}

/** Everything that is open, each change confirmed in the editor's Refactor Preview. */
export async function previewAll(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.navigation.resolve(at)?.review ?? reviews.current();
  if (review !== undefined) await reviews.decisions.accept(review, review.pending(), true);
}
