/**
 * The lines that most of a parent's work is done in, which its questions show. They are counted once for each program, in a
 * task of its own that times nothing. They are advice: a program whose lines cannot be counted is asked about without them.
 */
import type { Sha256 } from '../../../shared/ids.ts';
import { type HotLine, isCorrect } from '../../../shared/judging.ts';
import { type Basis, ExecuteData } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { CapTag, Task } from '../../../shared/task.ts';
import type { Log } from '../../telemetry/log.ts';
import type { RunState } from '../run/state/run-state.ts';
import { namedExecuteTask } from '../tasks.ts';

/** A program whose evaluation took longer is not run once more. */
const LONGEST_MS = 20_000;

interface LineCountDeps {
  readonly state: RunState;
  readonly basis: Basis;
  readonly executeRequires: readonly CapTag[];
  readonly log: Log;
  program(sha256: Sha256): Promise<Program>;
  runTask(task: Task): Promise<unknown>;
}

export class LineCounts {
  private readonly deps: LineCountDeps;
  private readonly counted = new Map<Sha256, Promise<HotLine[]>>();

  constructor(deps: LineCountDeps) {
    this.deps = deps;
  }

  of(sha256: Sha256): Promise<HotLine[]> {
    const known = this.deps.state.known.get(sha256);
    if (known === undefined || !isCorrect(known.outcome) || (known.metrics['speed_ms'] ?? 0) > LONGEST_MS)
      return Promise.resolve([]);
    let lines = this.counted.get(sha256);
    if (lines === undefined) {
      lines = this.count(sha256);
      this.counted.set(sha256, lines);
    }
    return lines;
  }

  private async count(sha256: Sha256): Promise<HotLine[]> {
    const { state, basis, executeRequires, log, program, runTask } = this.deps;
    try {
      const payload = {
        mode: 'lines' as const,
        basis,
        program: await program(sha256),
        deterministic: false,
        effort: 'quick' as const,
      };
      const task = namedExecuteTask(state.scope, `lines/${sha256}`, payload, executeRequires);
      return ExecuteData.parse(await runTask(task)).lines ?? [];
    } catch (caught) {
      log.debug({ err: caught, sha256 }, 'the lines of a program were not counted');
      return [];
    }
  }
}
