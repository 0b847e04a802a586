/**
 * Renders the projects of a payload file, level by level through the queue; the output folder changes at the end or not at
 * all.
 */
import { dirname, resolve } from 'node:path';
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { FileChange } from '../../../shared/patch/unified.ts';
import type { RenderedFile } from '../../../shared/protocol/render.ts';
import type { WorstCase } from '../../llm/cost/worst-case.ts';
import { manifestPath, manifestText, readManifest } from '../../render/manifest.ts';
import { type LoadedPayload, loadPayload, parsePayload } from '../../render/payload.ts';
import { type ProjectPlan, planProject } from '../../render/plan.ts';
import { apply, compare, type OutputFile, readExisting, recover } from '../../render/stage.ts';
import type { TaskClient } from '../task-client.ts';
import { ProjectRendering } from './render-project.ts';
import { type Start, selectFiles } from './render-select.ts';
import { RenderTasks } from './render-tasks.ts';

export interface RenderRequest {
  /** The payload file. */
  readonly project: string;
  /** Its text, when it is not what is on disk. */
  readonly text?: string | undefined;
  readonly out: string;
  readonly start?: Start;
  /** `compare`: write nothing and ask no model; `generate`: write nothing. */
  readonly mode: 'compare' | 'generate' | 'write';
}

/** What a user decides on the way. Each throws to end the rendering. */
export interface RenderDecisions {
  /** Agrees to what the answers for that number of files can cost. */
  spend(cost: WorstCase, files: number): Promise<void>;
  /** Returns those of the differing files that are replaced. */
  replace(changes: readonly FileChange[]): Promise<ReadonlySet<string>>;
}

export interface RenderAnswer {
  readonly files: readonly RenderedFile[];
  readonly warnings: readonly string[];
  /** Counts the files that a model has to write. */
  readonly worst_case: WorstCase & { readonly files: number };
}

interface RenderDeps {
  readonly config: Config;
  readonly workspace: string;
  readonly taskClient: TaskClient;
}

/** Whatever it throws, the folder is as it was. */
export async function renderProjects(
  request: RenderRequest,
  choices: RenderDecisions,
  deps: RenderDeps,
  signal: AbortSignal,
): Promise<RenderAnswer> {
  const out = resolve(request.out);
  const tasks = new RenderTasks(deps.config.render.engine, deps.taskClient, { signal, keep: request.mode !== 'compare' });
  try {
    if (request.mode === 'write') await recover(out);
    const { renderings, warnings } = await drafts(request, out, tasks, deps);
    if (request.mode !== 'compare' && renderings.some(({ asked }) => asked.size > 0)) requireModel(deps.config);
    const worst = await worstCaseOf(renderings);
    if (worst.files > 0 && request.mode !== 'compare') {
      await choices.spend(worst, worst.files);
      for (const rendering of renderings) await rendering.finish();
    }
    const made = request.mode !== 'compare';
    const outputs = renderings.flatMap((rendering) => outputsOf(rendering, deps.config.render.engine, made));
    const files = await filesOf(out, outputs, renderings, made);
    const kept = request.mode === 'write' ? await write(out, outputs, files, choices, signal) : new Set<string>();
    return { files: files.map((file) => (kept.has(file.path) ? { ...file, state: 'kept' } : file)), warnings, worst_case: worst };
  } catch (caught) {
    await tasks.cancel();
    throw caught;
  }
}

