/** Going from hunk to hunk, the diff of a whole file, and the end of a review. */
import type { Peagen } from '../peagen.ts';

export async function nextHunk(peagen: Peagen): Promise<void> {
  await (await peagen.reviews()).move(1);
}

export async function previousHunk(peagen: Peagen): Promise<void> {
  await (await peagen.reviews()).move(-1);
}

export async function showDiff(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const target = reviews.resolve(at);
  if (target !== undefined) await reviews.diff(target.review, target.hunk);
}

export async function closeReview(peagen: Peagen): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.current();
  if (review !== undefined) reviews.close(review);
}
