/** From a project to its files, in order: renders the file lists of its packages, and finds the template of each file. */
import { PeagenError } from '../../shared/errors.ts';
import { differencesIn } from './differences.ts';
import type { RenderJob } from './engine.ts';
import { MAX_FILES } from './limits.ts';
import { outputPath, requireNoClash } from './paths.ts';
import type { Package, Project } from './payload.ts';
import { IntegralFloat, writeJson } from './python.ts';
import { type FileRecord, order, parseRecords } from './records.ts';
import { findTemplateSet, type SearchOptions, TemplateSearch } from './search.ts';
import type { RenderEngineName } from './task.ts';

const FILE_LIST = 'ptree.yaml.j2';

export interface PlannedFile {
  readonly output: string;
  readonly dependencies: readonly string[];
  /** The template's name, for people and the manifest. */
  readonly template: string;
  readonly package: string;
  readonly sources: Readonly<Record<string, string>>;
  /** A name of `sources`. */
  readonly entry: string;
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

/** Renders templates, wherever that is done. */
export type Render = (sources: Readonly<Record<string, string>>, jobs: readonly RenderJob[], what: string) => Promise<string[]>;

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
  const lists = await Promise.all(project.PACKAGES.map((each) => fileList(project, each, options, render)));
  const warnings = lists.flatMap((list) => list.warnings);
  const found = lists.flatMap((list) => list.found);
  if (found.length > MAX_FILES) {
    throw new PeagenError('too_large', `The project "${project.NAME}" has ${found.length} files; ${MAX_FILES} are allowed.`);
  }
  for (const { record } of found) requireCopy(record);
  const names = await renderedNames(project, found, render);
  const files = await Promise.all(found.map((each, index) => planFile(project, each, names[index] ?? each.record.FILE_NAME)));
  const { ordered, levels, warnings: orderWarnings } = order(files);
  requireNoClash(ordered.map(({ output }) => output));
  const seen = options.engine === 'minijinja' ? [...floatWarnings(project), ...differenceWarnings(ordered)] : [];
  return { project: project.NAME, files: ordered, levels, warnings: [...warnings, ...orderWarnings, ...seen] };
}

async function fileList(
  project: Project,
  each: Package,
  options: SearchOptions,
  render: Render,
): Promise<{ found: Found[]; warnings: string[] }> {
  const set = each.TEMPLATE_SET_OVERRIDE ?? each.TEMPLATE_SET ?? project.TEMPLATE_SET ?? 'default';
  const search = new TemplateSearch(await findTemplateSet(set, options), options);
  const sources = await search.closure(FILE_LIST);
  const name = `${set}/${FILE_LIST}`;
  const context = writeJson({ PROJ: { EXTRAS: {}, ...project, PKGS: [withExtras(each)] } });
  const [yaml = ''] = await render(sources, [{ template: FILE_LIST, context }], name);
  const { records, warnings } = parseRecords(yaml, `${name} for package "${each.NAME}"`);
  return { found: records.map((record) => ({ record, search, set, package: each.NAME })), warnings };
}

function withExtras(each: Package): object {
  return { EXTRAS: {}, ...each, MODULES: (each.MODULES ?? []).map((module) => ({ EXTRAS: {}, ...module })) };
}

/** Refused before anything is rendered. */
function requireCopy({ PROCESS_TYPE, FILE_NAME, RENDERED_FILE_NAME }: FileRecord): void {
  const type = (PROCESS_TYPE ?? 'COPY').toUpperCase();
  if (type === 'COPY') return;
  const name = RENDERED_FILE_NAME ?? FILE_NAME;
  if (type === 'GENERATE') {
    throw new PeagenError('unsupported', `The file ${name} has PROCESS_TYPE GENERATE, which this version does not do.`, {
      hint: 'Make it a COPY record with a template, or take it out of the list.',
    });
  }
  throw new PeagenError('invalid_input', `The file ${name} has PROCESS_TYPE ${JSON.stringify(PROCESS_TYPE)}.`, {
    hint: 'Use COPY.',
  });
}

/** Each FILE_NAME as rendered, where its text is no template's path already. */
async function renderedNames(project: Project, found: readonly Found[], render: Render): Promise<string[]> {
  const names: string[] = [];
  for (const { record, search } of found) {
    const name = record.FILE_NAME;
    const literal = !/\{[{%#]/.test(name) || (record.RENDERED_FILE_NAME != null && (await search.source(name)) !== undefined);
    const template = `FILE_NAME ${name}`;
    const [rendered = name] = literal
      ? [name]
      : await render({ [template]: name }, [{ template, context: contextOf(project, record) }], template);
    names.push(rendered);
  }
  return names;
}

async function planFile(project: Project, { record, search, set, package: each }: Found, rendered: string): Promise<PlannedFile> {
  const output = outputPath(record.RENDERED_FILE_NAME ?? rendered.replace(/\.j2$/, ''));
  const names = [record.FILE_NAME, rendered].flatMap((name) => [name, `${name}.j2`]);
  for (const name of names) {
    if ((await search.source(name)) === undefined) continue;
    const context = () => contextOf(project, { ...record, RENDERED_FILE_NAME: output });
    const dependencies = (record.EXTRAS?.DEPENDENCIES ?? []).map((path) => path.replace(/^\.\//, ''));
    return {
      output,
      dependencies,
      template: `${set}/${name}`,
      package: each,
      sources: await search.closure(name),
      entry: name,
      context,
    };
  }
  throw new PeagenError('not_found', `The template "${record.FILE_NAME}" of ${output} is nowhere.`, {
    hint: `Looked in ${search.set}, the workspace and templates.search_path for it and for "${rendered}".`,
  });
}

/** PKG and MOD only when the record names ones that exist. */
function contextOf(project: Project, record: FileRecord): string {
  const each = project.PACKAGES.find(({ NAME }) => NAME === record.PACKAGE_NAME);
  const module = each?.MODULES?.find(({ NAME }) => NAME === record.MODULE_NAME);
  return writeJson({
    PROJ: { EXTRAS: {}, PKGS: project.PACKAGES.map(withExtras), ...project },
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
  const lines = files.flatMap(({ template, sources, entry }) =>
    differencesIn(sources[entry] ?? '').map(({ advice }) => `${template}: ${advice}`),
  );
  return [...new Set(lines)];
}
