/**
 * The counterproof of a command's success: the same command on the same candidate, broken on purpose. Where it fails for the
 * original broken in the same way and still succeeds for the candidate, its success is the candidate's doing: it ends the
 * process with success, changes the exit status at the end, or has switched the checks off.
 */
import { dirname, extname, join } from 'node:path/posix';
import type { Program, ProgramFile } from '../../../shared/program.ts';

/**
 * `load`: the end of a file that is imported fails. `raise`: what others call of it does its work and fails then. `return`:
 * the same, but it answers something that is not right.
 */
export const breaks = ['load', 'raise', 'return'] as const;
export type Break = (typeof breaks)[number];

/**
 * In the copy, next to the first of the broken files: a line with the names that were broken, then one with each that was
 * called.
 */
const MARK = '.peagen-counterproof';

export interface Broken {
  readonly program: Program;
  /** Where the run leaves its mark. */
  readonly mark: string;
}

/** Undefined in languages whose programs cannot be broken like this. */
export function broken(program: Program, how: Break): Broken | undefined {
  const [first] = program.files.filter((file) => codeFor(file, how) !== undefined);
  if (first === undefined) return undefined;
  const files = program.files.map((file) => {
    const code = codeFor(file, how);
    return code === undefined ? file : { ...file, text: code };
  });
  return { program: { ...program, files }, mark: join(dirname(first.path), MARK) };
}

