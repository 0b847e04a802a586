/** Replaces one idiom of Python that is slower than it need be. It works on text, so that some of its children are wrong. */
import type { Plugin, Program } from 'peagen/plugin';
import * as z from 'zod';

/** What is found, and what is put in its place. Each expression is global, so that every place is found. */
const idioms = {
  'repeated-line': { find: /^([ \t]*\S.*)\n\1$/gm, put: '$1', say: 'do a repeated line once' },
  'sorted-list': { find: /\blist\((sorted\([^()]*\))\)/g, put: '$1', say: 'sorted makes a list already' },
  'sorted-twice': { find: /\bsorted\(sorted\(([^()]*)\)\)/g, put: 'sorted($1)', say: 'sort once' },
  'set-literal': { find: /\bin \[([^[\]]+)\]/g, put: 'in {$1}', say: 'look up in a set' },
  'dict-keys': { find: /\bin ([\w.]+)\.keys\(\)/g, put: 'in $1', say: 'look up in the dictionary itself' },
  square: { find: /\b(\w+) ?\*\* ?2\b/g, put: '$1 * $1', say: 'multiply in place of a power' },
} as const;
type Idiom = keyof typeof idioms;

/** The table [plugins.idioms] of .peagen.toml. */
const Options = z.strictObject({
  /** Idioms that are left as they are. */
  without: z.array(z.enum(Object.keys(idioms) as [Idiom, ...Idiom[]])).default([]),
});

interface Place {
  readonly idiom: Idiom;
  readonly span: number;
  readonly start: number;
  readonly length: number;
  readonly text: string;
}

/** Every place in what may change where an idiom stands, in the order of the text. */
function placesIn(program: Program, without: readonly Idiom[]): Place[] {
  return program.spans.flatMap(({ path, start, end }, span) => {
    const text = program.files.find((file) => file.path === path)?.text.slice(start, end) ?? '';
    return Object.entries(idioms).flatMap(([name, { find, put }]) => {
      const idiom = name as Idiom;
      if (without.includes(idiom)) return [];
      return [...text.matchAll(find)].map((found) => {
        const [whole] = found;
        const replaced = whole.replace(new RegExp(find.source, 'm'), put);
        return { idiom, span, start: start + found.index, length: whole.length, text: replaced };
      });
    });
  });
}

/** The program with the place replaced; spans behind it move with their text. */
function replaced(program: Program, { span, start, length, text }: Place): Program {
  const path = program.spans[span]?.path;
  const moved = text.length - length;
  const files = program.files.map((file) =>
    file.path === path ? { ...file, text: file.text.slice(0, start) + text + file.text.slice(start + length) } : file,
  );
  const spans = program.spans.map((each, index) => {
    if (each.path !== path || each.end <= start) return each;
    return index === span ? { ...each, end: each.end + moved } : { ...each, start: each.start + moved, end: each.end + moved };
  });
  return { ...program, files, spans };
}

export default {
  options: Options,
  make: ({ without }, { name }) => ({
    name,
    requires: [],
    async mutate({ parent: { program }, seed }) {
      const tokens = { prompt: 0, completion: 0 };
      if (program.language !== 'python') return { kind: 'rejected', reason: 'it knows Python only', tokens };
      const places = placesIn(program, without);
      const place = places[seed % places.length];
      if (place === undefined) return { kind: 'rejected', reason: 'none of its idioms is there', tokens };
      const origin = { mutator: name, summary: idioms[place.idiom].say };
      return { kind: 'child', program: replaced(program, place), origin, tokens };
    },
  }),
} satisfies Plugin<'mutator', z.infer<typeof Options>>;
