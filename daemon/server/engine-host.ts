/**
 * Holds the one engine of a daemon: opened when it is first needed, opened again when the configuration has changed and
 * nothing is under way. While something is, what begins uses the queue that the configuration names now.
 */
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { RunId } from '../../shared/ids.ts';
import type { Engine, RunListener } from '../engine/engine.ts';

export interface FabricInfo {
  queue: string;
  sandbox: string;
  /** What a user should know of the sandbox. */
  warning?: string | undefined;
}

export interface EngineSource {
  open(): Promise<Engine>;
  /** Changes when the configuration does. */
  stamp(): string;
  /** Gives an engine that cannot be closed now the queue that new runs are to use. */
  refresh(engine: Engine): Promise<void>;
  /** How the engine works that was opened last. */
  fabric(): Promise<FabricInfo>;
  /** The configuration as it is now, with what was chosen in an editor. */
  config(): Promise<Config>;
}

export class EngineHost {
  readonly source: EngineSource;
  private readonly listener: RunListener;
  private engine: { value: Engine; stamp: string; refreshed: string } | undefined;
  private opening: Promise<Engine> | undefined;
  private closed = false;

  constructor(source: EngineSource, listener: RunListener) {
    this.source = source;
    this.listener = listener;
  }

  /** The engine, with the configuration as it is now, unless work under way holds on to the one it began with. */
  get(): Promise<Engine> {
    this.opening ??= this.upToDate().finally(() => {
      this.opening = undefined;
    });
    return this.opening;
  }

  /** Runs hold on to a configuration that is not the one of now. */
  get outdated(): boolean {
    return this.engine !== undefined && this.engine.stamp !== this.source.stamp();
  }

  get busy(): boolean {
    return this.opening !== undefined || this.engine?.value.working() === true;
  }

  /** The engine, when it is open. */
  get current(): Engine | undefined {
    return this.engine?.value;
  }

  running(): RunId[] {
    return this.current?.running() ?? [];
  }

  /** Call now and then: a client that waits for a run makes no request. Rejects when the configuration cannot be followed yet. */
  async refresh(): Promise<void> {
    const { engine, source } = this;
    if (engine === undefined || this.closed || !engine.value.working()) return;
    const stamp = source.stamp();
    if (stamp === engine.refreshed) return;
    await source.refresh(engine.value);
    engine.refreshed = stamp;
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.opening?.catch(() => undefined);
    const engine = this.current;
    this.engine = undefined;
    await engine?.close();
  }

  private async upToDate(): Promise<Engine> {
    const stamp = this.source.stamp();
    if (this.engine !== undefined) {
      if (this.engine.stamp === stamp || this.engine.value.working()) return this.engine.value;
      const old = this.engine.value;
      this.engine = undefined;
      await old.close();
    }
    const value = await this.source.open();
    if (this.closed) {
      await value.close();
      throw new PeagenError('unavailable', 'The daemon is ending.', { hint: 'Try again: a new one starts.' });
    }
    value.subscribe(this.listener);
    this.engine = { value, stamp, refreshed: stamp };
    return value;
  }
}
