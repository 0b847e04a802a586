/** The engines of a daemon, one for each configuration that a client came with. All keep their runs in one workspace. */
import type { RunId } from '../../shared/ids.ts';
import type { ConfigSettings } from '../../shared/protocol/session.ts';
import type { Engine, RunListener } from '../engine/engine.ts';
import { EngineHost, type EngineSource } from './engine-host.ts';
import { OwnQueues } from './own-queues.ts';

/** `undefined`: the workspace's own configuration. */
export type OpenSource = (settings: ConfigSettings | undefined) => EngineSource;

export class Engines {
  private readonly hosts = new Map<string, EngineHost>();
  private readonly open: OpenSource;
  private readonly listener: RunListener;

  constructor(open: OpenSource, listener: RunListener) {
    this.open = open;
    this.listener = listener;
  }

  /** The host of a configuration, made when it is first asked for. */
  host(settings: ConfigSettings | undefined): EngineHost {
    const key = keyOf(settings);
    const host = this.hosts.get(key) ?? new EngineHost(this.open(settings), this.listener);
    this.hosts.set(key, host);
    return host;
  }

  /** Engines that are open. */
  get current(): Engine[] {
    return [...this.hosts.values()].flatMap(({ current }) => (current === undefined ? [] : [current]));
  }

  /** The engine that works on a run. */
  ownerOf(run: RunId): Engine | undefined {
    return this.current.find((engine) => engine.running().includes(run));
  }

  running(): RunId[] {
    return this.current.flatMap((engine) => engine.running());
  }

  /** What waits in the queues of all engines, and their dead letters. */
  ownQueues(): OwnQueues {
    return new OwnQueues(this.current.flatMap((engine) => engine.ownQueues()));
  }

  trouble(): string | undefined {
    for (const engine of this.current) {
      const trouble = engine.trouble();
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  /** Rejects with the first that cannot follow its configuration yet; the others have followed theirs. */
  async refresh(): Promise<void> {
    const followed = await Promise.allSettled([...this.hosts.values()].map((host) => host.refresh()));
    for (const each of followed) if (each.status === 'rejected') throw each.reason;
  }

  /** Closes what neither works nor is for one of these configurations. The workspace's own stays. */
  async keepOnly(used: readonly (ConfigSettings | undefined)[]): Promise<void> {
    const kept = new Set([undefined, ...used].map(keyOf));
    const idle = [...this.hosts].filter(([key, host]) => !kept.has(key) && !host.busy);
    for (const [key] of idle) this.hosts.delete(key);
    await Promise.all(idle.map(([, host]) => host.close()));
  }

  async close(): Promise<void> {
    await Promise.all([...this.hosts.values()].map((host) => host.close()));
  }
}

function keyOf(settings: ConfigSettings | undefined): string {
  return settings === undefined ? '' : JSON.stringify(settings);
}
