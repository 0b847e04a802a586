/** The EXTRAS of a payload: of what the templates of its set read, a user gives what they choose to. Pure. */
import type { Extra, SetExtras } from '../../shared/protocol/render.ts';
import { type Detail, type FormQuestions, type FormValue, namesOf, type Schema, textIn, titleOf } from './questions.ts';

type Thing = Record<string, FormValue>;

const levels = ['project', 'package', 'module'] as const;
/** Where the things of the next level are. */
const lists = { project: 'PACKAGES', package: 'MODULES' } as const;

/** The questions of a payload with one project; it is answered with the payload when there is no further one. */
export function* payloadOf(schema: Schema, set: string, extras: SetExtras): FormQuestions<FormValue> {
  const names = yield* namesOf(schema, set);
  return { schemaVersion: '1.0.0', PROJECTS: [yield* detailsOf(names, extras)] };
}

/** The project with its EXTRAS and those of what is in it. Asks nothing where the templates read none. */
function* detailsOf(project: Thing, extras: SetExtras): FormQuestions<Thing> {
  const there = levelsIn(project);
  const offered = levels.filter((level) => there.has(level)).flatMap((level) => extras[level].map((extra) => ({ level, extra })));
  if (offered.length === 0) return project;
  const chosen = yield { kind: 'choice', offered };
  return yield* filled(project, 'project', typeof chosen === 'string' ? [] : chosen);
}

/** The list of modules may be empty. */
function levelsIn(project: Thing): Set<string> {
  const packages = thingsIn(project['PACKAGES']);
  const modules = packages.flatMap((each) => thingsIn(each['MODULES']));
  return new Set(['project', ...(packages.length > 0 ? ['package'] : []), ...(modules.length > 0 ? ['module'] : [])]);
}

function* filled(thing: Thing, level: keyof SetExtras, chosen: readonly Detail[]): FormQuestions<Thing> {
  const given: Thing = {};
  for (const { extra } of chosen.filter((detail) => detail.level === level)) {
    const text = textIn(yield { kind: 'detail', title: titleOf(String(thing['NAME']), extra.name), extra });
    const value = text === '' ? undefined : detailIn(text, extra);
    if (value !== undefined) given[extra.name] = value;
  }
  const list = level === 'module' ? '' : lists[level];
  const { [list]: below, ...own } = thing;
  const value: Thing = Object.keys(given).length === 0 ? own : { ...own, EXTRAS: given };
  if (below === undefined) return value;
  const filledBelow: FormValue[] = [];
  for (const each of thingsIn(below)) filledBelow.push(yield* filled(each, level === 'project' ? 'package' : 'module', chosen));
  return { ...value, [list]: filledBelow };
}

function thingsIn(value: FormValue | undefined): Thing[] {
  return Array.isArray(value)
    ? value.filter((each) => typeof each === 'object' && each !== null && !Array.isArray(each)).map((each) => each as Thing)
    : [];
}

/** Undefined when the text is none of the kind that the example is of: a text as it is, all else as JSON. */
export function detailIn(text: string, { example }: Extra): FormValue | undefined {
  if (typeof example === 'string') return text;
  const value = jsonIn(text);
  // Without an example, what looks like a list or a mapping is one.
  if (example === undefined || example === null) return typeof value === 'object' && value !== null ? value : text;
  return kindOf(value) === kindOf(example) ? value : undefined;
}

function jsonIn(text: string): FormValue | undefined {
  try {
    return JSON.parse(text) as FormValue;
  } catch {
    return undefined;
  }
}

function kindOf(value: FormValue | undefined): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}
