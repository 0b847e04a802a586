/** Keeps the end of a worker's log, however much it writes. */
import { withoutSecrets } from '../../telemetry/secrets.ts';

const KEPT = 64 * 1024;

export class LogTail {
  private chunks: Buffer[] = [];
  private bytes = 0;

  add(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes > 2 * KEPT) {
      const kept = Buffer.concat(this.chunks).subarray(-KEPT);
      this.chunks = [Buffer.from(kept)];
      this.bytes = kept.length;
    }
  }

  text(): string {
    return withoutSecrets(Buffer.concat(this.chunks).subarray(-KEPT).toString('utf8'));
  }
}

/** The reason in the last line that a worker writes: `worker exit: idle`. */
export function exitReasonOf(code: number | null, log: string): string {
  const said = [...log.matchAll(/^worker exit: ([a-z-]+)$/gm)].at(-1)?.[1];
  return said ?? (code === null ? 'killed' : code === 0 ? 'done' : 'error');
}
