/** Accept and reject: from a CodeLens, a thread's button (the thread is the argument), or the key (the hunk at the cursor). */
import type { Peagen } from '../peagen.ts';

export async function acceptHunk(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const target = reviews.resolve(at);
  if (target !== undefined) await reviews.accept(target.review, [target.hunk]);
}

export async function rejectHunk(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const target = reviews.resolve(at);
  if (target !== undefined) await reviews.reject(target.review, [target.hunk]);
}

export async function acceptAll(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.resolve(at)?.review ?? reviews.current();
  if (review !== undefined) await reviews.accept(review, review.pending());
}

export async function rejectAll(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.resolve(at)?.review ?? reviews.current();
  if (review !== undefined) await reviews.reject(review, review.open());
}
