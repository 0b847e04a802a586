/** Renders the projects of a payload file: one task per file, level by level, and the output folder changed at the end or not at all. */
import { dirname, resolve } from 'node:path';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { newTaskId, type TaskId } from '../../shared/ids.ts';
import { TASK_SCHEMA_V, type Task } from '../../shared/task.ts';
import { derivedTaskId } from '../handlers/follow-up.ts';
import { loadPayload, slugOf } from '../render/payload.ts';
import { type PlannedFile, type ProjectPlan, planProject, type Render } from '../render/plan.ts';
import { apply, compare, type FileState, manifestText, type OutputFile } from '../render/stage.ts';
import { RenderData, type RenderPayload } from '../render/task.ts';
import type { Desk } from './desk.ts';

/** Render tasks in the queue at a time. */
const IN_FLIGHT = 32;
const NAMED = 10;

export interface RenderRequest {
  /** The payload file. */
  readonly project: string;
  readonly out: string;
  /** Replace files that differ. */
  readonly force: boolean;
  /** Change nothing; only say what would be done. */
  readonly compareOnly: boolean;
}

export interface RenderAnswer {
  readonly files: readonly { readonly path: string; readonly state: FileState }[];
  readonly warnings: readonly string[];
}

export interface RenderDeps {
  readonly config: Config;
  readonly workspace: string;
  readonly desk: Desk;
}

/** Throws `conflict` that names the files which differ, unless `force`; whatever it throws, the folder is as it was. */
export async function renderProjects(request: RenderRequest, deps: RenderDeps, signal: AbortSignal): Promise<RenderAnswer> {
  const { config, workspace } = deps;
  const path = resolve(request.project);
  const out = resolve(request.out);
  const { projects, warnings } = await loadPayload(path);
  const searchPath = config.templates.search_path.map((folder) => resolve(workspace, folder));
  const options = { searchPath, workspace, home: dirname(path), engine: config.render.engine };
  const tasks = new RenderTasks(deps, signal);
  try {
    const plans: ProjectPlan[] = [];
    for (const project of projects) plans.push(await planProject(project, options, tasks.render));
    requireDistinct(plans);
    const outputs: OutputFile[] = [];
    for (const plan of plans) outputs.push(...(await renderPlan(plan, config.render.engine, tasks.render, signal)));
    const states = await compare(out, outputs);
    const answer = {
      files: outputs.map(({ path: file }) => ({ path: file, state: states.get(file) ?? 'new' })),
      warnings: [...warnings, ...plans.flatMap((plan) => plan.warnings)],
    };
    if (request.compareOnly) return answer;
    if (!request.force) requireNoChange(answer, out);
    await apply(out, outputs, signal);
    return answer;
  } catch (caught) {
    await tasks.cancel();
    throw caught;
  }
}

/** A manifest is ours: it may change. */
function requireNoChange({ files }: RenderAnswer, out: string): void {
  const changed = files.filter(({ path, state }) => state === 'changed' && !isManifest(path)).map(({ path }) => path);
  if (changed.length === 0) return;
  throw new PeagenError('conflict', `${list(changed)} in ${out} would change, and nothing was written.`, {
    hint: 'Look with --check, and replace with --force.',
  });
}

function isManifest(path: string): boolean {
  return path.startsWith('.peagen/');
}

function list(names: readonly string[]): string {
  const rest = names.length - NAMED;
  return names.slice(0, NAMED).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
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

async function renderPlan(plan: ProjectPlan, engine: string, render: Render, signal: AbortSignal): Promise<OutputFile[]> {
  const texts = new Map<string, string>();
  for (const level of plan.levels) {
    const failures = new Map<string, PeagenError>();
    await eachOf(level, async ({ sources, entry, context, output }) => {
      if (signal.aborted) return;
      try {
        const [text = ''] = await render(sources, [{ template: entry, context: context() }], output);
        texts.set(output, text);
      } catch (caught) {
        failures.set(output, PeagenError.from(caught));
      }
    });
    signal.throwIfAborted();
    if (failures.size > 0) throw failedError(plan.files, failures);
  }
  const entries = plan.files.map(({ output, template, package: each }) => {
    return { path: output, text: texts.get(output) ?? '', template, package: each };
  });
  const manifest = { path: `.peagen/${slugOf(plan.project)}_manifest.json`, text: manifestText(plan.project, engine, entries) };
  return [...entries.map(({ path, text }) => ({ path, text })), manifest];
}

/** Names the first failure, the other failed files, and those that wait for any of them. */
function failedError(files: readonly PlannedFile[], failures: ReadonlyMap<string, PeagenError>): PeagenError {
  const lost = new Set(failures.keys());
  // In order: what a file depends on comes before it.
  for (const { output, dependencies } of files) if (dependencies.some((name) => lost.has(name))) lost.add(output);
  const [name, first] = [...failures].sort(([a], [b]) => (a < b ? -1 : 1))[0] ?? ['', PeagenError.from('nothing failed')];
  const others = [...failures.keys()].filter((other) => other !== name).sort();
  const skipped = [...lost].filter((other) => !failures.has(other));
  const parts = [
    `${name} cannot be rendered: ${first.message}`,
    ...(others.length === 0 ? [] : [`Also failed: ${list(others)}.`]),
    ...(skipped.length === 0 ? [] : [`Skipped, since they depend on it: ${list(skipped)}.`]),
  ];
  return new PeagenError(first.code, parts.join(' '), { hint: first.hint, retryable: false, cause: first });
}

async function eachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const line = async () => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(IN_FLIGHT, items.length) }, line));
}

/** Renders through the queue, and takes back what is still in it when the run ends early. */
class RenderTasks {
  private readonly deps: RenderDeps;
  private readonly signal: AbortSignal;
  private readonly run = newTaskId();
  private readonly open = new Set<TaskId>();
  private count = 0;

  constructor(deps: RenderDeps, signal: AbortSignal) {
    this.deps = deps;
    this.signal = signal;
  }

  readonly render: Render = async (sources, jobs, what) => {
    const payload: RenderPayload = { engine: this.deps.config.render.engine, sources, jobs: [...jobs] };
    const task: Task = {
      kind: 'render',
      id: derivedTaskId(this.run, what, this.count++),
      payload,
      requires: ['cpu'],
      attempts: 0,
      created_at: new Date().toISOString(),
      schema_v: TASK_SCHEMA_V,
    };
    this.open.add(task.id);
    const data = RenderData.parse(await this.deps.desk.run(task, this.signal));
    this.open.delete(task.id);
    if (data.kind === 'failed') throw new PeagenError(data.code, data.message, { hint: data.hint });
    return data.texts;
  };

  async cancel(): Promise<void> {
    await this.deps.desk.cancel([...this.open], 'the rendering has ended');
  }
}
