/** Which EXTRAS a template set reads, of a project, a package and a module: from its templates and its example payload. */
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Extra, SetExtras } from '../../../shared/protocol/render.ts';
import { IntegralFloat } from '../jinja/python.ts';
import { codeOf } from '../jinja/rewrite.ts';
import { type Package, parsePayload } from '../payload.ts';
import { filesOf } from './sets.ts';

type Level = keyof SetExtras;
type Found = Record<Level, Map<string, Extra>>;

/** Templates of a set that are looked at, and the bytes of one: more of them name nothing new. */
const MAX_LOOKED_AT = 200;
const MAX_BYTES = 256 * 1024;
/** Characters of an example. */
const MAX_EXAMPLE = 500;
/** The example of a set, next to its list of files. */
const EXAMPLE = 'payload.yaml';
const names: Readonly<Record<string, Level>> = { PROJ: 'project', PKG: 'package', MOD: 'module' };
const lists: Readonly<Record<string, Level>> = { PKGS: 'package', PACKAGES: 'package', MODULES: 'module' };
const loop = /\bfor\s+(\w+)\s+in\s+[\w.]*\b(PKGS|PACKAGES|MODULES)\b/g;
const use = /\b(\w+)\.EXTRAS(?:\.(?!(?:items|keys|values|get)\s*\()(\w+)|(?:\[|\.get\()\s*["'](\w+)["'])/g;

/** In the order of the example, then of the templates. */
export async function extrasOf(folder: string): Promise<SetExtras> {
  const found: Found = { project: new Map(), package: new Map(), module: new Map() };
  const example = await textOf(join(folder, EXAMPLE));
  if (example !== undefined) inExample(example, found);
  const templates = (await filesOf(folder)).filter((file) => file.endsWith('.j2')).slice(0, MAX_LOOKED_AT);
  for (const file of templates) {
    const text = await textOf(join(folder, file));
    if (text !== undefined) inTemplate(text, found);
  }
  return { project: [...found.project.values()], package: [...found.package.values()], module: [...found.module.values()] };
}

function inExample(text: string, found: Found): void {
  const note = (level: Level, { EXTRAS }: Pick<Package, 'EXTRAS'>) => {
    for (const [name, value] of Object.entries(EXTRAS ?? {})) {
      const json = JSON.stringify(value, (_, each: unknown) => (each instanceof IntegralFloat ? each.value : each)) ?? '';
      const example = json === '' || json.length > MAX_EXAMPLE ? {} : { example: JSON.parse(json) as Extra['example'] };
      if (!found[level].has(name)) found[level].set(name, { name, ...example });
    }
  };
  try {
    for (const project of parsePayload(text, EXAMPLE).projects) {
      note('project', project);
      for (const each of project.PACKAGES) {
        note('package', each);
        for (const module of each.MODULES ?? []) note('module', module);
      }
    }
  } catch {
    // No payload, or a broken one: the templates say enough.
  }
}

function inTemplate(source: string, found: Found): void {
  const code = codeOf(source).join('\n');
  const known = { ...names };
  for (const [, name = '', list = ''] of code.matchAll(loop)) {
    const level = lists[list];
    if (level !== undefined) known[name] = level;
  }
  for (const [, owner = '', dotted, quoted] of code.matchAll(use)) {
    const level = known[owner];
    const name = dotted ?? quoted ?? '';
    if (level !== undefined && !found[level].has(name)) found[level].set(name, { name });
  }
}

async function textOf(path: string): Promise<string | undefined> {
  const size = await lstat(path).then(
    (entry) => (entry.isFile() ? entry.size : undefined),
    () => undefined,
  );
  return size === undefined || size > MAX_BYTES ? undefined : await readFile(path, 'utf8');
}
