/**
 * Renders one project in two passes. The draft renders everything but what a model has to write, which a placeholder
 * stands for: so the cost is known before anything is asked. The second pass asks, and renders what depends on answers.
 */
import { randomBytes } from 'node:crypto';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { requestTokens } from '../../llm/cost/tokens.ts';
import { answersTo, pricedBackends, type WorstCase, worstCase } from '../../llm/cost/worst-case.ts';
import { promptTemplates } from '../../llm/prompts/templates.ts';
import { route } from '../../llm/routing.ts';
import { type ManifestEntry, sha256 } from '../../render/manifest.ts';
import type { PlannedFile, ProjectPlan, RenderItem } from '../../render/plan.ts';
import type { RenderOutcome } from '../../render/task.ts';
import { withDependencies } from './render-select.ts';
import { mapLimited, outcomeError, type RenderTasks } from './render-tasks.ts';

/** A generated file counts as more tokens in a prompt than its model was allowed to write: another model may count otherwise. */
const RECOUNT = 1.25;
const NAMED = 10;

interface ProjectDeps {
  readonly plan: ProjectPlan;
  /** Output paths of the files to be made. What they depend on is rendered too, and not written. */
  readonly wanted: ReadonlySet<string>;
  readonly tasks: RenderTasks;
  readonly config: Config;
  /** What is in the output folder. */
  existing(path: string): Promise<string | undefined>;
  /** The manifest there. */
  readonly manifest: ReadonlyMap<string, ManifestEntry>;
}

export class ProjectRendering {
  readonly plan: ProjectPlan;
  /** Files that a model has to write. */
  readonly asked = new Set<string>();
  readonly texts = new Map<string, string>();
  private readonly deps: ProjectDeps;
  private readonly needed: ReadonlySet<string>;
  /** Files that depend on those. */
  private readonly late = new Set<string>();
  private readonly prompts = new Map<string, string>();
  /** Prompt tokens that were agreed to. */
  private readonly bounds = new Map<string, number>();
  private readonly mark = randomBytes(8).toString('hex');
  private readonly system: string;

  constructor(deps: ProjectDeps) {
    this.deps = deps;
    this.plan = deps.plan;
    this.needed = new Set(withDependencies(deps.plan.files, deps.wanted).map(({ output }) => output));
    const generates = deps.plan.files.some(({ process }) => process === 'GENERATE');
    this.system = generates ? promptTemplates(deps.config.templates.search_path).render('generate', {}).trim() : '';
  }

  /** Output paths of the files to be made. */
  get wanted(): ReadonlySet<string> {
    return this.deps.wanted;
  }

  /** Throws for files that fail, naming them and those that wait for them. */
  async draft(): Promise<void> {
    for (const level of this.plan.levels) {
      const files: PlannedFile[] = [];
      for (const file of level) if (this.needed.has(file.output) && !(await this.takenAsItIs(file))) files.push(file);
      const texts = await this.render(files);
      for (const [index, file] of files.entries()) {
        const text = texts[index] ?? '';
        const waits = file.dependencies.some((name) => this.asked.has(name) || this.late.has(name));
        if (waits) this.late.add(file.output);
        if (file.process === 'COPY') this.texts.set(file.output, text);
        else await this.draftPrompt(file, text, waits);
      }
    }
  }

  /** A generated file that nobody wants again: those that depend on it get it as it is. */
  private async takenAsItIs({ output, process }: PlannedFile): Promise<boolean> {
    if (process === 'COPY' || this.deps.wanted.has(output)) return false;
    const there = await this.deps.existing(output);
    if (there === undefined) {
      throw new PeagenError('not_found', `The generated file ${output} is needed, and has not been made yet.`, {
        hint: 'Make it too with --transitive.',
      });
    }
    this.texts.set(output, there);
    return true;
  }

  private async draftPrompt({ output }: PlannedFile, prompt: string, waits: boolean): Promise<void> {
    this.prompts.set(output, prompt);
    const known = this.deps.manifest.get(output)?.prompt === sha256(prompt);
    const there = known && !waits ? await this.deps.existing(output) : undefined;
    if (there !== undefined) {
      this.texts.set(output, there);
      return;
    }
    const marker = `${this.mark}-${this.asked.size}-`;
    this.asked.add(output);
    this.texts.set(output, marker);
  }

  /** The most that the answers can cost. */
  async cost(): Promise<WorstCase> {
    const { llm, mutate } = this.deps.config;
    const total = { prompt_tokens: 0, completion_tokens: 0, dollars: 0 as number | null };
    if (this.asked.size === 0 || llm.backends.length === 0) return total;
    const { mode, order } = route({
      asked: mutate.backend,
      fallback: llm.default_backend,
      backends: llm.backends,
      records: new Map(),
      random: () => 0,
    });
    const backends = pricedBackends(this.deps.config, order);
    for (const output of this.asked) {
      const pieces = (this.prompts.get(output) ?? '').split(new RegExp(`${this.mark}-\\d+-`));
      const included = (pieces.length - 1) * Math.ceil(mutate.max_tokens * RECOUNT);
      const promptTokens = (await requestTokens({ system: this.system, prompt: pieces.join('') })) + included;
      this.bounds.set(output, promptTokens);
      const one = worstCase({ calls: 1, promptTokens, answers: answersTo(mutate.max_tokens, mode), mode, backends });
      total.prompt_tokens += one.prompt_tokens;
      total.completion_tokens += one.completion_tokens;
      total.dollars = total.dollars === null || one.dollars === null ? null : total.dollars + one.dollars;
    }
    return total;
  }

