/** An agent's connection to the daemon of a workspace: made with the first question, and made again when it was lost. */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type * as z from 'zod';
import type { AgentHost } from '../../shared/agents/tools.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { RunId } from '../../shared/ids.ts';
import type { RequestDefinition } from '../../shared/protocol/message.ts';
import { ListRuns, RunEventNotification } from '../../shared/protocol/runs.ts';
import { DaemonClient } from './client.ts';
import { locate } from './locate.ts';
import { connectOrStart, type Who } from './start.ts';

/** `who`: as which client, and with which configuration, the daemon is asked. */
export function connectAgent(workspace: string, who: Who = { client: 'agent', trusted: true }): AgentHost & { close(): void } {
  return new Agent(workspace, who);
}

class Agent implements AgentHost {
  readonly root: string;
  private readonly place;
  private readonly who: Who;
  private client: Promise<DaemonClient> | undefined;
  private readonly endings = new Map<RunId, Set<() => void>>();

  constructor(workspace: string, who: Who) {
    this.who = who;
    this.place = locate(workspace);
    this.root = this.place.workspace;
  }

  async contains(path: string): Promise<boolean> {
    const real = await realpath(join(this.root, path)).catch(() => undefined);
    return real?.startsWith(this.root.endsWith(sep) ? this.root : this.root + sep) === true;
  }

  async request<P extends z.ZodType, R extends z.ZodType>(
    definition: RequestDefinition<P, R>,
    params: z.input<P>,
    signal: AbortSignal,
  ): Promise<z.infer<R>> {
    signal.throwIfAborted();
    const client = await this.connection();
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(new PeagenError('cancelled', 'The agent withdrew the call.'));
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([client.request(definition, params), aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async ended(run: RunId, ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = this.endings.get(run) ?? new Set();
    this.endings.set(run, waiting.add(resolve));
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => resolve(), { once: true });
    try {
      // It may have ended before we began to listen.
      const info = (await this.request(ListRuns, {}, signal)).find((one) => one.run === run);
      if (info?.state === 'running' || info?.state === 'paused') await promise;
    } finally {
      clearTimeout(timer);
      waiting.delete(resolve);
    }
  }

  close(): void {
    this.client?.then(
      (client) => client.close(),
      () => undefined,
    );
  }

  private connection(): Promise<DaemonClient> {
    this.client ??= this.connect().catch((caught: unknown) => {
      this.client = undefined;
      throw caught;
    });
    return this.client;
  }

  private async connect(): Promise<DaemonClient> {
    const client = new DaemonClient(await connectOrStart(this.place, this.who));
    client.on(RunEventNotification, ({ run, event }) => {
      if (event.type === 'stopped') for (const resolve of this.endings.get(run) ?? []) resolve();
    });
    void client.closed.then(() => {
      this.client = undefined;
      // A caller that waits looks again, and finds the run interrupted.
      for (const waiting of this.endings.values()) for (const resolve of waiting) resolve();
    });
    return client;
  }
}
