/** Which model the user chose, kept per workspace, and what the daemon must know about such choices. */
import type * as vscode from 'vscode';
import * as z from 'zod';
import { LlmBackendConfig } from '../../shared/config.ts';
import { type Choices, QueueChoice } from '../../shared/protocol/choices.ts';
import { Secrets } from './secrets.ts';

export const ModelChoice = z.discriminatedUnion('kind', [
  /** The syntax-tree mutator: no model, no cost. */
  z.object({ kind: z.literal('offline') }),
  /** `backend` is missing for one that the configuration has. */
  z.object({
    kind: z.literal('model'),
    name: z.string(),
    label: z.string(),
    backend: LlmBackendConfig.optional(),
    key: z.string().optional(),
  }),
]);
export type ModelChoice = z.infer<typeof ModelChoice>;

const providerNames: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  gemini: 'Google Gemini',
  groq: 'Groq',
  openrouter: 'OpenRouter',
  azure: 'Azure OpenAI',
  ollama: 'Ollama',
  vllm: 'vLLM',
  lmstudio: 'LM Studio',
};

/** As a provider writes itself; the preset's name for others. */
export function providerName(preset: string): string {
  return providerNames[preset] ?? preset;
}

/** A back end of our own making; its name says what it is wherever a run names it. */
export function modelChoice(
  preset: string,
  model: string,
  more: Partial<LlmBackendConfig>,
  key?: string,
): ModelChoice & { kind: 'model' } {
  const name = `${preset}/${model}`.replaceAll(/[\s,]+/g, '-');
  return {
    kind: 'model',
    name,
    label: `${model} (${providerName(preset)})`,
    backend: { name, model, preset, timeout_ms: 120_000, weight: 1, ...more },
    ...(key === undefined ? {} : { key }),
  };
}

/** Back ends of earlier choices stay known, so that an interrupted run finds its own again. */
const REMEMBERED = 20;
const Remembered = z.array(z.object({ backend: LlmBackendConfig, key: z.string().optional() }));
const REDIS_PASSWORD = 'PEAGEN_REDIS_PASSWORD';

export class ChosenModel {
  readonly secrets: Secrets;
  private readonly state: vscode.Memento;
  private readonly listeners = new Set<() => Promise<void>>();

  constructor({ workspaceState, secrets }: Pick<vscode.ExtensionContext, 'workspaceState' | 'secrets'>) {
    this.state = workspaceState;
    this.secrets = new Secrets(secrets);
  }

  /** Heard out before a choice is done: a run that asks for a model is planned once the daemon knows it. */
  onChange(listener: () => Promise<void>): vscode.Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  private async changed(): Promise<void> {
    await Promise.all([...this.listeners].map((listener) => listener()));
  }

  get model(): ModelChoice | undefined {
    return ModelChoice.safeParse(this.state.get('model')).data;
  }

  async chooseModel(choice: ModelChoice): Promise<void> {
    await this.state.update('model', choice);
    if (choice.kind === 'offline' || choice.backend === undefined) return;
    const { backend, key } = choice;
    const others = this.backends.filter((known) => known.backend.name !== backend.name);
    const entry = { backend, ...(key === undefined ? {} : { key }) };
    await this.state.update('backends', [entry, ...others].slice(0, REMEMBERED));
    await this.changed();
  }

  get queue(): QueueChoice | undefined {
    return QueueChoice.safeParse(this.state.get('queue')).data;
  }

  async chooseQueue(queue: QueueChoice | undefined): Promise<void> {
    await this.state.update('queue', queue);
    await this.changed();
  }

  /** The password of a Redis is kept for its address. */
  redisPassword(url: string): Promise<string | undefined> {
    return this.secrets.get(REDIS_PASSWORD, url);
  }

  keepRedisPassword(url: string, password: string | undefined): Promise<void> {
    return password === undefined ? this.secrets.forget(REDIS_PASSWORD, url) : this.secrets.keep(REDIS_PASSWORD, password, url);
  }

  /** Secrets go out of here to the daemon only, with the choices that need them. */
  async forDaemon(): Promise<Choices> {
    const { queue } = this;
    const backends = this.backends;
    const secrets: Record<string, string> = {};
    for (const name of new Set(backends.flatMap(({ key }) => key ?? []))) {
      const value = await this.secrets.get(name);
      if (value !== undefined) secrets[name] = value;
    }
    const password = queue?.kind === 'redis' ? await this.redisPassword(queue.url) : undefined;
    if (password !== undefined) secrets[REDIS_PASSWORD] = password;
    return { backends: backends.map(({ backend }) => backend), ...(queue === undefined ? {} : { queue }), secrets };
  }

  private get backends(): z.infer<typeof Remembered> {
    return Remembered.safeParse(this.state.get('backends')).data ?? [];
  }
}

/** `host:6379`, for a user. */
export function whereOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.hostname}:${parsed.port === '' ? 6379 : parsed.port}`;
}

/** Mutators that ask no model. */
export const offline: readonly string[] = ['structural', 'crossover-tree'];

/**
 * The choice as a run, or one mutation, is asked for it. A mutator from the settings counts where it goes with the choice, else
 * `withModel` where that is a model.
 */
export function asRequest(
  choice: ModelChoice | undefined,
  set: { mutator: string | undefined; backend: string | undefined },
  withModel: 'auto' | 'patch',
) {
  const { mutator, backend } = set;
  if (choice === undefined)
    return { ...(mutator === undefined ? {} : { mutator }), ...(backend === undefined ? {} : { backend }) };
  const fits = mutator !== undefined && offline.includes(mutator) === (choice.kind === 'offline');
  if (choice.kind === 'offline') return { mutator: fits ? mutator : 'structural' };
  return { mutator: fits ? mutator : withModel, backend: choice.name };
}
