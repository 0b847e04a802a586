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
/**
 * A number: what others call of it does this many more steps and is right. `draw`: when the first call has ended, each process
 * draws whether its calls are right or answer nonsense, so that nothing says before whether the program is broken.
 */
export type Break = (typeof breaks)[number] | 'draw' | number;

/**
 * In the copy, next to the first of the broken files: a line with the names that were broken, then one with each that was
 * called.
 */
const MARK = '.peagen-counterproof';

interface Broken {
  readonly program: Program;
  /** Where the run leaves its mark. */
  readonly mark: string;
}

/** Returns undefined for languages in which programs cannot be broken like this. */
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

// The file that is the program itself may end the process.
const pythonLoad = `if __name__ != "__main__": raise RuntimeError("${SAID}")\n`;
const scriptLoad = `if (require.main !== module) throw new Error('${SAID}');\n`;
const moduleLoad = `if (process.argv[1] !== import.meta.filename) throw new Error('${SAID}');\n`;

/** How often they were called is noted at each power of two, and at the end how many microseconds the calls took. */
const pythonSteps = (steps: number): string => `        made[0] += 1
        if made[0] == 1: atexit.register(lambda: mark("spent %d" % (spent[0] * 1e6)))
        if made[0] & (made[0] - 1) == 0: mark("made %d" % made[0])
        for _ in range(${steps}): pass
        since[0] = time.perf_counter()
`;

/**
 * Nothing is equal to it, unless its type is the program's own and says that everything is: then it is one of that type that
 * holds something else, alone or in a list, a tuple or a dictionary. What equals nonsense is nonsense itself, whatever its type.
 */
const pythonNonsense = `    wrongs = (-987654321987, -98765432.1, "${SAID}", b"${SAID}")
    def is_own(kind):
        found = sys.modules.get(kind.__module__)
        for name in kind.__qualname__.split("."): found = getattr(found, name, None)
        return kind.__module__ == __name__ or found is not kind
    def equals(value, other):
        try: return bool(value == other)
        except Exception: return False
    def nonsense(value, depth=0):
        kind = type(value)
        if depth < 4:
            if kind in (list, tuple, set, frozenset):
                items = [(item, nonsense(item, depth + 1)) for item in value]
                if any(type(item) is type(wrong) for item, wrong in items): return kind(wrong for _item, wrong in items)
            elif kind is dict:
                items = [(key, item, nonsense(item, depth + 1)) for key, item in value.items()]
                if any(type(item) is type(wrong) for _key, item, wrong in items): return {key: wrong for key, _item, wrong in items}
        if any(equals(value, wrong) for wrong in (object(), *wrongs)): return value
        if isinstance(value, type) or not is_own(kind): return object()
        given = next(base for base in kind.__mro__ if not is_own(base))
        for args in [(wrong,) for wrong in wrongs] + [()]:
            try: return given.__new__(kind, *args)
            except Exception: pass
        return object()
`;

const pythonDraw = `if not drawn:
            drawn.append(os.urandom(1)[0] % 2)
            mark("drew %d" % drawn[0])
        return nonsense(result) if drawn[0] else result`;

/** Only the outermost call fails: nothing of the program itself can catch that. */
const python = (how: Break): string => `
def __peagen_break(space):
    import atexit, functools, inspect, os, sys, time
    place, busy, called = os.path.join(os.path.dirname(os.path.abspath(__file__)), "${MARK}"), [False], set()
    made, since, spent = [0], [0.0], [0.0]
    def mark(line):
        with open(place, "a") as file: file.write(line + "\\n")
    def begin(name):
        busy[0] = True
        if name not in called: mark("called " + name)
        called.add(name)
${typeof how === 'number' ? pythonSteps(how) : ''}    def leave():
        # The clock may be one of the program's.
        spent[0] += time.perf_counter() - since[0]
        busy[0] = False
    drawn = []
    def end(result):
        ${how === 'draw' ? pythonDraw : how === 'raise' ? `raise RuntimeError("${SAID}")` : how === 'return' ? 'return nonsense(result)' : 'return result'}
${pythonNonsense}    def around(name, real):
        if inspect.iscoroutinefunction(real):
            @functools.wraps(real)
            async def broken(*args, **kwargs):
                if busy[0]: return await real(*args, **kwargs)
                begin(name)
                try: result = await real(*args, **kwargs)
                finally: leave()
                return end(result)
            return broken
        @functools.wraps(real, [name for name in functools.WRAPPER_ASSIGNMENTS if hasattr(real, name)], ())
        def broken(*args, **kwargs):
            if busy[0]: return real(*args, **kwargs)
            begin(name)
            try: result = real(*args, **kwargs)
            finally: leave()
            return end(result)
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

const scriptSteps = (steps: number): string => `made++;
    if (made === 1) process.on('exit', () => append(place, 'spent ' + Math.round(spent * 1000) + '\\n'));
    if ((made & (made - 1)) === 0) append(place, 'made ' + made + '\\n');
    for (let step = 0, rest = made; step < ${steps}; step++) { rest = (rest * 31 + step) | 0; if (rest === 0.5) append(place, ''); }
    since = performance.now();`;

/**
 * The same in JavaScript, where no operator asks an object what it equals, but its own methods are asked, and test runners ask
 * `asymmetricMatch`. What an object keeps in closures is right all the same: of such an object nothing is left.
 */
const scriptNonsense = `  const given = [Map, Set, WeakMap, WeakSet, Date, RegExp, Promise, Error, TypeError, RangeError, ArrayBuffer, DataView,
    Object.getPrototypeOf(Uint8Array), Uint8Array, Float64Array, Number, String, Boolean].map((one) => one.prototype);
  const ofOwnType = (value, depth) => {
    if (typeof value !== 'object' || value === null || depth > 3) return undefined;
    try {
      if (typeof value.asymmetricMatch === 'function') return value;
      const kind = Object.getPrototypeOf(value);
      const plain = kind === Object.prototype || kind === null;
      if (!plain && kind !== Array.prototype) return given.includes(kind) ? undefined : Object.create(kind);
      const items = Object.entries(value).map(([key, item]) => [key, ofOwnType(item, depth + 1)]);
      if (items.every(([, wrong]) => wrong === undefined)) return undefined;
      const filled = items.map(([key, wrong]) => [key, wrong ?? { broken: Symbol() }]);
      return plain ? Object.fromEntries(filled) : filled.map(([, wrong]) => wrong);
    } catch {
      return undefined;
    }
  };
  const nonsense = (value) => ofOwnType(value, 0) ?? { broken: Symbol() };`;

const scriptDraw = `if (drawn === undefined) {
      drawn = globalThis.crypto.getRandomValues(new Uint8Array(1))[0] % 2;
      append(place, 'drew ' + drawn + '\\n');
    }
    return drawn === 1 ? nonsense(result) : result;`;

const script = (how: Break, folder: string): string => `
  const place = paths.join(${folder}, '${MARK}'), append = files.appendFileSync;
  let busy = false;
  const called = new Set();
  let made = 0, since = 0, spent = 0;
  const leave = () => { spent += performance.now() - since; busy = false; };
