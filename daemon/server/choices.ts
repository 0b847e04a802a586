/**
 * What the user chose in an editor, kept while the daemon lives: applied over the configuration when the engine opens.
 * Secrets become environment variables of this process, which is where back ends, the queue and the launchers of workers
 * look for them; no other code of ours sees them.
 */
import type { Config } from '../../shared/config.ts';
import type { Choices } from '../../shared/protocol/choices.ts';

export class ChosenInEditor {
  private choices: Choices = { backends: [], secrets: {} };
  private revision = 0;
  /** What the variables were before a choice covered them. */
  private readonly covered = new Map<string, string | undefined>();
  private readonly brought = new Set<string>();
  private readonly env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.env = env;
  }

  /** Changes with each choice that differs from the one before. */
  get stamp(): string {
    return String(this.revision);
  }

  choose(choices: Choices): void {
    if (JSON.stringify(choices) === JSON.stringify(this.choices)) return;
    this.choices = choices;
    this.revision++;
    const { secrets } = choices;
    for (const [name, before] of this.covered) {
      if (secrets[name] !== undefined) continue;
      if (before === undefined) delete this.env[name];
      else this.env[name] = before;
      this.covered.delete(name);
    }
    for (const [name, value] of Object.entries(secrets)) {
      if (!this.covered.has(name)) this.covered.set(name, this.env[name]);
      this.env[name] = value;
    }
  }

  /** Keys of a command line's environment: they fill in what this process has no value for. */
  bring(secrets: Choices['secrets']): void {
    for (const [name, value] of Object.entries(secrets)) {
      if (!this.brought.has(name) && (this.env[name] ?? '') !== '') continue;
      if (this.env[name] !== value) this.revision++;
      this.brought.add(name);
      this.env[name] = value;
    }
  }

  /** Nested like the configuration file, to go over it. */
  get flags(): { [key: string]: unknown } {
    const { queue } = this.choices;
    if (queue === undefined) return {};
    if (queue.kind === 'local') return { task_queue: { provider: 'stub' } };
    const { url, workspace } = queue;
    return { task_queue: { provider: 'redis', url, ...(workspace === undefined ? {} : { workspace }) } };
  }

  /** The configuration with the chosen back ends behind its own. */
  over(config: Config): Config {
    const { backends } = config.llm;
    const known = new Set(backends.map(({ name }) => name));
    const added = this.choices.backends.filter(({ name }) => !known.has(name));
    return added.length === 0 ? config : { ...config, llm: { ...config.llm, backends: [...backends, ...added] } };
  }
}
