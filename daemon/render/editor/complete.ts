/** What can stand at a place of a payload file, a list of files or a template of a set. */
import type { RenderCompletion, SetExtras } from '../../../shared/protocol/render.ts';
import { Module, Package, Payload, Project } from '../payload.ts';
import { FileRecord } from '../records.ts';
import { extrasOf } from '../sets/extras.ts';
import { FILE_LIST } from '../sets/search.ts';
import { filesOf, listTemplateSets } from '../sets/sets.ts';
import { isPayload, setAround, type TemplatePlace, useOf } from './uses.ts';
import { pieceAt, valuesOf } from './value.ts';

type Shape = Readonly<Record<string, { meta(): { description?: string | undefined } | undefined }>>;

/** What is inside the list of this key. */
const payloadShapes: Readonly<Record<string, Shape>> = {
  '': Payload.shape,
  PROJECTS: Project.shape,
  PACKAGES: Package.shape,
  MODULES: Module.shape,
};

/** What the EXTRAS in this list are of. */
const levels: Readonly<Record<string, keyof SetExtras>> = { PROJECTS: 'project', PACKAGES: 'package', MODULES: 'module' };

export async function completeRenderFile(
  path: string,
  text: string,
  offset: number,
  place: TemplatePlace,
): Promise<RenderCompletion[]> {
  const set = path.endsWith('.j2') ? await setAround(path) : undefined;
  if (set === undefined) return isPayload(path, text) ? inPayload(text, offset, place) : [];
  const code = pieceAt(text, Math.max(0, offset - 1));
  if (code !== undefined && code.piece.kind !== 'text') return variables(path, text, offset, place);
  return set.name === FILE_LIST ? inList(set.folder, text, offset) : [];
}

async function inPayload(text: string, offset: number, place: TemplatePlace): Promise<RenderCompletion[]> {
  const { before, value, indent } = lineAt(text, offset);
  if (value !== undefined) {
    if (value !== 'TEMPLATE_SET' && value !== 'TEMPLATE_SET_OVERRIDE') return [];
    const sets = await listTemplateSets({ ...place, home: place.workspace });
    return sets.map(({ name, description }) => ({ label: name, kind: 'value', detail: description, insert: name }));
  }
  const parents = parentsOf(text.slice(0, offset - before.length), indent);
  const level = parents.at(-1) === 'EXTRAS' ? levels[parents.at(-2) ?? ''] : undefined;
  if (level !== undefined) return extrasIn(text, level, place);
  const shape = payloadShapes[parents.at(-1) ?? ''];
  return shape === undefined ? [] : keysOf(shape);
}

/** What the sets that the payload names read. */
async function extrasIn(text: string, level: keyof SetExtras, place: TemplatePlace): Promise<RenderCompletion[]> {
  const named = new Set([...text.matchAll(/\bTEMPLATE_SET(?:_OVERRIDE)?["']?\s*:\s*["']?([\w.-]+)/g)].map(([, name]) => name));
  const sets = (await listTemplateSets({ ...place, home: place.workspace })).filter(({ name }) => named.has(name));
  const extras = (await Promise.all(sets.map(({ folder }) => extrasOf(folder)))).flatMap((each) => each[level]);
  const items = extras.map(({ name, example }): [string, RenderCompletion] => [
    name,
    { label: name, kind: 'key', detail: example === undefined ? '' : JSON.stringify(example), insert: `${name}: ` },
  ]);
  return [...new Map(items).values()];
}

async function inList(folder: string, text: string, offset: number): Promise<RenderCompletion[]> {
  const { before, value, indent } = lineAt(text, offset);
  if (value === 'PROCESS_TYPE') return ['COPY', 'GENERATE'].map((label) => ({ label, kind: 'value', detail: '', insert: label }));
  if (value === 'FILE_NAME' || value === 'AGENT_PROMPT_TEMPLATE') {
    const files = (await filesOf(folder)).filter((file) => file !== FILE_LIST && file.endsWith('.j2'));
    return files.map((label) => ({ label, kind: 'file', detail: '', insert: label }));
  }
  if (value !== undefined) return [];
  const parent = parentsOf(text.slice(0, offset - before.length), indent).at(-1);
  if (parent === 'EXTRAS') {
    return [{ label: 'DEPENDENCIES', kind: 'key', detail: 'Rendered files that come before it.', insert: 'DEPENDENCIES: ' }];
  }
  return keysOf(FileRecord.shape);
}

/** Names that a template knows, or the keys of what stands before the point. */
async function variables(path: string, text: string, offset: number, place: TemplatePlace): Promise<RenderCompletion[]> {
  const use = await useOf(path, place);
  if (use === undefined) return [];
  const before = /([A-Za-z_][\w.]*)?$/.exec(text.slice(0, offset))?.[1] ?? '';
  const dot = before.lastIndexOf('.');
  if (dot < 0) {
    const names = Object.keys({ ...JSON.parse(use.shared), ...JSON.parse(use.context) });
    const loops = [...text.slice(0, offset).matchAll(/\{%[-+]?\s*(?:for|set)\s+(\w+)/g)].map(([, name = '']) => name);
    return [...new Set([...names, ...loops])].map((label) => ({ label, kind: 'variable', detail: '', insert: label }));
  }
  const expression = before.slice(0, dot);
  const start = offset - before.length;
  const { values } = await valuesOf(text, { expression, start, end: start + dot }, use);
  const keys = new Map<string, string>();
  for (const value of values) {
    const parsed = objectOf(value);
    for (const [key, each] of Object.entries(parsed)) keys.set(key, JSON.stringify(each)?.slice(0, 80) ?? '');
  }
  return Array.from(keys, ([label, detail]) => ({ label, kind: 'variable', detail, insert: label }));
}

function objectOf(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    // Cut short.
    return {};
  }
}

function keysOf(shape: Shape): RenderCompletion[] {
  return Object.entries(shape).map(([label, schema]) => ({
    label,
    kind: 'key',
    detail: schema.meta()?.description ?? '',
    insert: `${label}: `,
  }));
}

/** The line up to the offset: the key whose value is being written, if so, and how deep it is. */
function lineAt(text: string, offset: number): { before: string; value: string | undefined; indent: number } {
  const before = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  const value = /(?:^|[\s{,-])([A-Za-z_]+)\s*:\s+["']?[^,{}]*$/.exec(before)?.[1];
  return { before, value, indent: /^[\s-]*/.exec(before)?.[0].length ?? 0 };
}

/** The keys of the blocks that a line of this depth is in, the outermost first. */
function parentsOf(above: string, indent: number): string[] {
  const parents: string[] = [];
  let depth = indent;
  for (const line of above.split('\n').reverse()) {
    const found = /^([\s-]*)["']?([A-Za-z_]+)["']?\s*:\s*(.*)$/.exec(line);
    const own = found?.[1]?.length ?? Number.POSITIVE_INFINITY;
    if (found === null || own >= depth) continue;
    depth = own;
    parents.unshift(found[2] ?? '');
  }
  return parents;
}
