/** The questions of a payload, as its JSON schema says, and the YAML that the answers make. Pure. */

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

export interface Question {
  readonly title: string;
  readonly prompt: string;
  readonly mayBeEmpty: boolean;
  /** Names, with commas between them. */
  readonly list: boolean;
}

type Value = string | Value[] | { [key: string]: Value };

/** The questions of a payload with one project; it is answered with the payload when there is no further one. */
export function* questionsOf(schema: Schema, fixed: Readonly<Record<string, string>>): Generator<Question, Value, string> {
  const project = schema.properties?.['PROJECTS']?.items ?? {};
  return { schemaVersion: '1.0.0', PROJECTS: [yield* object(project, fixed)] };
}

function* object(schema: Schema, given: Readonly<Record<string, string>>): Generator<Question, Value, string> {
  const value: { [key: string]: Value } = {};
  for (const [key, each] of Object.entries(schema.properties ?? {})) {
    const own = plain(each);
    const required = schema.required?.includes(key) ?? false;
    const name = typeof value['NAME'] === 'string' ? value['NAME'] : (given['NAME'] ?? '');
    if (given[key] !== undefined) {
      value[key] = given[key];
    } else if (isA(own, 'string') && (required || each.form === true)) {
      const text = yield {
        title: name === '' ? key : `${name} · ${key}`,
        prompt: each.description ?? key,
        mayBeEmpty: !required,
        list: false,
      };
      if (text !== '') value[key] = text;
    } else if (isA(own, 'array') && own.items?.properties !== undefined) {
      const text = yield { title: `${name} · ${key}`, prompt: each.description ?? key, mayBeEmpty: true, list: true };
      const list: Value[] = [];
      for (const item of namesIn(text)) list.push(yield* object(own.items, { NAME: item }));
      if (list.length > 0) value[key] = list;
    }
  }
  return value;
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

/** YAML for texts, lists and mappings. */
export function yamlOf(value: Value, depth: number): string {
  const pad = '  '.repeat(depth);
  if (typeof value === 'string') return `${pad}${scalar(value)}\n`;
  if (Array.isArray(value)) return value.map((each) => `${pad}- ${yamlOf(each, depth + 1).trimStart()}`).join('');
  return Object.entries(value)
    .map(([key, each]) =>
      typeof each === 'string' ? `${pad}${key}: ${scalar(each)}\n` : `${pad}${key}:\n${yamlOf(each, depth + 1)}`,
    )
    .join('');
}

/** In quotes unless it is a plain word to every reader of YAML. */
function scalar(text: string): string {
  return /^[A-Za-z][\w-]*(?:[ /][A-Za-z][\w-]*)*$/.test(text) && !/^(?:y|n|yes|no|on|off|true|false|null)$/i.test(text)
    ? text
    : JSON.stringify(text);
}