  /** Asks for every file that a model has to write; `cost` was agreed to. */
  async finish(): Promise<void> {
    for (const level of this.plan.levels) {
      const late = level.filter(({ output }) => this.late.has(output));
      const texts = await this.render(late);
      for (const [index, { output, process }] of late.entries()) {
        (process === 'COPY' ? this.texts : this.prompts).set(output, texts[index] ?? '');
      }
      const asked = level.filter(({ output }) => this.asked.has(output));
      const failures = new Map<string, PeagenError>();
      await mapLimited(asked, async ({ output }) => {
        try {
          this.texts.set(output, await this.ask(output));
        } catch (caught) {
          failures.set(output, PeagenError.from(caught));
        }
      });
      this.requireNone(failures);
    }
  }

  private async ask(output: string): Promise<string> {
    const { mutate } = this.deps.config;
    const prompt = this.prompts.get(output) ?? '';
    const tokens = await requestTokens({ system: this.system, prompt });
    const bound = this.bounds.get(output) ?? 0;
    if (tokens > bound) {
      throw new PeagenError('budget_exceeded', `its prompt has ${tokens} tokens, and ${bound} were agreed to.`, {
        hint: 'Raise max_tokens under [mutate], or include less.',
      });
    }
    const { temperature, max_tokens: maxTokens, backend } = mutate;
    const answer = await this.deps.tasks.generate(output, { system: this.system, prompt, temperature, maxTokens, backend });
    if (answer.kind === 'text') return answer.text;
    throw new PeagenError('backend_failed', `${answer.reason}.`, {
      hint: 'Render again, or change its prompt.',
      retryable: false,
    });
  }

  /** Files to be made whose text depends on answers. */
  unsettled(): ReadonlySet<string> {
    return new Set([...this.asked, ...this.late].filter((output) => this.deps.wanted.has(output)));
  }

  /** In the order of the plan, with what the manifest knows of files that were left out. */
  entries(): ManifestEntry[] {
    return this.plan.files.flatMap(({ output, template, package: each, process }) => {
      const text = this.texts.get(output);
      if (text === undefined || !this.deps.wanted.has(output)) return this.deps.manifest.get(output) ?? [];
      const prompt = this.prompts.get(output);
      const made = process === 'GENERATE' && prompt !== undefined ? { prompt: sha256(prompt) } : {};
      return [{ path: output, sha256: sha256(text), template, package: each, ...made }];
    });
  }

  private async render(files: readonly PlannedFile[]): Promise<string[]> {
    if (files.length === 0) return [];
    const outcomes = await this.deps.tasks.outcomes(files.map((file) => this.item(file)));
    const failures = new Map<string, PeagenError>();
    for (const [index, { output }] of files.entries()) {
      const outcome: RenderOutcome | undefined = outcomes[index];
      if (outcome?.kind === 'failed') failures.set(output, outcomeError(outcome));
    }
    this.requireNone(failures);
    return outcomes.map((outcome) => (outcome?.kind === 'text' ? outcome.text : ''));
  }

  /** A prompt may include every file that its own depends on, a template those that it names. */
  private item({ output, process, closure, entry, dependencies, shared, context }: PlannedFile): RenderItem {
    const named = (name: string) => process === 'GENERATE' || closure.computed || closure.names.includes(name);
    const rendered = dependencies
      .filter((name) => name !== entry && named(name) && this.texts.has(name))
      .map((name) => [name, verbatim(this.texts.get(name) ?? '')]);
    return { what: output, sources: { ...closure.sources, ...Object.fromEntries(rendered) }, entry, shared, context: context() };
  }

  /** Names the first failure, the other failed files, and those that wait for any of them. */
  private requireNone(failures: ReadonlyMap<string, PeagenError>): void {
    if (failures.size === 0) return;
    const lost = new Set(failures.keys());
    // In order: what a file depends on comes before it.
    for (const { output, dependencies } of this.plan.files) if (dependencies.some((name) => lost.has(name))) lost.add(output);
    const [name, first] = [...failures].sort(([a], [b]) => (a < b ? -1 : 1))[0] ?? ['', PeagenError.from('nothing failed')];
    const others = [...failures.keys()].filter((other) => other !== name).sort();
    const skipped = [...lost].filter((other) => !failures.has(other));
    const parts = [
      `${name} cannot be rendered: ${first.message}`,
      ...(others.length === 0 ? [] : [`Also failed: ${listed(others)}.`]),
      ...(skipped.length === 0 ? [] : [`Skipped, since they depend on it: ${listed(skipped)}.`]),
    ];
    throw new PeagenError(first.code, parts.join(' '), { hint: first.hint, retryable: false, cause: first });
  }
}

/** A template that gives this text, but for one final newline as for every template: what looks like code in it is none. */
function verbatim(text: string): string {
  const body = text
    .replace(/\r?\n$/, '')
    .replaceAll(/\{%[-+]?\s*endraw/g, (tag) => `{% endraw %}{{ ${JSON.stringify(tag)} }}{% raw %}`);
  return `{% raw %}${body}{% endraw %}`;
}

function listed(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
