/** Follows the daemon's log file, which is its standard error and its workers', into the window's log, level by level. */
import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type * as vscode from 'vscode';
import { readLogLine } from './log-line.ts';

/** Polled, because that works on every platform and over network drives. */
const LOOK_MS = 1000;
/** Only this much of the end of a longer log is read. */
const MOST_BYTES = 256 * 1024;

export class DaemonLog implements vscode.Disposable {
  private readonly path: string;
  private readonly log: vscode.LogOutputChannel;
  private readonly redact: (text: string) => string;
  private at = 0;
  /** The beginning of a line whose end is not written yet. */
  private begun: Buffer = Buffer.alloc(0);
  private reading: Promise<void> = Promise.resolve();
  private disposed = false;

  /** What is in the file already is an earlier window's. */
  static async follow(path: string, log: vscode.LogOutputChannel, redact: (text: string) => string): Promise<DaemonLog> {
    const follower = new DaemonLog(path, log, redact);
    follower.at = (await stat(path).catch(() => undefined))?.size ?? 0;
    watchFile(path, { interval: LOOK_MS, persistent: false }, follower.look);
    return follower;
  }

  private constructor(path: string, log: vscode.LogOutputChannel, redact: (text: string) => string) {
    this.path = path;
    this.log = log;
    this.redact = redact;
  }

  private readonly look = ({ size }: Pick<Stats, 'size'>): Promise<void> => {
    this.reading = this.reading
      .then(() => this.read(size))
      .catch((caught: unknown) => {
        if (!this.disposed) this.log.debug(`Reading the daemon's log: ${String(caught)}`);
      });
    return this.reading;
  };

  private async read(size: number): Promise<void> {
    // A daemon that starts sets a long log aside.
    if (size < this.at) this.jump(0);
    if (size - this.at > MOST_BYTES) this.jump(size - MOST_BYTES);
    if (size === this.at || this.disposed) return;
    const file = await open(this.path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(size - this.at), 0, size - this.at, this.at);
      this.at += bytesRead;
      const bytes = Buffer.concat([this.begun, buffer.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf('\n') + 1;
      this.begun = bytes.subarray(end);
      if (this.disposed) return;
      for (const line of bytes.toString('utf8', 0, end).split('\n')) this.tell(line);
    } finally {
      await file.close();
    }
  }

  private jump(to: number): void {
    this.at = to;
    this.begun = Buffer.alloc(0);
  }

  private tell(line: string): void {
    const read = readLogLine(line);
    if (read !== undefined) this.log[read.level](this.redact(`daemon: ${read.text}`));
  }

  /** With the last words of a daemon that has ended. */
  async end(): Promise<void> {
    unwatchFile(this.path, this.look);
    const found = await stat(this.path).catch(() => undefined);
    if (found !== undefined) await this.look(found);
    this.dispose();
  }

  dispose(): void {
    this.disposed = true;
    unwatchFile(this.path, this.look);
  }
}
