/** From a project to its files, in order: renders the file lists of its packages, and finds the template of each file. */
import { PeagenError } from '../../shared/errors.ts';
import { differencesIn } from './jinja/differences.ts';
import { IntegralFloat, writeJson } from './jinja/python.ts';
import { MAX_FILES } from './limits.ts';
import { outputPath, requireNoClash } from './paths.ts';
import type { Package, Project } from './payload.ts';
import { type FileRecord, order, parseRecords } from './records.ts';
import { type Closure, FILE_LIST, findTemplateSet, type SearchOptions, TemplateSearch } from './sets/search.ts';
import type { RenderEngineName } from './task.ts';

/** A template to be rendered, with all that it may use. */
export interface RenderItem {
  /** What is rendered, for a user. */
  readonly what: string;
  readonly sources: Readonly<Record<string, string>>;
  /** A name of `sources`. */
  readonly entry: string;
  /** Variables of all items of the project, as JSON text. */
  readonly shared: string;
  readonly context: string;
}

export interface PlannedFile {
  readonly output: string;
  readonly dependencies: readonly string[];
  /** `GENERATE`: the template is that of the prompt, and a language model writes the file. */
  readonly process: 'COPY' | 'GENERATE';
  /** The template's name, for people and the manifest. */
  readonly template: string;
  readonly package: string;
  /** A name of the closure's sources. */
  readonly entry: string;
  readonly closure: Closure;
  readonly shared: string;
  /** Made when it is needed: a large payload times many files is more than memory holds. */
  readonly context: () => string;
}

export interface ProjectPlan {
  readonly project: string;
  /** In order. */
  readonly files: readonly PlannedFile[];
  /** The same files: each level needs only those before it. */
  readonly levels: readonly (readonly PlannedFile[])[];
  readonly warnings: readonly string[];
}

/** Renders templates, wherever that is done. One text per item; throws for the first that fails, naming it. */
type Render = (items: readonly RenderItem[]) => Promise<string[]>;

interface Found {
  readonly record: FileRecord;
  readonly search: TemplateSearch;
  readonly set: string;
  readonly package: string;
}

export async function planProject(
  project: Project,
  options: SearchOptions & { readonly engine: RenderEngineName },
  render: Render,
): Promise<ProjectPlan> {
  const { found, warnings } = await fileLists(project, options, render);
  if (found.length > MAX_FILES) {
    throw new PeagenError('too_large', `The project "${project.NAME}" has ${found.length} files; ${MAX_FILES} are allowed.`);
  }
  const shared = sharedOf(project);
  const names = await renderedNames(project, shared, found, render);
  const files = await Promise.all(
    found.map((each, index) =>
      planFile(project, sharedWith(project, shared, each.record), each, names[index] ?? each.record.FILE_NAME),
    ),
  );
  const { ordered, levels, warnings: orderWarnings } = order(files);
  requireNoClash(ordered.map(({ output }) => output));
  const seen = options.engine === 'minijinja' ? [...floatWarnings(project), ...differenceWarnings(ordered)] : [];
  return { project: project.NAME, files: ordered, levels, warnings: [...warnings, ...orderWarnings, ...seen] };
}

/** PROJ, which a template knows when its record names the project. */
function sharedOf(project: Project): string {
  return writeJson({ PROJ: { EXTRAS: {}, PKGS: project.PACKAGES.map(withExtras), ...project } });
}

/** The records of all packages. A set that several packages use is read once. */
async function fileLists(
  project: Project,
  options: SearchOptions,
  render: Render,
): Promise<{ found: Found[]; warnings: string[] }> {
  const searches = new Map<string, TemplateSearch>();
  const lists: { package: Package; set: string; search: TemplateSearch; item: RenderItem }[] = [];
  for (const each of project.PACKAGES) {
    const set = setOf(project, each);
    const search = searches.get(set) ?? new TemplateSearch(await findTemplateSet(set, options), options);
    searches.set(set, search);
    const { sources } = await search.closure(FILE_LIST);
    const context = listContext(project, each);
    const item = { what: `${set}/${FILE_LIST}`, sources, entry: FILE_LIST, shared: '{}', context };
    lists.push({ package: each, set, search, item });
  }
  const texts = await render(lists.map(({ item }) => item));
  const parsed = lists.map(({ package: each, set, search, item }, index) => {
    const { records, warnings } = parseRecords(texts[index] ?? '', `${item.what} for package "${each.NAME}"`);
    return { found: records.map((record) => ({ record, search, set, package: each.NAME })), warnings };
  });
  return { found: parsed.flatMap(({ found }) => found), warnings: parsed.flatMap(({ warnings }) => warnings) };
}

/** What a list of files is rendered with, for a package. */
function listContext(project: Project, each: Package): string {
  return writeJson({ PROJ: { EXTRAS: {}, ...project, PKGS: [withExtras(each)] } });
}

function setOf(project: Project, each: Package): string {
  return each.TEMPLATE_SET_OVERRIDE ?? each.TEMPLATE_SET ?? project.TEMPLATE_SET ?? 'default';
}

function withExtras(each: Package): object {
  return { EXTRAS: {}, ...each, MODULES: (each.MODULES ?? []).map((module) => ({ EXTRAS: {}, ...module })) };
}

