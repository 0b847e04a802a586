/** The lanes of a workspace as this process knows them, and for each set of tags those it may claim from, in order. */
import * as z from 'zod';
import type { CapTag } from '../../../shared/task.ts';
import { eligibleLanes, type LaneName, parseLane } from '../lanes.ts';
import type { Connection } from './connection/connection.ts';

/** A busy worker never finds its lanes empty, so it looks for new ones from time to time. */
const STALE_MS = 1000;

interface KnownLanes {
  /** In claim order. */
  readonly names: readonly string[];
  /** Lanes of the workspace, all of them: returns whether one was added since. */
  readonly count: number;
}

export class LaneCache {
  private readonly connection: Connection;
  private readonly key: string;
  private lanes: LaneName[] = [];
  private count = -1;
  private readAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | undefined;
  private byCaps = new WeakMap<ReadonlySet<CapTag>, KnownLanes>();

  constructor(connection: Connection, prefix: string) {
    this.connection = connection;
    this.key = `${prefix}lanes`;
  }

  async current(caps: ReadonlySet<CapTag>): Promise<KnownLanes> {
    if (this.count < 0) await this.read();
    else if (performance.now() - this.readAt > STALE_MS) void this.read().catch(() => undefined);
    return this.of(caps);
  }

  of(caps: ReadonlySet<CapTag>): KnownLanes {
    let known = this.byCaps.get(caps);
    if (known === undefined) {
      known = { names: eligibleLanes(this.lanes, caps).map((lane) => lane.name), count: Math.max(0, this.count) };
      this.byCaps.set(caps, known);
    }
    return known;
  }

  /** Reads the lanes again when there are more or fewer than known; true when it did. */
  async outdated(count: number): Promise<boolean> {
    if (count === this.count) return false;
    await this.read();
    return true;
  }

  private read(): Promise<void> {
    this.reading ??= this.fetch().finally(() => {
      this.reading = undefined;
    });
    return this.reading;
  }

  private async fetch(): Promise<void> {
    this.readAt = performance.now();
    const names = z.array(z.instanceof(Buffer)).parse(await this.connection.ask('smembers', [this.key]));
    const lanes = names.flatMap((name) => parseLane(name.toString()) ?? []);
    const known = new Set(this.lanes.map(({ name }) => name));
    // Compared by name: a server that lost its data may have as many lanes as before, but others.
    if (names.length === this.count && lanes.every(({ name }) => known.has(name))) return;
    this.lanes = lanes;
    this.count = names.length;
    this.byCaps = new WeakMap();
  }
}
