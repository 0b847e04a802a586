/** The payload of a render: which projects, packages and modules there are. What a template may use beyond the schema is kept. */
import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { MAX_PAYLOAD } from './limits.ts';
import { readYaml } from './yaml.ts';

const Name = z.string().min(1);
const Extras = z.record(z.string(), z.unknown()).nullish().meta({ description: 'What templates use in addition to the names.' });

export const Module = z.looseObject({ NAME: Name.meta({ description: 'The name of a module.' }), EXTRAS: Extras });
export const Package = z.looseObject({
  NAME: Name.meta({ description: 'The name of a package.' }),
  TEMPLATE_SET: Name.nullish().meta({ description: 'The template set of this package.' }),
  TEMPLATE_SET_OVERRIDE: Name.nullish().meta({ description: 'Goes before every TEMPLATE_SET.' }),
  AGENT_PROMPT_TEMPLATE_OVERRIDE: Name.nullish().meta({
    description: 'The prompt template of all generated files of this package.',
  }),
  EXTRAS: Extras,
  MODULES: z.array(Module).nullish().meta({ description: 'The modules of this package.' }),
});
export type Package = z.infer<typeof Package>;
export const Project = z.looseObject({
  NAME: Name.meta({ description: 'The name of the project.' }),
  ROOT: z.string().nullish().meta({ description: 'The folder of the project in the output folder.', form: true }),
  TEMPLATE_SET: Name.nullish().meta({ description: 'The template set of packages that name none.' }),
  EXTRAS: Extras,
  PACKAGES: z.array(Package).default([]).meta({ description: 'The packages of the project.' }),
});
export type Project = z.infer<typeof Project>;
export const Payload = z.looseObject({
  schemaVersion: z.unknown().optional().meta({ description: 'The version of this form of file: "1.0.0".' }),
  PROJECTS: z.array(Project).min(1).meta({ description: 'The projects that are rendered.' }),
});

export interface LoadedPayload {
  readonly projects: readonly Project[];
  readonly warnings: readonly string[];
}

/** Throws `not_found`, or `invalid_input` that names the file and every fault. */
export async function loadPayload(path: string): Promise<LoadedPayload> {
  const found = await stat(path).catch((caught: NodeJS.ErrnoException) => {
    throw new PeagenError('not_found', `The project file ${path} cannot be read (${caught.code}).`, { hint: 'Check --project.' });
  });
  if (!found.isFile())
    throw new PeagenError('not_found', `The project file ${path} is not a file.`, { hint: 'Check --project.' });
  if (found.size > MAX_PAYLOAD) {
    throw new PeagenError('too_large', `The project file ${path} has ${found.size} bytes; ${MAX_PAYLOAD} are allowed.`);
  }
  return parsePayload(await readFile(path, 'utf8'), path);
}

export function parsePayload(text: string, path: string): LoadedPayload {
  const { value, warnings } = readYaml(text, path);
  const parsed = Payload.safeParse(value);
  if (!parsed.success) {
    throw new PeagenError('invalid_input', `The project file ${path} is malformed: ${z.prettifyError(parsed.error)}`, {
      hint: 'It needs PROJECTS: a list of { NAME, ROOT, PACKAGES }.',
    });
  }
  const projects = parsed.data.PROJECTS;
  requireUnique(
    projects.map(({ NAME }) => slugOf(NAME)),
    `project in ${path}`,
  );
  for (const { NAME, PACKAGES } of projects) {
    requireUnique(
      PACKAGES.map((each) => each.NAME),
      `package in project "${NAME}"`,
    );
    for (const each of PACKAGES)
      requireUnique(
        (each.MODULES ?? []).map((module) => module.NAME),
        `module in package "${each.NAME}"`,
      );
  }
  return { projects, warnings };
}

function requireUnique(names: readonly string[], what: string): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw new PeagenError('invalid_input', `There is more than one ${what} named "${twice}".`, { hint: 'Rename one of them.' });
}

/** The name as a part of a file name. */
export function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' ? 'project' : slug;
}
