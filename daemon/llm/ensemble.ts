/**
 * The ensemble: all configured back ends behind one `ask`. Routes, retries with back-off, falls back, fans out. What it
 * can cost is bounded: of the attempts for one question at most `MAX_PAID` are ones that an endpoint may charge for
 * (refused connections, 429 and 5xx are not), and in a fan-out one for each back end.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { addTokens, type TokenUse } from '../../shared/asking.ts';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { ChatAnswer, ChatRequest } from '../../shared/llm.ts';
import { createRandom, type Random } from '../random.ts';
import type { Registry } from '../registry.ts';
import type { Log } from '../telemetry/log.ts';
import { attempt, type Member } from './attempt.ts';
import { MAX_PAID } from './cost/limits.ts';
import { BackendFailure } from './failure.ts';
import { route, type TrackRecord } from './routing.ts';
import { openTraffic, type Traffic } from './traffic.ts';

/** Failures of one back end after which a question stops asking it, unless it has `retries`. */
const MAX_FAILURES = 8;
/** With somewhere else to go, a back end is left after this many. */
const PATIENCE = 2;
/** No wait between attempts is longer, whatever the endpoint asks for. */
const LONGEST_WAIT_MS = 120_000;
/** What one question waits in all for back ends that fail (not for those that ask to wait). */
const PATIENCE_MS = 60_000;
/** The same where nothing ever has answered, and nothing is at the address at all or others ask in vain. */
const NOBODY_THERE_MS = 6_000;

interface AskOptions {
  readonly signal: AbortSignal;
  /** Is called with the answer as it comes; after a failed attempt it comes again from its beginning. Silent in a fan-out. */
  readonly onText?: (piece: string) => void;
  /** The kind of task that asks, for the metrics. */
  readonly handler?: string;
  /** At most this many attempts that may be charged for. */
  readonly maxPaid?: number;
}

interface EnsembleOptions {
  readonly registry: Registry;
  readonly log: Log;
  readonly env: NodeJS.ProcessEnv;
}

export async function openEnsemble(config: Config, options: EnsembleOptions): Promise<LlmEnsemble> {
  const members: Member[] = [];
  for (const entry of config.llm.backends) {
    if (members.some(({ config: { name } }) => name === entry.name)) {
      throw new PeagenError('invalid_config', `llm.backends: there are two with the name "${entry.name}".`);
    }
    const make = await options.registry.load('backend', entry.preset ?? 'compatible');
    members.push({ backend: make(config, entry.name, options.env), config: entry });
  }
  return new LlmEnsemble(members, config.llm.default_backend, await openTraffic(config, options), options.log);
}

/** What a question has behind it when it waits. */
interface Waiting {
  readonly last: BackendFailure | undefined;
  /** For back ends that fail. */
  readonly waited: { ms: number };
  readonly request: ChatRequest;
  readonly signal: AbortSignal;
}

/** Earlier questions failed so often that this one was not sent. */
function leftAlone(line: readonly Member[]): BackendFailure {
  const names = line.map(({ config: { name } }) => name);
  return new BackendFailure('server', names[0] ?? '', 'it fails again and again, and is asked only now and then.', {
    hint: `"peagen llm check" says what is wrong with it.`,
  });
}

export class LlmEnsemble {
  private readonly members: readonly Member[];
  private readonly fallback: string | undefined;
  private readonly traffic: Traffic;
  private readonly log: Log;
  private readonly records = new Map<string, TrackRecord>();

  constructor(members: readonly Member[], fallback: string | undefined, traffic: Traffic, log: Log) {
    this.members = members;
    this.fallback = fallback;
    this.traffic = traffic;
    this.log = log;
  }

  /** The answer's `tokens` are those of every attempt, failed ones and a fan-out's others included; so are a BackendFailure's. */
  async ask(request: ChatRequest, options: AskOptions): Promise<ChatAnswer> {
    const random = createRandom('llm', request.seed ?? Math.random(), request.prompt);
    const { mode, order } = route({
      asked: request.backend,
      fallback: this.fallback,
      backends: this.members.map(({ config: { name, weight } }) => ({ name, weight })),
      records: this.records,
      random: () => random.next(),
    });
    const members = order.flatMap((name) => this.members.filter((member) => member.config.name === name));
    return mode === 'all' ? this.fanOut(members, request, options, random) : this.inTurn(members, request, options, random);
  }

  close(): void {
    this.traffic.close();
  }

