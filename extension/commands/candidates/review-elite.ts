/** Opens an elite as an inline proposal in the editor; or takes all of it over at once, as one step of undo. */
import type { EliteDetail } from '../../../shared/run.ts';
import type { Peagen } from '../../peagen.ts';
import { measuredOf, whyOf } from '../../review/facts.ts';
import type { WindowRun } from '../../runs/runs.ts';
import { speedIn, targetName } from '../../words.ts';
import { offerNext } from './after-review.ts';
import { chosenElite } from './chosen-elite.ts';

export async function reviewElite(peagen: Peagen, node?: unknown): Promise<void> {
  await openElite(peagen, await chosenElite(peagen, node));
}

export async function applyElite(peagen: Peagen, node?: unknown): Promise<void> {
  const reviewId = await openElite(peagen, await chosenElite(peagen, node));
  const reviews = await peagen.reviews();
  const review = reviews.navigation.resolve({ reviewId, hunkId: '' })?.review;
  if (review === undefined) return;
  await reviews.decisions.accept(review, review.pending());
  offerNext(peagen, review);
}

/** Returns the review's id. */
export async function openElite(peagen: Peagen, { run, detail }: { run: WindowRun; detail: EliteDetail }): Promise<string> {
  const reviews = await peagen.reviews();
  const id = `${detail.run}:${detail.elite.sha256}`;
  await reviews.open({
    id,
    root: run.root,
    title: `${targetName(run.info)} · ${speedIn(run.info, detail.elite)}`,
    why: whyOf(detail),
    metrics: measuredOf(detail, run.info),
    changes: detail.changes,
    elite: detail,
  });
  return id;
}
