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

/** One line about a worker's end, with the first thing that it said about its error. */
export function crashLine(code: number | null, log: string): string {
  const said = log
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('{') && !line.startsWith('at ') && !line.startsWith('worker exit:'));
  const how = code === null ? 'The worker was killed' : `The worker exited with status ${code}`;
  return `${how}${said[0] === undefined ? '.' : `: ${said[0].slice(0, 300)}`}`;
}
