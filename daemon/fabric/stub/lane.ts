/** One lane of the stub: first in, first out, in amortised constant time, with lazy removal of records that have left. */
import type { ErrorCode } from '../../../shared/errors.ts';
import type { Task } from '../../../shared/task.ts';
import { metrics } from '../../telemetry/metrics.ts';
import type { LaneName } from '../lanes.ts';

/** A task that is not done. `waiting` is in its lane, the others are in exactly one of claimed, delayed, dead. */
export interface TaskRecord {
  task: Task;
  readonly lane: Lane;
  readonly enqueuedAt: number;
  state: 'waiting' | 'claimed' | 'delayed' | 'dead' | 'done';
  /** Times it has been claimed; the claim's `attempt`. */
  claims: number;
  /** Holder, while claimed. */
  worker: string;
  /** End of the lease while claimed, due time while delayed, time of death while dead. */
  at: number;
  reason: string;
  code: ErrorCode;
  /** Place in the lane; a record put back leaves its older place as a hole. */
  ticket: number;
}

const COMPACT_AT = 1024;

export class Lane {
  readonly info: LaneName;
  waiting = 0;
  /** The counters of this lane's kind: looked up once. */
  readonly acks: { inc: () => void };
  readonly deaths: { inc: () => void };
  private places: { record: TaskRecord; ticket: number }[] = [];
  private head = 0;
  private tickets = 0;

  constructor(info: LaneName) {
    this.info = info;
    this.acks = metrics.queueAck.labels({ kind: info.kind });
    this.deaths = metrics.queueDead.labels({ kind: info.kind });
  }

  push(record: TaskRecord): void {
    this.tickets += 1;
    record.state = 'waiting';
    record.ticket = this.tickets;
    this.places.push({ record, ticket: this.tickets });
    this.waiting += 1;
  }

  /** The oldest waiting record, which stays. */
  peek(): TaskRecord | undefined {
    while (this.head < this.places.length) {
      const place = this.places[this.head];
      if (place !== undefined && place.record.state === 'waiting' && place.record.ticket === place.ticket) return place.record;
      this.skip();
    }
    return undefined;
  }

  shift(): TaskRecord | undefined {
    const record = this.peek();
    if (record === undefined) return undefined;
    this.skip();
    this.waiting -= 1;
    return record;
  }

  /** The caller gives the record its next state; its place becomes a hole. */
  leave(record: TaskRecord): void {
    record.ticket = 0;
    this.waiting -= 1;
  }

  private skip(): void {
    this.head += 1;
    if (this.head >= COMPACT_AT && this.head * 2 >= this.places.length) {
      this.places = this.places.slice(this.head);
      this.head = 0;
    }
  }
}
