/**
 * Ordinary functions with calls as a user types them, honest improvements and tempting wrong changes. The programs are
 * files of test/fixtures/ordinary; what calls are typed and drawn is in python.ts and javascript.ts.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Call, Calls } from '../../shared/judging.ts';
import { Draw } from './draw.ts';

interface Variant {
  /** `honest`: right on every call. `tempting`: right on the typed calls by what it returns, and wrong in general. */
  readonly kind: 'honest' | 'tempting';
  readonly title: string;
  /** The whole file. */
  readonly text: string;
}

export interface Fixture {
  readonly name: string;
  readonly language: 'python' | 'javascript' | 'typescript';
  /** The name of its file. */
  readonly path: string;
  readonly entry: string;
  readonly text: string;
  readonly calls: readonly Call[];
  readonly variants: readonly Variant[];
  /** Seeded calls in groups; the calls of a group run one after another in one module, and share one instance. */
  readonly sessions: (seed: number, calls: number) => Call[][];
}

export interface Description {
  readonly path: string;
  readonly entry: string;
  /** As a user types them. */
  readonly typed?: z.input<typeof Calls>;
  readonly draw?: (draw: Draw) => z.input<typeof Call>;
  /** The most calls that run in one module; 1 unless given. */
  readonly together?: number;
}

const ordinary = join(import.meta.dirname, '..', 'fixtures', 'ordinary');
const languages: Readonly<Record<string, Fixture['language']>> = { py: 'python', js: 'javascript', ts: 'typescript' };

/** `home`: the folder with the folders `python` and `javascript`, in which the programs are. */
export function loadFixture({ path, entry, typed = [], draw, together = 1 }: Description, home = ordinary): Fixture {
  const [name = '', extension = ''] = path.split('.');
  const language = z.enum(['python', 'javascript', 'typescript']).parse(languages[extension]);
  const folder = join(home, language === 'python' ? 'python' : 'javascript');
  const text = readFileSync(join(folder, path), 'utf8');
  return {
    ...{ name, language, path, entry, text },
    calls: typed.length === 0 ? [] : Calls.parse(typed).map((call) => (Array.isArray(call) ? Call.parse({ args: call }) : call)),
    variants: readVariants(text, readFileSync(join(folder, `${name}.variants`), 'utf8'), path),
    sessions: (seed, calls) => (draw === undefined ? [] : drawSessions(draw, new Draw(seed), calls, together)),
  };
}

function drawSessions(draw: NonNullable<Description['draw']>, source: Draw, calls: number, together: number): Call[][] {
  const sessions: Call[][] = [];
  for (let left = calls; left > 0; ) {
    const count = Math.min(left, source.int(1, together));
    sessions.push(Array.from({ length: count }, () => Call.parse(draw(source))));
    left -= count;
  }
  return sessions;
}

/**
 * A section begins with `### honest: title` or `### tempting: title`. It holds edits, each `<<<`, a text that occurs once,
 * `===`, its replacement and `>>>`; or else definitions that replace those of the same name.
 */
function readVariants(original: string, sections: string, path: string): Variant[] {
  return sections
    .split(/^### /m)
    .filter((section) => section.trim() !== '')
    .map((section) => {
      const [, kind, title = '', body = ''] = /^(\w+): (.*)\n([\s\S]*)$/.exec(section) ?? [];
      const where = `${path}, ${title}`;
      const text = /^<<<$/m.test(body) ? applyEdits(original, body, where) : replaceDefinitions(original, body, where);
      if (text === original) throw new Error(`${where}: the variant is the original.`);
      return { kind: z.enum(['honest', 'tempting']).parse(kind), title, text };
    });
}

function applyEdits(original: string, body: string, where: string): string {
  let text = original;
  for (const [, before = '', lines = ''] of body.matchAll(/^<<<\n([\s\S]*?)\n===\n([\s\S]*?)^>>>$/gm)) {
    const after = lines.replace(/\n$/, '');
    // A whole line that is replaced by nothing goes with its end.
    const from = after === '' && text.includes(`${before}\n`) ? `${before}\n` : before;
    if (text.split(from).length !== 2) throw new Error(`${where}: "${before}" does not occur once.`);
    text = text.replace(from, () => after);
  }
  return text;
}

/** From a definition at the beginning of a line to the next line that is not indented and does not close it. */
const definition = /^(?:export )?(?:def|class|function\*?) (\w+)[^\n]*\n(?:(?:[ \t}\])][^\n]*)?\n)*/gm;

function replaceDefinitions(original: string, body: string, where: string): string {
  const [first] = body.matchAll(definition);
  if (first === undefined) throw new Error(`${where}: there is no definition.`);
  const [old, ...more] = [...original.matchAll(definition)].filter(([, name]) => name === first[1]);
  if (old === undefined || more.length > 0) throw new Error(`${where}: ${first[1]} is not defined once.`);
  const imports = body.slice(0, first.index);
  const end = old[0].trimEnd().length + old.index;
  return `${imports}${original.slice(0, old.index)}${body.slice(first.index).trimEnd()}${original.slice(end)}`;
}
