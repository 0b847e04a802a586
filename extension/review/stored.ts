/**
 * Open reviews on disk, so that they survive the window: one file each in the workspace's storage, written when a hunk
 * is decided. Two windows on one folder write their own reviews only. Texts of files are in there, which is why this is
 * not the editor's key-value store.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { RelativePath } from '../../shared/program.ts';
import type { OpenReviews } from './open-reviews.ts';
import { Review } from './review.ts';

const StoredReview = z.object({
  proposal: z.object({
    id: z.string().min(1),
    root: z.string().min(1),
    title: z.string(),
    why: z.string(),
    metrics: z.string(),
    changes: z.array(z.object({ path: RelativePath, before: z.string(), after: z.string() })).min(1),
  }),
  files: z.array(
    z.object({
      /** Where it is now: it may have been renamed. */
      uri: z.string().min(1),
      kind: z.enum(['edit', 'create', 'delete']),
      states: z.record(z.string(), z.enum(['pending', 'accepted', 'rejected', 'conflict', 'stale'])),
    }),
  ),
});
type StoredReview = z.infer<typeof StoredReview>;

export class StoredReviews implements vscode.Disposable {
  private readonly reviews: OpenReviews;
  private readonly folder: string | undefined;
  private readonly log: vscode.LogOutputChannel;
  private readonly subscription: vscode.Disposable;
  /** State in which this window's reviews are on disk, by file name; their texts never change. */
  private readonly written = new Map<string, string>();
  private chain: Promise<unknown> = Promise.resolve();

  /** Without a folder (a window without a workspace) reviews live as long as the window. */
  constructor(reviews: OpenReviews, storage: vscode.Uri | undefined, log: vscode.LogOutputChannel) {
    this.reviews = reviews;
    this.folder = storage?.scheme === 'file' ? join(storage.fsPath, 'reviews') : undefined;
    this.log = log;
    this.subscription = reviews.onDidChange(() => this.changed());
  }

  /** Those that have something left to decide. What cannot be read is left out, with a line in the log. */
  async read(): Promise<Review[]> {
    const folder = this.folder;
    if (folder === undefined) return [];
    const names = await readdir(folder).catch(() => []);
    const reviews: Review[] = [];
    for (const name of names.filter((name) => name.endsWith('.json')).sort()) {
      try {
        const stored = StoredReview.parse(JSON.parse(await readFile(join(folder, name), 'utf8')));
        reviews.push(fromStored(stored));
        this.written.set(name, JSON.stringify(stored.files));
      } catch (caught) {
        this.log.warn(`An earlier review cannot be read from ${join(folder, name)}: ${String(caught)}`);
      }
    }
    return reviews;
  }

  private changed(): void {
    const folder = this.folder;
    if (folder === undefined) return;
    const open = this.reviews.list().filter((review) => review.open().length > 0 || review.hunks().some(isSetAside));
    const wanted = new Map(open.map((review) => [nameOf(review), review]));
    for (const [name, review] of wanted) {
      const state = JSON.stringify(filesOf(review));
      if (this.written.get(name) === state) continue;
      this.written.set(name, state);
      const text = JSON.stringify(toStored(review));
      this.serially(() => write(folder, name, text));
    }
    for (const name of [...this.written.keys()].filter((name) => !wanted.has(name))) {
      this.written.delete(name);
      this.serially(() => rm(join(folder, name), { force: true }));
    }
  }

  private serially(work: () => Promise<void>): void {
    this.chain = this.chain.then(work).catch((caught) => {
      this.log.warn(`Open reviews could not be stored in ${this.folder}: ${String(caught)}`);
    });
  }

  dispose(): void {
    this.subscription.dispose();
  }
}

/** Whole or not at all: the window may end at any moment. */
async function write(folder: string, name: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draft = join(folder, `.${name}.${process.pid}`);
  await writeFile(draft, text);
  await rename(draft, join(folder, name));
}

function nameOf({ id }: Review): string {
  return `${createHash('sha256').update(id).digest('hex').slice(0, 32)}.json`;
}

/** Its file is gone, and may come back. */
function isSetAside({ hunk }: ReturnType<Review['hunks']>[number]): boolean {
  return hunk.state === 'stale';
}

function toStored(review: Review): StoredReview {
  const { id, root, title, why, metrics, changes } = review.proposal;
  return { proposal: { id, root: root.toString(), title, why, metrics, changes: [...changes] }, files: filesOf(review) };
}

function filesOf({ files }: Review): StoredReview['files'] {
  return files.map(({ uri, kind, hunks }) => ({
    uri: uri.toString(),
    kind,
    states: Object.fromEntries(hunks.map((hunk) => [hunk.id, hunk.state])),
  }));
}

function fromStored({ proposal, files }: StoredReview): Review {
  return Review.restored(
    { ...proposal, root: vscode.Uri.parse(proposal.root, true) },
    files.map(({ uri, kind, states }) => ({ uri: vscode.Uri.parse(uri, true), kind, states })),
  );
}
