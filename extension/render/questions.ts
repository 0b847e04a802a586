/** The questions for the names of a payload, as its JSON schema says, and the YAML that all answers make. Pure. */
import type { Extra, SetExtras } from '../../shared/protocol/render.ts';

/** The part of JSON schema that a payload has. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  /** Asked for although it may be left out. */
  readonly form?: boolean;
}

/** One of the EXTRAS that the templates of a set read. */
export interface Detail {
  readonly level: keyof SetExtras;
  readonly extra: Extra;
}

export type FormQuestion =
  | {
      readonly kind: 'text';
      readonly title: string;
      readonly prompt: string;
      readonly mayBeEmpty: boolean;
      /** Names, with commas between them. */
      readonly list: boolean;
    }
  /** Answered with those that the user wants to give. */
  | { readonly kind: 'choice'; readonly offered: readonly Detail[] }
  /** Empty: left out. */
  | { readonly kind: 'detail'; readonly title: string; readonly extra: Extra };

export type FormReply = string | readonly Detail[];
export type FormValue = NonNullable<Extra['example']> | null;
export type FormQuestions<T> = Generator<FormQuestion, T, FormReply>;

/** Asks about one project, its packages and their modules. */
export function namesOf(schema: Schema, set: string): FormQuestions<Record<string, FormValue>> {
  return object(schema.properties?.['PROJECTS']?.items ?? {}, { TEMPLATE_SET: set });
}

function* object(schema: Schema, given: Readonly<Record<string, string>>): FormQuestions<Record<string, FormValue>> {
  const value: Record<string, FormValue> = {};
  for (const [key, each] of Object.entries(schema.properties ?? {})) {
    const own = plain(each);
    const required = schema.required?.includes(key) ?? false;
    const name = typeof value['NAME'] === 'string' ? value['NAME'] : (given['NAME'] ?? '');
    const question = { kind: 'text', title: titleOf(name, key), prompt: each.description ?? key } as const;
    if (given[key] !== undefined) {
      value[key] = given[key];
    } else if (isA(own, 'string') && (required || each.form === true)) {
      const text = textIn(yield { ...question, mayBeEmpty: !required, list: false });
      if (text !== '') value[key] = text;
    } else if (isA(own, 'array') && own.items?.properties !== undefined) {
      const text = textIn(yield { ...question, mayBeEmpty: true, list: true });
      const list: FormValue[] = [];
      for (const item of namesIn(text)) list.push(yield* object(own.items, { NAME: item }));
      if (list.length > 0) value[key] = list;
    }
  }
  return value;
}

/** What a user calls a key of a payload: `ROOT` is the folder. */
const KEYS: Readonly<Record<string, string>> = { NAME: 'Name', ROOT: 'Folder', PACKAGES: 'Packages', MODULES: 'Modules' };

export function titleOf(name: string, key: string): string {
  const title = KEYS[key] ?? key;
  return name === '' ? title : `${name} · ${title}`;
}

export function textIn(reply: FormReply): string {
  return typeof reply === 'string' ? reply : '';
}

function plain(schema: Schema): Schema {
  return schema.anyOf?.find(({ type }) => type !== 'null') ?? schema;
}

function isA({ type }: Schema, wanted: string): boolean {
  return type === wanted || (Array.isArray(type) && type.includes(wanted));
}

function namesIn(text: string): string[] {
  return [...new Set(text.split(',').map((each) => each.trim()))].filter((each) => each !== '');
}

/** YAML in blocks. */
export function yamlOf(value: FormValue, depth: number): string {
  const pad = '  '.repeat(depth);
  if (isLeaf(value)) return `${pad}${inline(value)}\n`;
  if (Array.isArray(value)) return value.map((each) => `${pad}- ${yamlOf(each, depth + 1).trimStart()}`).join('');
  return Object.entries(value)
    .map(([key, each]) => `${pad}${inline(key)}:${isLeaf(each) ? ` ${inline(each)}\n` : `\n${yamlOf(each, depth + 1)}`}`)
    .join('');
}

function isLeaf(value: FormValue): value is string | number | boolean | null {
  return typeof value !== 'object' || value === null || Object.keys(value).length === 0;
}

/** A text in quotes unless it is a plain word to every reader of YAML. */
function inline(value: FormValue): string {
  const isWord =
    typeof value === 'string' &&
    /^[A-Za-z][\w-]*(?:[ /][A-Za-z][\w-]*)*$/.test(value) &&
    !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(value);
  return isWord ? value : JSON.stringify(value);
}
