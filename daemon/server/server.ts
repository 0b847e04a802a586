/**
 * The daemon's heart: accepts connections, keeps the sessions, notifies all of them of what happens in runs, and ends when
 * nobody needs it. What a request does is in methods.ts; what the process does is in main.ts.
 */
import { chmodSync, existsSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type * as z from 'zod';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { RunId, Sha256 } from '../../shared/ids.ts';
import type { Choices } from '../../shared/protocol/choices.ts';
import { Proposed } from '../../shared/protocol/proposals.ts';
import { RunEventNotification } from '../../shared/protocol/runs.ts';
import { type ConfigSettings, type DaemonStatus, Health } from '../../shared/protocol/session.ts';
import { Alerts, type FabricState, FabricStatus } from '../../shared/protocol/watch.ts';
import type { RunEvent, RunInfo } from '../../shared/run.ts';
import type { HelloParams } from '../client/handshake.ts';
import type { DaemonPlace } from '../client/locate.ts';
import type { Engine } from '../engine/engine.ts';
import type { Log } from '../telemetry/log.ts';
import { takeSample } from '../telemetry/sample.ts';
import type { ChosenInEditor } from './choices.ts';
import { Session } from './connection.ts';
import { Engines, type OpenSource } from './engines.ts';
import { FabricWatch } from './fabric-watch.ts';
import { receiveHello } from './handshake.ts';
import { Lifetime } from './lifetime.ts';
import { serveLanguage } from './lsp/language-server.ts';
import { answerRequests } from './methods.ts';
import { serveEditorModels } from './models.ts';
import type { OwnQueues } from './own-queues.ts';
import { RunMetrics } from './run-metrics.ts';

/** More than any user's windows and tools; what comes beyond is refused. */
const MAX_CONNECTIONS = 512;
/** How often the daemon looks whether it is still needed and still reachable. */
const TICK_MS = 2000;
/** More than a user would look at. */
const MAX_PROPOSALS = 20;
/** Runs that do not let go in this time are resumed from their journals, as after a crash. */
const CLOSE_TIMEOUT_MS = 20_000;

interface DaemonOptions {
  place: DaemonPlace;
  engines: OpenSource;
  chosen: ChosenInEditor;
  log: Log;
  version: string;
  /** Life without clients and work. */
  graceMs: number;
}

/** `info` is the run as it is after the event, while it is in progress. */
type RunFollower = (run: RunId, event: RunEvent, info: RunInfo | undefined) => void;

type HealthState = z.infer<typeof Health.params>;

export class Daemon {
  readonly place: DaemonPlace;
  readonly log: Log;
  readonly version: string;
  /** Resolves with the reason when the daemon has ended in an orderly way. */
  readonly ended: Promise<string>;
  private readonly chosen: ChosenInEditor;
  private readonly engines: Engines;
  private readonly sessions = new Set<Session>();
  private readonly listeners = new Set<RunFollower>();
  /** Those that show proposals to a user. */
  private readonly reviewers = new Set<Session>();
  /** What was proposed while no editor was connected, oldest first. */
  private readonly proposals: { run: RunId; sha256: Sha256 }[] = [];
  /** Those that want to know what the fabric does. */
  private readonly watchers = new Set<Session>();
  private readonly fabricWatch = new FabricWatch({
    state: (state) => {
      for (const session of this.watchers) session.notify(FabricStatus, state);
    },
    alerts: (alerts) => {
      for (const { id, summary } of alerts) this.log.warn({ alert: id }, summary);
      for (const session of this.sessions) session.notify(Alerts, { alerts: [...alerts] });
    },
  });
  private readonly runMetrics: RunMetrics;
  private readonly server: Server;
  private readonly lifetime: Lifetime;
  private readonly startedAt = new Date().toISOString();
  private readonly resolveEnded: (reason: string) => void;
  private ticker: NodeJS.Timeout | undefined;
  /** Identity of our socket file, to notice when it is gone or another's. */
  private inode: number | undefined;
  private stopping = false;
  private refreshing = false;
  /** Why a changed configuration is not used yet. */
  private unfollowed: string | undefined;
  /** Why the queue cannot be reached. */
  private trouble: string | undefined;
  private underWay = 0;
  private health: HealthState = { health: 'ok', quiescent: true };

  constructor(options: DaemonOptions) {
    this.place = options.place;
    this.log = options.log;
    this.version = options.version;
    this.chosen = options.chosen;
    this.runMetrics = new RunMetrics(this.place.workspace);
    this.engines = new Engines(options.engines, (run, event) => this.heard(run, event));
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    this.resolveEnded = resolve;
    const busy = () => this.sessions.size > 0 || this.working();
    this.lifetime = new Lifetime(options.graceMs, busy, () => void this.stop('idle'));
    this.server = createServer((socket) => void this.accept(socket));
    this.server.maxConnections = MAX_CONNECTIONS;
  }

  /** Binds the socket. Rejects with `conflict` when the path is taken. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', (cause: NodeJS.ErrnoException) =>
        reject(
          cause.code === 'EADDRINUSE'
            ? new PeagenError('conflict', `${this.place.socket} is taken.`, { cause })
            : new PeagenError('storage_failed', `Cannot listen on ${this.place.socket} (${cause.code}).`, { cause }),
        ),
      );
      this.server.listen(this.place.socket, resolve);
    });
    if (process.platform !== 'win32') {
      chmodSync(this.place.socket, 0o600);
    }
    this.inode = this.socketInode();
    this.log.info({ socket: this.place.socket, workspace: this.place.workspace, build: this.place.buildId }, 'listening');
    this.ticker ??= setInterval(() => this.tick(), TICK_MS);
    this.fabricWatch.start();
    this.lifetime.check();
  }

  /** An open engine, if any: for looking only. */
  get engine(): Engine | undefined {
    return this.engines.current[0];
  }

  /** The engine that works on a run, if any. */
  ownerOf(run: RunId): Engine | undefined {
    return this.engines.ownerOf(run);
  }

  /** Runs in progress. */
  running(): RunId[] {
    return this.engines.running();
  }

  /** Opens the engine when needed; a failure is the daemon's bad health until it works. */
  async openEngine(settings?: ConfigSettings): Promise<Engine> {
    try {
      const engine = await this.engines.host(settings).get();
      await this.showHealth();
      return engine;
    } catch (caught) {
      this.setHealth({ health: 'error', quiescent: true, message: PeagenError.from(caught).line });
      throw caught;
    }
  }

  /** What a user chose in an editor; the engine is opened again with it, unless runs hold on to the one they have. */
  choose(choices: Choices): void {
    this.chosen.choose(choices);
  }

  /** What has been chosen or configured since counts when the runs in progress have ended. */
  get outdated(): boolean {
    return this.engines.host(undefined).outdated;
  }

  /** The configuration as it is now. */
  config(settings?: ConfigSettings): Promise<Config> {
    return this.engines.host(settings).source.config();
  }

  /** Keeps the daemon alive until `work` is done, whether its client waits or not. */
  async busyWith<T>(work: () => Promise<T>): Promise<T> {
    this.underWay++;
    try {
      return await work();
    } finally {
      this.underWay--;
      this.lifetime.check();
    }
  }

  /** The queues in this process's memory. */
  ownQueues(): OwnQueues {
    return this.engines.ownQueues();
  }

  /** Why no run could be started now, for a readiness probe. */
  notReady(): string | undefined {
    if (this.stopping) return 'stopping';
    return this.health.health === 'error' ? (this.health.message ?? 'error') : undefined;
  }

  /** Follows all runs inside the daemon. Returns the function that ends it. */
  onRunEvent(listener: RunFollower): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The session is sent what waited for a window, and all that is proposed from now on. */
  showsProposals(session: Session): void {
    if (!this.sessions.has(session)) return;
    this.reviewers.add(session);
    for (const elite of this.proposals.splice(0)) session.notify(Proposed, elite);
  }

  /** Returns how many windows were asked to show it; with none it waits for the next one. */
  propose(run: RunId, sha256: Sha256): number {
    for (const session of this.reviewers) session.notify(Proposed, { run, sha256 });
    if (this.reviewers.size === 0 && !this.proposals.some((one) => one.run === run && one.sha256 === sha256)) {
      this.proposals.push({ run, sha256 });
      this.proposals.splice(0, this.proposals.length - MAX_PROPOSALS);
    }
    return this.reviewers.size;
  }

  /** Starts or stops sending the session, once a second, what the fabric does. */
  watchFabric(session: Session, watch: boolean): Promise<FabricState> {
    if (watch && this.sessions.has(session)) this.watchers.add(session);
    else this.watchers.delete(session);
    this.fabricWatch.watching = this.watchers.size > 0;
    return this.fabricWatch.state();
  }

  async status(): Promise<z.infer<typeof DaemonStatus.result>> {
    const { pending, live, idle } = await takeSample(Date.now());
    const { queue, sandbox } = await this.engines.host(undefined).source.fabric();
    return {
      pid: process.pid,
      buildId: this.place.buildId,
      version: this.version,
      workspace: this.place.workspace,
      socket: this.place.socket,
      log: this.place.log,
      started_at: this.startedAt,
      clients: this.sessions.size,
      running: this.engines.running(),
      queue: { provider: queue, pending: Object.values(pending).reduce((sum, count) => sum + count, 0) },
      workers: { live, idle },
      sandbox,
    };
  }

  /** Ends in an orderly way: runs are interrupted so that they can be resumed, then clients are let go. */
  async stop(reason: string): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    this.log.info({ reason }, 'stopping');
    this.lifetime.dispose();
    this.fabricWatch.dispose();
    clearInterval(this.ticker);
    try {
      await withDeadline(this.engines.close(), CLOSE_TIMEOUT_MS);
    } catch (caught) {
      this.log.error({ err: caught }, 'the engine did not close in order');
    }
    for (const session of this.sessions) session.close();
    // Closing removes the socket's file, which may be another daemon's by now.
    if (this.socketInode() === undefined || this.ownsSocket()) this.server.close();
    else this.server.unref();
    this.resolveEnded(reason);
  }

  private async accept(socket: Socket): Promise<void> {
    socket.on('error', (err) => this.log.debug({ err }, 'connection error'));
    if (this.stopping) return void socket.destroy();
    try {
      this.serve(socket, await receiveHello(socket, this.place));
    } catch (caught) {
      this.log.warn(PeagenError.from(caught).line);
    }
  }

  /** Serves a client whose handshake is done. */
  serve(stream: Duplex, hello: HelloParams): void {
    this.ticker ??= setInterval(() => this.tick(), TICK_MS);
    this.chosen.bring(hello.keys ?? {});
    const session = new Session(stream, hello, this.log);
    answerRequests(session, this);
    serveLanguage(session, this);
    const models = serveEditorModels(session);
    this.sessions.add(session);
    this.lifetime.check();
    session.listen(() => {
      models.dispose();
      this.sessions.delete(session);
      void this.engines.keepOnly([...this.sessions].map(({ config }) => config));
      this.reviewers.delete(session);
      if (this.watchers.has(session)) void this.watchFabric(session, false);
      this.log.info({ client: hello.client, clients: this.sessions.size }, 'client left');
      this.lifetime.check();
    });
    this.log.info({ client: hello.client, from: hello.pid, clients: this.sessions.size }, 'client came');
    session.notify(Health, this.health);
    if (this.fabricWatch.alerts.length > 0) session.notify(Alerts, { alerts: [...this.fabricWatch.alerts] });
  }

  private heard(run: RunId, event: RunEvent): void {
    const info = this.engines.ownerOf(run)?.info(run);
    for (const session of this.sessions) session.notify(RunEventNotification, { run, event, info });
    this.runMetrics.hear(event);
    for (const listener of this.listeners) listener(run, event, info);
    void this.lookAtQueue();
    this.setHealth({ ...this.health, quiescent: event.type === 'stopped' && this.engines.running().every((id) => id === run) });
  }

  private async showHealth(): Promise<void> {
    const fabric = await this.engines.host(undefined).source.fabric();
    // A queue that is away is what a user must know first.
    const warning = this.trouble ?? fabric.warning ?? this.unfollowed;
    const quiescent = this.engines.running().length === 0;
    this.setHealth(warning === undefined ? { health: 'ok', quiescent } : { health: 'warning', quiescent, message: warning });
  }

  private setHealth(next: HealthState): void {
    const same =
      next.health === this.health.health && next.quiescent === this.health.quiescent && next.message === this.health.message;
    if (same) return;
    this.health = next;
    for (const session of this.sessions) session.notify(Health, next);
  }

  private working(): boolean {
    return this.underWay > 0 || this.engines.running().length > 0;
  }

  /** Follows a configuration that was changed under running work. */
  private async refresh(): Promise<void> {
    if (this.refreshing) return;
    this.refreshing = true;
    const before = this.unfollowed;
    try {
      await this.engines.refresh();
      this.unfollowed = undefined;
    } catch (caught) {
      this.unfollowed = `The changed configuration is not in use yet. ${PeagenError.from(caught).line}`;
      if (this.unfollowed !== before) this.log.warn(this.unfollowed);
    } finally {
      this.refreshing = false;
    }
    if (this.unfollowed !== before) await this.showHealth();
  }

  private async lookAtQueue(): Promise<void> {
    const trouble = this.engines.trouble();
    if (trouble === this.trouble) return;
    this.trouble = trouble;
    await this.showHealth();
  }

  private tick(): void {
    // Without its folder nothing of a run can be kept.
    if (!existsSync(this.place.workspace)) void this.stop('its workspace is gone');
    this.lifetime.check();
    if (!this.stopping) {
      void this.refresh();
      void this.lookAtQueue();
    }
    if (!this.ownsSocket() && this.sessions.size === 0 && !this.working()) void this.stop('its socket is gone');
  }

  private ownsSocket(): boolean {
    return this.inode === this.socketInode();
  }

  /** A named pipe has none and cannot be lost. */
  private socketInode(): number | undefined {
    if (process.platform === 'win32') return undefined;
    return statSync(this.place.socket, { throwIfNoEntry: false })?.ino;
  }
}

async function withDeadline(work: Promise<void>, timeoutMs: number): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new PeagenError('timeout', `Not done in ${timeoutMs / 1000} s.`)), timeoutMs);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
