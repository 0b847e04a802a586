/** Reports when the file that a run evolves has another text on disk. It looks, since editors replace files in many ways. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { TargetSpec } from '../../../shared/run-spec.ts';

const EVERY_MS = 1_000;

export class TargetWatch {
  private readonly file: string;
  private readonly changed: (text: string) => Promise<void>;
  private readonly timer: NodeJS.Timeout;
  private seen: string | undefined;
  private text: string | undefined;
  private looking: Promise<void> | undefined;

  /**
   * `text`: what is known, when that was what is on disk; else whatever stands there first is. `changed` is heard out
   * before the next look.
   */
  constructor({ root, path }: TargetSpec, text: string | undefined, changed: (text: string) => Promise<void>) {
    this.file = join(root, path);
    this.text = text;
    this.changed = changed;
    this.timer = setInterval(() => void this.look(), EVERY_MS);
    this.timer.unref();
  }

  /** Resolves when a change that was found has been heard. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.looking;
  }

  private look(): Promise<void> {
    this.looking ??= this.compare().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  /** A file that is gone, or cannot be read just now, is not an edit. */
  private async compare(): Promise<void> {
    const info = await stat(this.file, { bigint: true }).catch(() => undefined);
    if (info === undefined || !info.isFile()) return;
    const stamp = `${info.mtimeNs} ${info.size} ${info.ino}`;
    if (stamp === this.seen) return;
    const text = await readFile(this.file, 'utf8').catch(() => undefined);
    if (text === undefined) return;
    this.seen = stamp;
    const known = this.text;
    this.text = text;
    if (known !== undefined && text !== known) await this.changed(text);
  }
}
