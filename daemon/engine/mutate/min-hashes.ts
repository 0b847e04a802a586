/** Sketches of a run's programs, made when they are first compared. */
import type { Sha256 } from '../../../shared/ids.ts';
import type { Program } from '../../../shared/program.ts';
import { minHashOf } from '../../evolution/min-hash.ts';

/** Each takes 700 bytes. */
const KEPT = 4096;

export class MinHashes {
  private readonly program: (sha256: Sha256) => Promise<Program>;
  private readonly known = new Map<Sha256, Promise<string>>();

  constructor(program: (sha256: Sha256) => Promise<Program>) {
    this.program = program;
  }

  of(programs: readonly Sha256[]): Promise<string[]> {
    return Promise.all(programs.map((sha256) => this.one(sha256)));
  }

  private one(sha256: Sha256): Promise<string> {
    const known = this.known.get(sha256);
    if (known !== undefined) return known;
    const made = this.program(sha256).then(minHashOf);
    this.known.set(sha256, made);
    const [oldest] = this.known.keys();
    if (this.known.size > KEPT && oldest !== undefined) this.known.delete(oldest);
    return made;
  }
}
