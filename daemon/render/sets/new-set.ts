/** The beginning of a template set of one's own: a list of files, one template and a payload that uses them. */
import { cp, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PeagenError } from '../../../shared/errors.ts';
import { FILE_LIST, findTemplateSet, type SearchOptions } from './search.ts';

const list = `# Rendered once for each package, with PROJ; PROJ.PKGS holds that package.
FILES:
{%- for pkg in PROJ.PKGS %}
  - FILE_NAME: "README.md.j2"
    RENDERED_FILE_NAME: "{{ PROJ.ROOT or PROJ.NAME }}/{{ pkg.NAME }}/README.md"
    PACKAGE_NAME: "{{ pkg.NAME }}"
{%- endfor %}
`;
const readme = `# {{ PKG.NAME }}

A package of {{ PROJ.NAME }}{% if PKG.MODULES %} with {{ PKG.MODULES|map(attribute="NAME")|join(", ") }}{% endif %}.

`;

/** Names of what was made, relative to the workspace. Throws `conflict` when something is there. */
export async function newTemplateSet(
  name: string,
  from: string | undefined,
  options: SearchOptions,
  dryRun: boolean,
): Promise<string[]> {
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u.test(name)) {
    throw new PeagenError('invalid_input', `${JSON.stringify(name.slice(0, 100))} is not a name for a template set.`, {
      hint: 'Use letters, digits, dots and dashes.',
    });
  }
  const set = join('templates', name);
  const payload = `${name}.yaml`;
  const source = from === undefined ? undefined : await findTemplateSet(from, options);
  for (const path of [set, payload]) {
    const there = await stat(resolve(options.workspace, path)).catch(() => undefined);
    if (there !== undefined) throw new PeagenError('conflict', `${path} is there already.`, { hint: 'Choose another name.' });
  }
  if (dryRun) return [set, payload];
  const folder = resolve(options.workspace, set);
  await mkdir(dirname(folder), { recursive: true });
  if (source === undefined) {
    await mkdir(folder);
    await writeFile(join(folder, FILE_LIST), list);
    await writeFile(join(folder, 'README.md.j2'), readme);
  } else {
    await cp(source, folder, { recursive: true, errorOnExist: true });
  }
  await writeFile(resolve(options.workspace, payload), payloadText(name));
  return [set, payload];
}

function payloadText(name: string): string {
  return `schemaVersion: "1.0.0"
PROJECTS:
  - NAME: ${name}
    ROOT: ${name}
    TEMPLATE_SET: ${name}
    PACKAGES:
      - NAME: first
        MODULES:
          - NAME: one
`;
}
