/** The stub's dead letters: records that will not be tried again, in the order they died. */
import type { DeadLetter, DeadLetterQueue } from '../queue.ts';
import type { TaskRecord } from './lane.ts';

export class StubDeadLetters implements DeadLetterQueue {
  private readonly dead: ReadonlyMap<string, TaskRecord>;
  private readonly does: { revive: (record: TaskRecord) => void; drop: (record: TaskRecord) => void };

  constructor(
    dead: ReadonlyMap<string, TaskRecord>,
    does: { revive: (record: TaskRecord) => void; drop: (record: TaskRecord) => void },
  ) {
    this.dead = dead;
    this.does = does;
  }

  async list(options: { limit?: number; offset?: number } = {}): Promise<DeadLetter[]> {
    const { limit = Number.POSITIVE_INFINITY, offset = 0 } = options;
    return [...this.dead.values()].slice(offset, offset + limit).map((record) => this.letter(record));
  }

  async inspect(id: string): Promise<DeadLetter | undefined> {
    const record = this.dead.get(id);
    return record === undefined ? undefined : this.letter(record);
  }

  async retry(ids?: readonly string[]): Promise<number> {
    return this.each(ids, this.does.revive);
  }

  async purge(ids?: readonly string[]): Promise<number> {
    return this.each(ids, this.does.drop);
  }

  letter(record: TaskRecord): DeadLetter {
    return {
      id: record.task.id,
      reason: record.reason,
      code: record.code,
      died_at: new Date(record.at).toISOString(),
      lane: record.lane.info.name,
      attempts: record.task.attempts,
      task: record.task,
    };
  }

  private each(ids: readonly string[] | undefined, act: (record: TaskRecord) => void): number {
    const chosen = [...new Set(ids ?? this.dead.keys())].flatMap((id) => this.dead.get(id) ?? []);
    for (const record of chosen) act(record);
    return chosen.length;
  }
}
