/** What comes out of a sandbox: standard output by lines, the end of standard error, and a bound on both together. */

/** How much standard error is kept: a traceback is at its end. */
const STDERR_KEPT = 16 * 1024;

export class Output {
  private readonly lines: string[] = [];
  private readonly readers: ((line: string | undefined) => void)[] = [];
  private partial: Buffer[] = [];
  private errors = Buffer.alloc(0);
  private bytes = 0;
  private open = true;
  private readonly mostBytes: number;
  private readonly flooded: () => void;

  constructor(mostBytes: number, flooded: () => void) {
    this.mostBytes = mostBytes;
    this.flooded = flooded;
  }

  stdout(chunk: Buffer): void {
    if (!this.count(chunk)) return;
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.partial, chunk.subarray(from, at)]).toString('utf8');
      this.partial = [];
      from = at + 1;
      const reader = this.readers.shift();
      if (reader === undefined) this.lines.push(line);
      else reader(line);
    }
    if (from < chunk.length) this.partial.push(chunk.subarray(from));
  }

  stderr(chunk: Buffer): void {
    if (this.count(chunk)) this.errors = Buffer.concat([this.errors, chunk]).subarray(-STDERR_KEPT);
  }

  /** The next line; undefined once there will be none. */
  receive(): Promise<string | undefined> {
    const line = this.lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    return this.open ? new Promise((done) => this.readers.push(done)) : Promise.resolve(undefined);
  }

  end(): void {
    this.open = false;
    for (const reader of this.readers.splice(0)) reader(undefined);
  }

  get errorText(): string {
    return this.errors.toString('utf8');
  }

  private count(chunk: Buffer): boolean {
    this.bytes += chunk.length;
    if (this.bytes <= this.mostBytes) return true;
    this.flooded();
    return false;
  }
}
