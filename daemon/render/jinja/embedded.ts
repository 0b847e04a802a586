/** The embedded engine: minijinja, with what Python's Jinja2 does differently fixed by filters and a rewrite of the template. */
import { PeagenError } from '../../../shared/errors.ts';
import { FUEL, MAX_OUTPUT } from '../limits.ts';
import { failedOutcome, type RenderOutcome } from '../task.ts';
import type { RenderBatch } from './engine.ts';
import { Orders, plain } from './orders.ts';
import { pyJson, pyRepr } from './python.ts';
import { innerName, type References, referencesOf, rewrite } from './rewrite.ts';
import { createEnvironment } from './wasm.ts';
import { inflected, pluralRules, singularRules } from './words.ts';

type Environment = ReturnType<typeof createEnvironment>;

/** Characters of the engine's reason that are shown. */
const MAX_REASON = 300;

interface Loaded {
  readonly orders: readonly (readonly string[])[];
  readonly references: References;
}

/**
 * Renders job after job, and reports each outcome. Stops behind the one for which `tell` returns false, or when the texts are
 * many.
 */
export function renderEmbedded({ sources, shared, jobs }: RenderBatch, tell: (outcome: RenderOutcome) => boolean): void {
  const environment = createEnvironment();
  try {
    environment.fuel = FUEL;
    environment.undefinedBehavior = 'lenient';
    const faults = new Map<string, unknown>();
    const loaded = new Map<string, Loaded>();
    for (const [name, source] of Object.entries(sources)) {
      try {
        const { text, orders } = rewrite(source);
        environment.addTemplate(innerName(name), text);
        loaded.set(name, { orders, references: referencesOf(source) });
      } catch (caught) {
        // Only a template that is used must parse; a set may hold files of other kinds.
        faults.set(name, caught);
      }
    }
    let common: object | undefined;
    let size = 0;
    for (const { template, context } of jobs) {
      const outcome = outcomeOf(() => {
        const fault = faults.get(template);
        if (fault !== undefined) throw failure(template, fault);
        common ??= parsed(shared);
        const values = { ...common, ...parsed(context) };
        addFilters(environment, new Orders(values, literalsOf(template, loaded)));
        return rendered(environment, template, values);
      });
      if (outcome.kind === 'text') size += outcome.text.length;
      if (!tell(outcome) || size > MAX_OUTPUT) return;
    }
  } finally {
    release(environment);
  }
}

function parsed(json: string): object {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (caught) {
    throw new PeagenError('invalid_input', 'The values of a template are not JSON.', { cause: caught });
  }
  return typeof value === 'object' && value !== null ? value : {};
}

function outcomeOf(work: () => string): RenderOutcome {
  try {
    return { kind: 'text', text: work() };
  } catch (caught) {
    const { code, message, hint } = PeagenError.from(caught);
    return failedOutcome(code === 'too_large' ? code : 'invalid_input', message, hint);
  }
}

/** The orders of mappings written in a template and in those that it names: what else is in the batch must not matter. */
function literalsOf(template: string, loaded: ReadonlyMap<string, Loaded>): (readonly string[])[] {
  const seen = new Set<string>();
  const open = [template];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const found = loaded.get(name);
    if (found === undefined || seen.has(name)) continue;
    seen.add(name);
    open.push(...(found.references.computed ? loaded.keys() : found.references.names));
  }
  return [...seen].flatMap((name) => loaded.get(name)?.orders ?? []);
}

/** After a trap the engine takes nothing back; its thread ends anyway. */
function release(environment: Environment): void {
  try {
    environment.free();
  } catch (caught) {
    if (!(caught instanceof Error)) throw caught;
  }
}

function rendered(environment: Environment, template: string, values: unknown): string {
  let text: string;
  try {
    text = environment.renderTemplate(innerName(template), values);
  } catch (caught) {
    throw failure(template, caught);
  }
  if (text.length <= MAX_OUTPUT) return text;
  throw new PeagenError('too_large', `The template "${template}" makes ${text.length} characters; ${MAX_OUTPUT} are allowed.`);
}

function failure(template: string, caught: unknown): PeagenError {
  const message = caught instanceof Error ? caught.message : String(caught);
  const reason = (message.split('\n')[0] ?? '').replaceAll('::t', '').slice(0, MAX_REASON);
  const trapped = (caught instanceof Error && caught.name === 'RuntimeError') || /string longer than/.test(message);
  return new PeagenError(
    trapped ? 'too_large' : 'invalid_input',
    trapped
      ? `The template "${template}" needs more memory than a rendering may have.`
      : `The template "${template}" fails: ${reason}.`,
    { hint: 'Fix the template.', cause: caught },
  );
}

function addFilters(environment: Environment, orders: Orders): void {
  const keys = (map: ReadonlyMap<unknown, unknown>) => orders.keys(map);
  const string = (value: unknown) => (typeof value === 'string' ? value : value === undefined ? '' : pyRepr(value, keys));
  const filters: Record<string, (value: unknown, ...rest: unknown[]) => unknown> = {
    __str: string,
    __string: string,
    __name: (value) => (Array.isArray(value) ? value.map((name) => innerName(String(name))) : innerName(String(value))),
    __keys: (value) => [...keys(mapping(value, 'keys'))],
    __values: (value) => {
      const map = mapping(value, 'values');
      return keys(map).map((key) => plain(map.get(key)));
    },
    __items: (value) => {
      if (value === undefined) return [];
      const map = mapping(value, 'items');
      return keys(map).map((key) => [key, plain(map.get(key))]);
    },
    __json: (value) => pyJson(String(value)),
    split: (value, separator) => split(value, separator),
    make_plural: (value) => inflected(String(value), pluralRules),
    make_singular: (value) => inflected(String(value), singularRules),
    e: (value) => escaped(string(value)),
    escape: (value) => escaped(string(value)),
    center: (value, width) => centred(string(value), typeof width === 'number' ? width : 80),
    wordcount: (value) => string(value).match(/[\p{L}\p{N}_]+/gu)?.length ?? 0,
    striptags: (value) =>
      string(value)
        .replaceAll(/<!--.*?-->|<[^>]*>/gs, '')
        .split(/\s+/)
        .filter(Boolean)
        .join(' '),
  };
  for (const [name, filter] of Object.entries(filters)) environment.addFilter(name, filter);
}

function mapping(value: unknown, method: string): ReadonlyMap<unknown, unknown> {
  if (value instanceof Map) return value;
  throw new Error(`${method} is asked of ${pyRepr(value)}, which is not a mapping`);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;', '"': '&#34;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>'"]/g, (char) => entities[char] ?? char);
}

/** With no separator at white space, as Python's `str.split`. */
function split(value: unknown, separator: unknown): string[] {
  if (typeof value !== 'string') throw new Error(`split is asked of ${pyRepr(value)}, which is not a text`);
  if (typeof separator === 'string' && separator !== '') return value.split(separator);
  return value.split(/\s+/).filter((part) => part !== '');
}

/** As Python's `str.center`: the odd space goes left when the width is odd. */
function centred(text: string, width: number): string {
  const length = [...text].length;
  if (width > MAX_OUTPUT) throw new Error(`center to ${width} characters is too wide`);
  const space = Math.max(0, width - length);
  const left = Math.floor(space / 2) + (space & width & 1);
  return ' '.repeat(left) + text + ' '.repeat(space - left);
}