async function drafts(
  request: RenderRequest,
  out: string,
  tasks: RenderTasks,
  { config, workspace }: RenderDeps,
): Promise<{ renderings: ProjectRendering[]; warnings: string[] }> {
  const path = resolve(request.project);
  const payload: LoadedPayload = request.text === undefined ? await loadPayload(path) : parsePayload(request.text, path);
  const searchPath = config.templates.search_path.map((folder) => resolve(workspace, folder));
  const options = { searchPath, workspace, home: dirname(path), engine: config.render.engine };
  const plans: ProjectPlan[] = [];
  for (const project of payload.projects) plans.push(await planProject(project, options, tasks.texts));
  requireDistinct(plans);
  const selected = selectFiles(plans, request.start ?? { transitive: false });
  const renderings: ProjectRendering[] = [];
  for (const [index, plan] of plans.entries()) {
    const wanted = selected[index] ?? new Set();
    if (wanted.size === 0) continue;
    const existing = async (name: string) => (await readExisting(out, name))?.toString();
    const manifest = readManifest(await existing(manifestPath(plan.project)));
    const rendering = new ProjectRendering({ plan, wanted, tasks, config, existing, manifest });
    await rendering.draft();
    renderings.push(rendering);
  }
  return { renderings, warnings: [...payload.warnings, ...plans.flatMap((plan) => plan.warnings)] };
}

function requireDistinct(plans: readonly ProjectPlan[]): void {
  const owner = new Map<string, string>();
  for (const { project, files } of plans) {
    for (const { output } of files) {
      const other = owner.get(output);
      if (other !== undefined) {
        throw new PeagenError('invalid_input', `${output} belongs to the project "${other}" and to "${project}".`, {
          hint: 'Give each its own ROOT.',
        });
      }
      owner.set(output, project);
    }
  }
}

async function worstCaseOf(renderings: readonly ProjectRendering[]): Promise<RenderAnswer['worst_case']> {
  const sum = { prompt_tokens: 0, completion_tokens: 0, dollars: 0 as number | null, files: 0 };
  for (const rendering of renderings) {
    sum.files += rendering.asked.size;
    const { prompt_tokens, completion_tokens, dollars } = await rendering.cost();
    sum.prompt_tokens += prompt_tokens;
    sum.completion_tokens += completion_tokens;
    sum.dollars = sum.dollars === null || dollars === null ? null : sum.dollars + dollars;
  }
  return sum;
}

function requireModel({ llm }: Config): void {
  if (llm.backends.length > 0) return;
  throw new PeagenError('unavailable', 'Some files are to be generated, and no language model is configured.', {
    hint: 'Add [[llm.backends]] with a name, a model and a preset or base_url to .peagen.toml.',
    retryable: false,
  });
}

/** `made`: the models have answered. Before that, a manifest would name texts that nobody has seen. */
function outputsOf(rendering: ProjectRendering, engine: string, made: boolean): OutputFile[] {
  const { plan, asked, texts, wanted } = rendering;
  const open = made ? new Set<string>() : rendering.unsettled();
  const files = plan.files.flatMap(({ output }) => {
    const text = texts.get(output);
    return text === undefined || open.has(output) || !wanted.has(output) ? [] : [{ path: output, text }];
  });
  if (asked.size > 0 && !made) return files;
  return [...files, { path: manifestPath(plan.project), text: manifestText(plan.project, engine, rendering.entries()) }];
}

async function filesOf(
  out: string,
  outputs: readonly OutputFile[],
  renderings: readonly ProjectRendering[],
  made: boolean,
): Promise<RenderedFile[]> {
  const compared = await compare(out, outputs);
  const known = outputs.map(({ path, text }) => {
    const { state, before } = compared.get(path) ?? { state: 'new', before: undefined };
    return { path, state, before, after: text };
  });
  const open = made ? [] : renderings.flatMap((rendering) => [...rendering.unsettled()]);
  return [...known, ...open.map((path) => ({ path, state: 'generated' as const, before: undefined, after: undefined }))];
}

/** Returns the files that a user keeps as they are. */
async function write(
  out: string,
  outputs: readonly OutputFile[],
  files: readonly RenderedFile[],
  choices: RenderDecisions,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  // A manifest is ours: it may change.
  const changed = files.filter(({ path, state }) => state === 'changed' && !path.startsWith('.peagen/'));
  const changes = changed.map(({ path, before = '', after = '' }) => ({ path, before, after }));
  const replaced = changes.length === 0 ? new Set<string>() : await choices.replace(changes);
  const kept = new Set(changes.map(({ path }) => path).filter((path) => !replaced.has(path)));
  await apply(
    out,
    outputs.filter(({ path }) => !kept.has(path)),
    signal,
  );
  return kept;
}