  private async inTurn(
    members: readonly Member[],
    request: ChatRequest,
    options: AskOptions,
    random: Random,
  ): Promise<ChatAnswer> {
    const failures = new Map<Member, number>();
    const readyAt = new Map<Member, number>();
    const spent: TokenUse = { prompt: 0, completion: 0 };
    let line = [...members];
    let paid = 0;
    let last: BackendFailure | undefined;
    const waited = { ms: 0 };
    for (;;) {
      const member = await this.next(line, readyAt, { last, waited, request, signal: options.signal });
      try {
        const { handler = 'mutate', onText, signal } = options;
        const answer = await attempt(member, request, { signal, onText, handler, traffic: this.traffic });
        this.note(member, 1);
        addTokens(spent, answer.tokens);
        return { ...answer, tokens: spent };
      } catch (caught) {
        if (!(caught instanceof BackendFailure)) throw caught;
        addTokens(spent, caught.tokens);
        last = caught.withTokens(structuredClone(spent));
        if (caught.kind === 'cancelled') throw last;
        this.note(member, 0);
        const count = (failures.get(member) ?? 0) + 1;
        failures.set(member, count);
        const { retries = MAX_FAILURES - 1, retry_delay_ms: delay } = member.config;
        const wait = backoffMs(count, caught.retryAfterMs, random.next(), delay);
        readyAt.set(member, Date.now() + wait);
        const hopeless = !caught.retryable || count > retries || wait > LONGEST_WAIT_MS;
        if (caught.tokens.prompt > 0) paid++;
        line = line.filter((other) => other !== member);
        if (!hopeless) line = count >= PATIENCE ? [...line, member] : [member, ...line];
        this.log.warn({ backend: caught.backend, kind: caught.kind, count, wait: Math.round(wait) }, caught.message);
        if (line.length === 0 || paid >= (options.maxPaid ?? request.maxPaid ?? MAX_PAID)) throw last;
      }
    }
  }

  /** The first of the line that may be asked now, else the one that may be soonest, after the wait: if that is not too long. */
  private async next(
    line: readonly Member[],
    readyAt: ReadonlyMap<Member, number>,
    { last, waited, request, signal }: Waiting,
  ): Promise<Member> {
    for (;;) {
      if (signal.aborted) throw last ?? new PeagenError('cancelled', 'The question was withdrawn.');
      let soonest = LONGEST_WAIT_MS;
      for (const member of line) {
        const pause = (readyAt.get(member) ?? 0) - Date.now();
        const wait = pause > 0 ? pause : await this.traffic.enter(member.config.name);
        if (wait <= 0) return member;
        soonest = Math.min(soonest, wait);
      }
      const dead = last === undefined || last.kind === 'network';
      const patience = dead && request.patient !== true ? NOBODY_THERE_MS : PATIENCE_MS;
      if (last?.kind !== 'rate_limit') waited.ms += soonest;
      if (waited.ms > patience) throw last ?? leftAlone(line);
      await sleep(soonest, undefined, { signal }).catch(() => undefined);
    }
  }

  private async fanOut(
    members: readonly Member[],
    request: ChatRequest,
    options: AskOptions,
    random: Random,
  ): Promise<ChatAnswer> {
    const { onText: _, ...quiet } = options;
    const settled = await Promise.allSettled(
      members.map((member) => this.inTurn([member], request, { ...quiet, maxPaid: 1 }, random)),
    );
    const answers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    const spent: TokenUse = { prompt: 0, completion: 0 };
    for (const { tokens } of answers) addTokens(spent, tokens);
    for (const failure of failed) if (failure instanceof BackendFailure) addTokens(spent, failure.tokens);
    const rank = { stop: 0, length: 1, refused: 2 } as const;
    const best = Math.min(...answers.map(({ finish }) => rank[finish]));
    const good = answers.filter(({ finish }) => rank[finish] === best);
    if (good.length === 0) throw failed[0] instanceof BackendFailure ? failed[0].withTokens(spent) : failed[0];
    return { ...random.pick(good), tokens: spent };
  }

  private note(member: Member, worth: number): void {
    const { asked, worth: sum } = this.records.get(member.config.name) ?? { asked: 0, worth: 0 };
    this.records.set(member.config.name, { asked: asked + 1, worth: sum + worth });
  }
}

const BASE_MS = 500;
const CAP_MS = 20_000;

/**
 * Milliseconds before attempt `failures + 1`. What the endpoint asked for is a floor; beyond it, exponential with full
 * jitter (M. Brooker, "Exponential Backoff and Jitter", 2015), so that many workers do not come back together.
 * `random` in [0, 1).
 */
export function backoffMs(failures: number, retryAfterMs: number | undefined, random: number, baseMs = BASE_MS): number {
  const ceiling = Math.min(Math.max(CAP_MS, baseMs), baseMs * 2 ** (failures - 1));
  return retryAfterMs === undefined ? ceiling * random : retryAfterMs + Math.min(ceiling, baseMs) * random;
}
