/** Going from hunk to hunk, the diff of a file or of the whole candidate, and the end of a review. */
import type { Peagen } from '../../peagen.ts';

export async function nextHunk(peagen: Peagen): Promise<void> {
  await (await peagen.reviews()).navigation.move(1);
}

export async function previousHunk(peagen: Peagen): Promise<void> {
  await (await peagen.reviews()).navigation.move(-1);
}

export async function showDiff(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const target = reviews.navigation.resolve(at);
  if (target !== undefined) await reviews.navigation.diff(target.review, target.hunk);
}

export async function showChanges(peagen: Peagen, at?: unknown): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.navigation.resolve(at)?.review ?? reviews.current();
  if (review !== undefined) await reviews.navigation.changes(review);
}

export async function closeReview(peagen: Peagen): Promise<void> {
  const reviews = await peagen.reviews();
  const review = reviews.current();
  if (review !== undefined) reviews.close(review);
}
