/** The LLM traffic that a broker or a host keeps for all that it runs, opened when the first of them asks a model. */
import type { Config } from '../../shared/config.ts';
import type { OwnTraffic } from '../llm/own-traffic.ts';
import type { RequestOutcome, Traffic } from '../llm/traffic.ts';
import type { Log } from '../telemetry/log.ts';
import type { TrafficAsk } from './worker/ipc.ts';

export class SharedTraffic implements Traffic {
  private readonly options: { config: Config; log: Log };
  private opening: Promise<OwnTraffic> | undefined;
  private own: OwnTraffic | undefined;

  constructor(options: { config: Config; log: Log }) {
    this.options = options;
  }

  /** Which back end fails, and why; see OwnTraffic. */
  get trouble(): string | undefined {
    return this.own?.trouble;
  }

  async enter(backend: string): Promise<number> {
    return (await this.open()).enter(backend);
  }

  async leave(backend: string, outcome: RequestOutcome, why?: string): Promise<void> {
    await (await this.open()).leave(backend, outcome, why);
  }

  async take(backend: string, tokens: number): Promise<number> {
    return (await this.open()).take(backend, tokens);
  }

  async settle(backend: string, difference: number): Promise<void> {
    await (await this.open()).settle(backend, difference);
  }

  close(): void {
    this.own?.close();
  }

  /** `entered`: where this worker notes the back ends that it owes a `leave`. */
  async serve(ask: TrafficAsk, entered: string[]): Promise<unknown> {
    const traffic = await this.open();
    switch (ask.op) {
      case 'enter': {
        const wait = await traffic.enter(ask.backend);
        if (wait <= 0) entered.push(ask.backend);
        return wait;
      }
      case 'leave': {
        const at = entered.indexOf(ask.backend);
        if (at < 0) return;
        entered.splice(at, 1);
        return traffic.leave(ask.backend, ask.outcome, ask.why);
      }
      case 'take':
        return traffic.take(ask.backend, ask.tokens);
      case 'settle':
        return traffic.settle(ask.backend, ask.difference);
    }
  }

  /** For a worker that has ended in the middle of a question: the next one may try the back end. */
  async abandon(entered: string[]): Promise<void> {
    for (const backend of entered.splice(0)) await (await this.open()).leave(backend, 'abandon');
  }

  private async open(): Promise<OwnTraffic> {
    this.opening ??= import('../llm/own-traffic.ts').then(({ ownTraffic }) =>
      ownTraffic(this.options.config, { log: this.options.log, env: process.env }),
    );
    this.own = await this.opening;
    return this.own;
  }
}