${scriptNonsense}
  const begin = (name) => {
    busy = true;
    if (!called.has(name)) append(place, 'called ' + name + '\\n');
    called.add(name);
    ${typeof how === 'number' ? scriptSteps(how) : ''}
  };
  let drawn;
  const end = (result) => {
    ${how === 'draw' ? scriptDraw : how === 'raise' ? `throw new Error('${SAID}');` : how === 'return' ? 'return nonsense(result);' : 'return result;'}
  };
  const around = (name, real) => function (...args) {
    if (busy) return real.apply(this, args);
    begin(name);
    let waits = false, result;
    try {
      result = real.apply(this, args);
      waits = typeof result?.then === 'function';
      if (waits) return result.then((value) => { leave(); return end(value); }, (error) => { leave(); throw error; });
    } finally {
      if (!waits) leave();
    }
    return end(result);
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

/** What a run of a broken program showed. */
export interface BrokenRun {
  readonly succeeded: boolean;
  /** Text of its mark, when it left one. */
  readonly mark: string | undefined;
}

/** Why the candidate's success is not believed; undefined when it may be true. */
export function disproved(how: Break, original: BrokenRun, candidate: BrokenRun): string | undefined {
  if (!candidate.succeeded || original.succeeded) return undefined;
  if (how === 'load') return 'it succeeds too when the program breaks off as it is loaded';
  const [own, others] = [partsOf(candidate.mark), partsOf(original.mark)];
  // A run in which nothing was broken, or nothing broken was called, proves nothing.
  if (own.called.length === 0 || others.called.length === 0) return undefined;
  if (others.called.some((name) => !own.broken.includes(name))) return undefined;
  return how === 'raise'
    ? 'it succeeds too when all that it calls of the program fails'
    : 'it succeeds too when all that it calls of the program answers nonsense';
}

/** How often what was broken was called, to a factor of two; 0 where nothing was. */
export function callsMade({ mark = '' }: Pick<BrokenRun, 'mark'>): number {
  return Math.max(0, ...[...mark.matchAll(/^made (\d+)$/gm)].map(([, count]) => Number(count)));
}

/** What the processes of a command drew; undefined where nothing was called. */
export function drewIn({ mark = '' }: Pick<BrokenRun, 'mark'>): 'right' | 'nonsense' | undefined {
  const drawn = [...mark.matchAll(/^drew ([01])$/gm)].map(([, drew]) => drew);
  return drawn.length === 0 ? undefined : drawn.includes('1') ? 'nonsense' : 'right';
}

/** Milliseconds in calls of what was broken, in all processes of the command; undefined where nothing was called. */
export function spentIn({ mark = '' }: Pick<BrokenRun, 'mark'>): number | undefined {
  const spent = [...mark.matchAll(/^spent (\d+)$/gm)].map(([, microseconds]) => Number(microseconds) / 1000);
  return spent.length === 0 ? undefined : spent.reduce((sum, ms) => sum + ms, 0);
}

function partsOf(mark = ''): Readonly<Record<'broken' | 'called', readonly string[]>> {
  const lines = mark.split('\n');
  const of = (word: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? line.slice(word.length + 1).split(',') : []));
  return { broken: of('broken'), called: of('called') };
}