function codeFor({ path, text }: ProgramFile, how: Break): string | undefined {
  const kind = extname(path);
  if (kind === '.py') return `${text}\n${how === 'load' ? pythonLoad : python(how)}`;
  const script = /^\.[cm]?[jt]sx?$/.test(kind);
  if (!script) return undefined;
  const module = /^\.m/.test(kind) || (!/^\.c/.test(kind) && /^[ \t]*(?:import|export)\b(?!\s*\()/m.test(text));
  if (how === 'load') return `${text}\n;${module ? moduleLoad : scriptLoad}`;
  return module ? `${assignable(text)}\n;${moduleCode(text, how)}` : `${text}\n;${scriptCode(how)}`;
}

const SAID = 'Broken on purpose, for the counterproof';

// A file that is the program itself may end as it likes.
const pythonLoad = `if __name__ != "__main__": raise RuntimeError("${SAID}")\n`;
const scriptLoad = `if (require.main !== module) throw new Error('${SAID}');\n`;
const moduleLoad = `if (process.argv[1] !== import.meta.filename) throw new Error('${SAID}');\n`;

/** Only the outermost call fails: nothing of the program itself can catch that. */
const python = (how: Break): string => `
def __peagen_break(space):
    import functools, inspect, os
    place, busy, called = os.path.join(os.path.dirname(os.path.abspath(__file__)), "${MARK}"), [False], set()
    def mark(line):
        with open(place, "a") as file: file.write(line + "\\n")
    def begin(name):
        busy[0] = True
        if name not in called: mark("called " + name)
        called.add(name)
    def end():
        ${how === 'raise' ? `raise RuntimeError("${SAID}")` : 'return object()'}
    def around(name, real):
        if inspect.iscoroutinefunction(real):
            @functools.wraps(real)
            async def broken(*args, **kwargs):
                if busy[0]: return await real(*args, **kwargs)
                begin(name)
                try: await real(*args, **kwargs)
                finally: busy[0] = False
                return end()
            return broken
        @functools.wraps(real, [name for name in functools.WRAPPER_ASSIGNMENTS if hasattr(real, name)], ())
        def broken(*args, **kwargs):
            if busy[0]: return real(*args, **kwargs)
            begin(name)
            try: real(*args, **kwargs)
            finally: busy[0] = False
            return end()
        return broken
    names = []
    for name, value in list(space.items()):
        if name.startswith("__"): continue
        if isinstance(value, type):
            if value.__module__ != __name__: continue
            for inner, method in list(vars(value).items()):
                if inner.startswith("__") or not inspect.isfunction(method): continue
                setattr(value, inner, around(name + "." + inner, method))
                names.append(name + "." + inner)
        elif callable(value):
            space[name] = around(name, value)
            names.append(name)
    mark("broken " + ",".join(names))
__peagen_break(globals())
`;

const script = (how: Break, folder: string): string => `
  const place = paths.join(${folder}, '${MARK}'), append = files.appendFileSync;
  let busy = false;
  const called = new Set();
  const begin = (name) => {
    busy = true;
    if (!called.has(name)) append(place, 'called ' + name + '\\n');
    called.add(name);
  };
  const end = () => {
    ${how === 'raise' ? `throw new Error('${SAID}');` : 'return { broken: Symbol() };'}
  };
  const around = (name, real) => function (...args) {
    if (busy) return real.apply(this, args);
    begin(name);
    let waits = false;
    try {
      const result = real.apply(this, args);
      waits = typeof result?.then === 'function';
      if (waits) return result.then(() => { busy = false; return end(); }, (error) => { busy = false; throw error; });
    } finally {
      if (!waits) busy = false;
    }
    return end();
  };
  const names = [];
  const breakOne = (name, value, set) => {
    if (typeof value !== 'function') return;
    const methods = Object.getOwnPropertyNames(value.prototype ?? {}).filter((one) => one !== 'constructor');
    for (const method of methods) {
      const own = Object.getOwnPropertyDescriptor(value.prototype, method);
      if (typeof own.value !== 'function' || !own.writable) continue;
      value.prototype[method] = around(name + '.' + method, own.value);
      names.push(name + '.' + method);
    }
    if (/^class\\b/.test(Function.prototype.toString.call(value))) return;
    try {
      set(around(name, value));
      names.push(name);
    } catch {}
  };`;

const scriptCode = (how: Break): string => `(() => {
  const files = require('node:fs'), paths = require('node:path');${script(how, '__dirname')}
  for (const [name, value] of Object.entries(module.exports)) breakOne(name, value, (next) => { module.exports[name] = next; });
  breakOne('module.exports', module.exports, (next) => { module.exports = Object.assign(next, module.exports); });
  append(place, 'broken ' + names + '\\n');
})();
`;

/** What an ES module exports can be replaced in it as long as it is not a constant. */
const assignable = (text: string): string =>
  text.replace(/^([ \t]*(?:export[ \t]+)?)const(?=[ \t]+[\w$]+[ \t]*(?::[^=\n]*)?=)/gm, '$1let');

function moduleCode(text: string, how: Break): string {
  const declared = text.matchAll(
    /^export[ \t]+(?:default[ \t]+)?(?:async[ \t]+)?(?:function[ \t]*\*?|const|let|var|class)[ \t]+([\w$]+)/gm,
  );
  const listed = [...text.matchAll(/^export[ \t]*\{([^}]*)\}(?![ \t]*from)/gm)].flatMap(([, list = '']) => list.split(','));
  const names = [...[...declared].map(([, name = '']) => name), ...listed.map((one) => one.trim().split(/\s+as\s+/)[0] ?? '')];
  const one = (name: string): string => `  breakOne('${name}', ${name}, (next) => { ${name} = next; });`;
  return `import * as __peagenFiles from 'node:fs';
import * as __peagenPaths from 'node:path';
(() => {
  const files = __peagenFiles, paths = __peagenPaths;${script(how, 'import.meta.dirname')}
${names
  .filter((name) => /^[\w$]+$/.test(name))
  .map(one)
  .join('\n')}
  append(place, 'broken ' + names + '\\n');
})();
`;
}

/** What a run of a broken program told. */
export interface Told {
  readonly succeeded: boolean;
  /** Text of its mark, when it left one. */
  readonly mark: string | undefined;
}

/** Why the candidate's success is not believed; undefined when it may be true. */
export function disproved(how: Break, original: Told, candidate: Told): string | undefined {
  if (!candidate.succeeded || original.succeeded) return undefined;
  if (how === 'load') return 'it succeeds too when the program breaks off as it is loaded';
  const [own, others] = [partsOf(candidate.mark), partsOf(original.mark)];
  // What was not broken, or never called, proves nothing.
  if (own.called.length === 0 || others.called.length === 0) return undefined;
  if (others.called.some((name) => !own.broken.includes(name))) return undefined;
  return how === 'raise'
    ? 'it succeeds too when all that it calls of the program fails'
    : 'it succeeds too when all that it calls of the program answers nonsense';
}

function partsOf(mark = ''): Readonly<Record<'broken' | 'called', readonly string[]>> {
  const lines = mark.split('\n');
  const of = (word: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? line.slice(word.length + 1).split(',') : []));
  return { broken: of('broken'), called: of('called') };
}
