/** The records of a rendered `ptree.yaml.j2`, and their order: dependencies first, ties by code point. */
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { readYaml } from './yaml.ts';

const Text = z.string().nullish();

/** What else a record holds is kept for its template, as FILE. */
export const FileRecord = z.looseObject({
  FILE_NAME: z.string().min(1).meta({ description: 'The template, in the set.' }),
  RENDERED_FILE_NAME: Text.meta({ description: 'The path of the file, in the output folder.' }),
  PROCESS_TYPE: Text.meta({ description: 'COPY (default): rendered. GENERATE: a model writes it.' }),
  AGENT_PROMPT_TEMPLATE: Text.meta({ description: 'The template of the prompt of a generated file.' }),
  PROJECT_NAME: Text.meta({ description: 'The project it belongs to.' }),
  PACKAGE_NAME: Text.meta({ description: 'The package that its template gets as PKG.' }),
  MODULE_NAME: Text.meta({ description: 'The module that its template gets as MOD.' }),
  EXTRAS: z
    .looseObject({
      DEPENDENCIES: z.array(z.string()).nullish().meta({ description: 'Rendered files that come before it.' }),
    })
    .nullish()
    .meta({ description: 'DEPENDENCIES, and what else the template uses.' }),
});
export type FileRecord = z.infer<typeof FileRecord>;

const Records = z.union([z.array(FileRecord), z.looseObject({ FILES: z.array(FileRecord).nullish() })]);

export function parseRecords(yaml: string, name: string): { records: FileRecord[]; warnings: string[] } {
  const { value, warnings } = readYaml(yaml, name);
  if (value === null || value === undefined) return { records: [], warnings };
  const parsed = Records.safeParse(value);
  if (!parsed.success) {
    throw new PeagenError('invalid_input', `${name} gives no list of records: ${z.prettifyError(parsed.error)}`, {
      hint: 'It must render to a list of { FILE_NAME, RENDERED_FILE_NAME, … }, or to { FILES: [...] }.',
    });
  }
  return { records: Array.isArray(parsed.data) ? parsed.data : (parsed.data.FILES ?? []), warnings };
}

/** A file to be made. */
interface Ordered {
  readonly output: string;
  readonly dependencies: readonly string[];
}

/**
 * The last of those with one output, topologically by dependencies, ties by code point; O(n log n + dependencies).
 * Unknown dependencies are ignored. Throws `invalid_input` that names a cycle.
 */
export function order<T extends Ordered>(files: readonly T[]): { ordered: T[]; levels: T[][]; warnings: string[] } {
  const warnings: string[] = [];
  const byOutput = new Map<string, T>();
  for (const file of files) {
    if (byOutput.has(file.output)) warnings.push(`${file.output} is named by several records; the last one counts.`);
    byOutput.set(file.output, file);
  }
  const needs = new Map(
    Array.from(byOutput, ([output, { dependencies }]) => [output, new Set(dependencies.filter((name) => byOutput.has(name)))]),
  );
  const ordered: T[] = [];
  const level = new Map<string, number>();
  const dependents = new Map<string, string[]>();
  for (const [output, names] of needs)
    for (const name of names) {
      const waiting = dependents.get(name);
      if (waiting === undefined) dependents.set(name, [output]);
      else waiting.push(output);
    }
  const missing = new Map(Array.from(needs, ([output, names]) => [output, names.size]));
  const ready = new Heap();
  for (const [output, count] of missing) if (count === 0) ready.push(output);
  for (let output = ready.pop(); output !== undefined; output = ready.pop()) {
    const file = byOutput.get(output);
    if (file !== undefined) ordered.push(file);
    const own = Math.max(-1, ...Array.from(needs.get(output) ?? [], (name) => level.get(name) ?? 0)) + 1;
    level.set(output, own);
    for (const dependent of dependents.get(output) ?? []) {
      const rest = (missing.get(dependent) ?? 1) - 1;
      missing.set(dependent, rest);
      if (rest === 0) ready.push(dependent);
    }
  }
  if (ordered.length < byOutput.size) throw cycleError(needs, level);
  const levels: T[][] = [];
  for (const file of ordered) {
    const index = level.get(file.output) ?? 0;
    levels[index] ??= [];
    levels[index].push(file);
  }
  return { ordered, levels, warnings };
}

function cycleError(needs: ReadonlyMap<string, ReadonlySet<string>>, done: ReadonlyMap<string, number>): PeagenError {
  const open = (name: string) => [...(needs.get(name) ?? [])].filter((other) => !done.has(other)).sort(byCodePoint)[0];
  const path: string[] = [];
  let at = [...needs.keys()].filter((name) => !done.has(name)).sort(byCodePoint)[0];
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    at = open(at);
  }
  const cycle = [...path.slice(at === undefined ? 0 : path.indexOf(at)), at ?? ''].join(' → ');
  return new PeagenError('invalid_input', `The files depend on each other in a circle: ${cycle}.`, {
    hint: 'Take one of them out of DEPENDENCIES.',
  });
}

/** As Python sorts texts: by code point, which JavaScript's own order of UTF-16 units is not. */
export function byCodePoint(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const gap = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (gap !== 0) return gap;
  }
  return left.length - right.length;
}

/** A binary heap of names, the least first. */
class Heap {
  private readonly items: string[] = [];

  push(name: string): void {
    let at = this.items.push(name) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (byCodePoint(this.items[parent] ?? '', name) <= 0) break;
      this.items[at] = this.items[parent] ?? '';
      at = parent;
    }
    this.items[at] = name;
  }

  pop(): string | undefined {
    const [least] = this.items;
    const last = this.items.pop();
    if (last === undefined || this.items.length === 0) return least;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.items.length) break;
      if (child + 1 < this.items.length && byCodePoint(this.items[child + 1] ?? '', this.items[child] ?? '') < 0) child += 1;
      if (byCodePoint(last, this.items[child] ?? '') <= 0) break;
      this.items[at] = this.items[child] ?? '';
      at = child;
    }
    this.items[at] = last;
    return least;
  }
}