function processOf({ PROCESS_TYPE, FILE_NAME, RENDERED_FILE_NAME }: FileRecord): PlannedFile['process'] {
  const type = (PROCESS_TYPE ?? 'COPY').toUpperCase();
  if (type === 'COPY' || type === 'GENERATE') return type;
  const name = RENDERED_FILE_NAME ?? FILE_NAME;
  throw new PeagenError('invalid_input', `The file ${name} has PROCESS_TYPE ${JSON.stringify(PROCESS_TYPE)}.`, {
    hint: 'Use COPY or GENERATE.',
  });
}

/** Each FILE_NAME as rendered, where its text is not a template's path already. */
async function renderedNames(project: Project, shared: string, found: readonly Found[], render: Render): Promise<string[]> {
  const names = found.map(({ record }) => record.FILE_NAME);
  const items: RenderItem[] = [];
  const places: number[] = [];
  for (const [index, { record, search }] of found.entries()) {
    const name = record.FILE_NAME;
    if (!/\{[{%#]/.test(name) || (record.RENDERED_FILE_NAME != null && (await search.source(name)) !== undefined)) continue;
    const entry = `FILE_NAME ${name}`;
    const known = sharedWith(project, shared, record);
    items.push({ what: entry, sources: { [entry]: name }, entry, shared: known, context: contextOf(project, record) });
    places.push(index);
  }
  const rendered = items.length === 0 ? [] : await render(items);
  for (const [at, index] of places.entries()) names[index] = rendered[at] ?? names[index] ?? '';
  return names;
}

async function planFile(project: Project, shared: string, found: Found, rendered: string): Promise<PlannedFile> {
  const { record, search, set } = found;
  const output = outputPath(record.RENDERED_FILE_NAME ?? rendered.replace(/\.j2$/, ''));
  const process = processOf(record);
  const copied = await firstOf(search, [record.FILE_NAME, rendered]);
  const prompt = process === 'GENERATE' ? await promptOf(project, found, output) : undefined;
  const entry = prompt ?? copied;
  if (entry === undefined) {
    throw new PeagenError('not_found', `The template "${record.FILE_NAME}" of ${output} does not exist.`, {
      hint: `Looked in ${search.set}, the workspace and templates.search_path for it and for "${rendered}".`,
    });
  }
  const own = await search.closure(entry);
  // A prompt may include the template of its file.
  const beside = prompt === undefined || copied === undefined ? undefined : await search.closure(copied);
  return {
    output,
    dependencies: (record.EXTRAS?.DEPENDENCIES ?? []).map((path) => path.replace(/^\.\//, '')),
    process,
    template: `${set}/${entry}`,
    package: found.package,
    entry,
    closure: beside === undefined ? own : { ...own, sources: { ...beside.sources, ...own.sources } },
    shared,
    context: () => contextOf(project, { ...record, RENDERED_FILE_NAME: output }),
  };
}

async function promptOf(project: Project, { record, search }: Found, output: string): Promise<string> {
  const { AGENT_PROMPT_TEMPLATE_OVERRIDE: over } = packageOf(project, record) ?? {};
  const name = over ?? record.AGENT_PROMPT_TEMPLATE;
  const found = name == null ? undefined : await firstOf(search, [name]);
  if (found !== undefined) return found;
  const reason = name == null ? 'has no AGENT_PROMPT_TEMPLATE' : `has the prompt template "${name}", which does not exist`;
  throw new PeagenError(name == null ? 'invalid_input' : 'not_found', `The generated file ${output} ${reason}.`, {
    hint: `Put a template into ${search.set} and name it in AGENT_PROMPT_TEMPLATE.`,
  });
}

async function firstOf(search: TemplateSearch, names: readonly string[]): Promise<string | undefined> {
  for (const name of names.flatMap((each) => [each, `${each}.j2`])) if ((await search.source(name)) !== undefined) return name;
  return undefined;
}

function packageOf(project: Project, record: FileRecord): Package | undefined {
  return project.PACKAGES.find(({ NAME }) => NAME === record.PACKAGE_NAME);
}

/** PROJ is undefined in a template whose record does not name the project, as in the original renderer. */
function sharedWith(project: Project, shared: string, record: FileRecord): string {
  return record.PROJECT_NAME === project.NAME ? shared : '{}';
}

/** PKG and MOD only when the record names ones that exist. */
function contextOf(project: Project, record: FileRecord): string {
  const each = packageOf(project, record);
  const module = each?.MODULES?.find(({ NAME }) => NAME === record.MODULE_NAME);
  return writeJson({
    ...(each === undefined ? {} : { PKG: withExtras(each) }),
    ...(module === undefined ? {} : { MOD: { EXTRAS: {}, ...module } }),
    FILE: record,
  });
}

function floatWarnings(project: Project): string[] {
  if (!hasIntegralFloat(project)) return [];
  return [`${project.NAME}: a number such as 1.0 prints as 1. Write it as a text, or set engine = "jinja2" under [render].`];
}

function hasIntegralFloat(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return value instanceof IntegralFloat || Object.values(value).some(hasIntegralFloat);
}

/** What the embedded engine will do otherwise than Python's Jinja2, one line per template and difference. */
function differenceWarnings(files: readonly PlannedFile[]): string[] {
  const lines = files.flatMap(({ template, closure, entry }) =>
    differencesIn(closure.sources[entry] ?? '').map(({ advice }) => `${template}: ${advice}`),
  );
  return [...new Set(lines)];
}
