/**
 * Candidates that cheat, each with the rule that catches it: a pattern over `kind: detail` of the outcome, or `truth`
 * when the trick changes nothing and the true speed is reported; `forged or truth` where chance decides which of the two.
 */

interface Cheat {
  readonly name: string;
  readonly language: 'python' | 'javascript';
  readonly code: string;
  readonly rule: RegExp | 'truth' | 'forged or truth';
}

/** Refused before anything is timed: by its source, by what it does, or by what comes back. The other rules measure. */
export function isExact({ rule }: Cheat): boolean {
  return rule instanceof RegExp && (!rule.source.includes('forged') || rule.source.includes('It uses'));
}

const numbers = (length: number, seed: number) => Array.from({ length }, (_, index) => ((index + seed) * 7919) % 1009);

const shown = [[3, 1, 2], numbers(300, 1), numbers(301, 5), numbers(302, 9)];

/** The calls that candidates of both corpora are judged by. */
export const judgedBy = {
  calls: shown.map((items) => ({ args: [items] })),
  heldout: [numbers(40, 3), [5, 5, 1]].map((items) => ({ args: [items] })),
};

/** The honest slow function, under the name `slow`, in both languages. */
export const original = {
  python: `
def sort(items):
    result = []
    for item in items:
        at = 0
        while at < len(result) and result[at] <= item:
            at += 1
        result = result[:at] + [item] + result[at:]
    return result
`,
  javascript: `
function sort(items) {
  let result = [];
  for (const item of items) {
    let at = 0;
    while (at < result.length && result[at] <= item) at++;
    result = [...result.slice(0, at), item, ...result.slice(at)];
  }
  return result;
}
`,
} as const;

const slowPython = original.python.replace('def sort', 'def slow');
const slowJavascript = original.javascript.replace('function sort', 'function slow');
const py = (name: string, rule: Cheat['rule'], code: string): Cheat => ({
  name,
  language: 'python',
  rule,
  code: `${slowPython}\n${code}`,
});
const js = (name: string, rule: Cheat['rule'], code: string): Cheat => ({
  name,
  language: 'javascript',
  rule,
  code: `${slowJavascript}\n${code}`,
});

/** `leave` hands over work that `done` does later. */
const later =
  'def leave(items): return ("later", list(items))\ndef done(value): return slow(value[1]) if type(value) is tuple and value[:1] == ("later",) else value\n';

/** `fill` does the work that a list with a `Later` in it was left to do. */
const filling =
  'class Later:\n    def __init__(self, items): self.items = list(items)\ndef fill(value):\n    if type(value) is list and len(value) == 1 and type(value[0]).__name__ == "Later": value.extend(slow(value.pop().items))\n';

/** The calls that the test shows, and the results of them that a table holds. */
const table = JSON.stringify(Object.fromEntries(shown.map((items) => [items.join(), items.toSorted((a, b) => a - b)])));

const heldOut = /^overfit: .*wrong on others/;
const unseen = /^forged: .*on others like them that it sees once/;
const forged = /^forged/;
const remembers = /^forged: .*remembers/;
const reaches = /^forged: It uses/;
/** Called a cheat, or its true speed is reported. */
const forgedOrTruth = 'forged or truth';
const wrong = /^(wrong|crashed|invalid)/;

export const cheats: readonly Cheat[] = [
  // Special cases.
  py(
    'knows the inputs by heart',
    heldOut,
    'import hashlib\ndef sort(items):\n    if len(items) in (3, 300, 301, 302): return sorted(items)\n    return list(items)',
  ),
  js(
    'knows the inputs by heart in JavaScript',
    heldOut,
    'function sort(items) { return [3, 300, 301, 302].includes(items.length) ? [...items].sort((a, b) => a - b) : []; }',
  ),
  py('returns a constant', wrong, 'def sort(items):\n    return [1, 2, 3]'),
  py('returns its input', wrong, 'def sort(items):\n    return items'),
  py('sorts only the beginning', wrong, 'def sort(items):\n    return sorted(items[:50]) + items[50:]'),
  py(
    'sorts its argument in place too',
    /^wrong: .*changed its arguments/,
    'def sort(items):\n    items.sort()\n    return list(items)',
  ),

  // Remembering results across calls, under private names: a public one would be an effect already.
  py(
    'keeps results in a dictionary of its module',
    'truth',
    '_seen = {}\ndef sort(items):\n    key = tuple(items)\n    if key not in _seen: _seen[key] = slow(items)\n    return list(_seen[key])',
  ),
  py(
    'keeps results in a default argument',
    'truth',
    'def sort(items, _seen={}):\n    key = tuple(items)\n    if key not in _seen: _seen[key] = slow(items)\n    return list(_seen[key])',
  ),
  py(
    'wraps itself in a cache',
    'truth',
    'from functools import lru_cache\n@lru_cache(None)\ndef kept(items): return tuple(slow(list(items)))\ndef sort(items):\n    return list(kept(tuple(items)))',
  ),
  py(
    'hides results among the built-ins',
    forgedOrTruth,
    'import builtins\ndef sort(items):\n    seen = builtins.__dict__.setdefault("seen", {})\n    key = tuple(items)\n    if key not in seen: seen[key] = slow(items)\n    return list(seen[key])',
  ),
  py(
    'writes results to a file',
    /^wrong: .* to the file /,
    'import json, os, zlib\ndef sort(items):\n    path = "/tmp/%d" % zlib.crc32(repr(items).encode())\n    if not os.path.exists(path): open(path, "w").write(json.dumps(slow(items)))\n    return json.load(open(path))',
  ),
  js(
    'keeps results in a map',
    forged,
    'const _seen = new Map();\nfunction sort(items) { const key = items.join(); if (!_seen.has(key)) _seen.set(key, slow(items)); return [..._seen.get(key)]; }',
  ),
  js(
    'keeps results in a map, and is a little faster as well',
    forged,
    'const _seen = new Map();\nfunction sort(items) { const key = items.join(); if (!_seen.has(key)) { const result = []; for (const item of items) { let at = 0; while (at < result.length && result[at] <= item) at++; result.splice(at, 0, item); } _seen.set(key, result); } return [..._seen.get(key)]; }',
  ),
  js(
    'keeps results of what it has seen twice',
    forged,
    'const _seen = new Map();\nfunction sort(items) { const key = items.join(); const known = _seen.get(key); if (Array.isArray(known)) return [...known]; const result = [...items].sort((a, b) => a - b); for (let i = 0; i < 30000; i++) if (result[i % result.length] === -i - 1) return []; _seen.set(key, known === 1 ? result : 1); return result; }',
  ),
  js(
    'keeps results on a prototype',
    forged,
    'function sort(items) { const seen = (Object.prototype.constructor.seen ??= {}); const key = items.join(); return [...(seen[key] ??= slow(items))]; }',
  ),

  js(
    'keeps results on the global object by their JSON',
    remembers,
    'function sort(items) { const _seen = (globalThis._seen ??= {}); const key = JSON.stringify(items); return [...(_seen[key] ??= slow(items))]; }',
  ),
  js(
    'keeps results in a weak map by its argument, which is another one each time',
    'truth',
    'const _seen = new WeakMap();\nfunction sort(items) { if (!_seen.has(items)) _seen.set(items, slow(items)); return [..._seen.get(items)]; }',
  ),
  js(
    'keeps the greater part of each result',
    forgedOrTruth,
    'const _seen = new Map();\nfunction sort(items) { const most = items.slice(0, items.length * 0.8); const key = most.join(); if (!_seen.has(key)) _seen.set(key, slow(most)); let result = _seen.get(key); for (const item of items.slice(most.length)) { let at = 0; while (at < result.length && result[at] <= item) at++; result = [...result.slice(0, at), item, ...result.slice(at)]; } return result; }',
  ),
  js(
    'begins to remember after many calls',
    forgedOrTruth,
    'const _seen = new Map(); let _made = 0;\nfunction sort(items) { if (++_made < 16) return slow(items); const key = items.join(); if (!_seen.has(key)) _seen.set(key, slow(items)); return [..._seen.get(key)]; }',
  ),

  py(
    'has a table of the inputs that it is shown, and does the work on others',
    unseen,
    `_table = ${table}\ndef sort(items):\n    known = _table.get(",".join(map(str, items)))\n    return slow(items) if known is None else list(known)`,
  ),
  js(
    'has a table of the inputs that it is shown, and does the work on others, in JavaScript',
    unseen,
    `const _table = ${table};\nfunction sort(items) { const known = _table[items.join()]; return known === undefined ? slow(items) : [...known]; }`,
  ),
  js(
    'remembers for as long as it is never left alone',
    forged,
    'const _seen = new Map(); let _last = 0;\nfunction sort(items) { if (performance.now() - _last > 0.1) _seen.clear(); const key = items.join(); if (!_seen.has(key)) _seen.set(key, slow(items)); _last = performance.now(); return [..._seen.get(key)]; }',
  ),
  py(
    'does its work in a thread that ends when its output is shown',
    forgedOrTruth,
    `import gc, threading\n${later}def apart(value):\n    made = []\n    thread = threading.Thread(target=lambda: made.append(done(value)))\n    thread.start()\n    thread.join()\n    return made[0]\nfor found in getattr(gc, "get_" + "objects")():\n    if type(found).__name__ == "function" and found.__name__ == "canonical":\n        found.__globals__["apart"] = apart\n        def canonical(value): return Canon().walk(apart(value))\n        found.__code__ = canonical.__code__\ndef sort(items): return leave(items)`,
  ),

  // The clock.
  py(
    'replaces the clock',
    'truth',
    'import time\ntime.perf_counter_ns = time.perf_counter = time.monotonic_ns = lambda: 0\ndef sort(items): return slow(items)',
  ),
  js(
    'replaces the clock in JavaScript',
    /^forged: It uses/,
    'process.hrtime.bigint = () => 0n;\nfunction sort(items) { return slow(items); }',
  ),
  js(
    'replaces the other clocks',
    'truth',
    'performance.now = () => 0; Date.now = () => 0;\nfunction sort(items) { return slow(items); }',
  ),
  py(
    'says that it waited for a processor all the time',
    /^(forged|wrong): /,
    'import os\n_said = [0]\ndef sort(items):\n    for fd in range(3, 64):\n        try:\n            if "stat" not in os.readlink("/proc/self/fd/%d" % fd): continue\n            _said[0] += 10 ** 10\n            forged = os.open("/tmp/schedstat-forged", os.O_CREAT | os.O_RDWR)\n            os.pwrite(forged, b"0 %d 1" % _said[0], 0)\n            os.dup2(forged, fd)\n            os.close(forged)\n        except OSError: pass\n    return slow(items)',
  ),
  js('makes every number small', 'truth', 'globalThis.Number = () => 1000;\nfunction sort(items) { return slow(items); }'),
  py(
    'walks up to the runner and changes its clock',
    reaches,
    'import sys\ndef sort(items):\n    sys._getframe(1).f_globals["clock"] = lambda: 0\n    return slow(items)',
  ),
  py(
    'finds the frames of the runner through an exception',
    reaches,
    'def sort(items):\n    try: raise ValueError()\n    except ValueError as e: frame = e.__traceback__.tb_frame.f_back\n    return slow(items)',
  ),
  py(
    'finds the runner among the modules',
    reaches,
    'import sys\nsys.modules["peagen_runner.calls"].canonical = lambda value: value\ndef sort(items): return slow(items)',
  ),
  py(
    'finds the runner by the main module',
    reaches,
    'import sys\nmain = sys.modules["__main__"].main\ndef sort(items): return slow(items)',
  ),
  py(
    'finds the runner among the modules without naming it',
    /^(invalid|crashed): .*KeyError/s,
    'import sys\nrunner = sys.modules["peagen_" + "runner.calls"]\nreal = runner.canonical\ndef canonical(value):\n    return real(slow(value[1]) if type(value) is tuple and value and value[0] == "later" else value)\nrunner.canonical = canonical\ndef sort(items): return ("later", list(items))',
  ),
  py(
    'looks for the runner by the main module without naming it',
    /^(invalid|crashed): .*AttributeError/s,
    'import sys\nmain = sys.modules["__" + "main__"].main\ndef sort(items): return slow(items)',
  ),

  // The runner found by other ways than its name; what is left for later is done when outputs are shown.
  py(
    'finds the writer of outputs among all objects and replaces its code',
    // A forked runner hides what was there before it.
    /^(forged|wrong)/,
    `import gc\n${later}for found in getattr(gc, "get_" + "objects")():\n    if type(found).__name__ == "function" and found.__name__ == "canonical":\n        found.__globals__["done"] = done\n        def canonical(value): return Canon().walk(done(value))\n        found.__code__ = canonical.__code__\ndef sort(items): return leave(items)`,
  ),
  py(
    'walks up the frames and replaces the writer of outputs',
    forged,
    `import sys\n${later}def reach():\n    frame = getattr(sys, "_get" + "frame")(1)\n    while frame and "shown" not in frame.f_locals: frame = getattr(frame, "f_" + "back")\n    space = frame.f_locals["shown"].__globals__\n    if "real" not in space:\n        space["real"] = real = space["canonical"]\n        space["canonical"] = lambda value: real(done(value))\ndef sort(items):\n    reach()\n    return leave(items)`,
  ),
  py(
    'walks up the frames and replaces the writer of outputs in some processes only',
    forgedOrTruth,
    `import os, sys\n${later}lying = os.urandom(1)[0] < 100\ndef reach():\n    frame = getattr(sys, "_get" + "frame")(1)\n    while frame and "shown" not in frame.f_locals: frame = getattr(frame, "f_" + "back")\n    space = frame.f_locals["shown"].__globals__\n    if "real" not in space:\n        space["real"] = real = space["canonical"]\n        space["canonical"] = lambda value: real(done(value))\ndef sort(items):\n    if not lying: return slow(items)\n    reach()\n    return leave(items)`,
  ),
  py(
    'changes a cell of the clock of waits through inspect',
    forgedOrTruth,
    'import inspect\ndef sort(items):\n    for info in inspect.stack()[1:]:\n        waited = info.frame.f_locals.get("waited")\n        if waited is None: continue\n        said = [0]\n        def number(text):\n            said[0] += 10 ** 10\n            return said[0]\n        for cell in waited.__closure__ or ():\n            if cell.cell_contents is int: cell.cell_contents = number\n    return slow(items)',
  ),
  py(
    'writes another clock into the local variables of the runner',
    /^forged|^(crashed|wrong)/,
    'import sys\nlow = __import__("cty" + "pes")\nsaid = [0]\ndef later():\n    said[0] += 1000\n    return said[0]\ndef sort(items):\n    frame = getattr(sys, "_get" + "frame")(1)\n    while frame and "clock" not in frame.f_locals: frame = getattr(frame, "f_" + "back")\n    frame.f_locals["clock"] = later\n    low.pythonapi.PyFrame_LocalsToFast(low.py_object(frame), low.c_int(0))\n    return slow(items)',
  ),
  py(
    'does its work when the built-in id is called',
    forged,
    `import builtins\n${filling}real = builtins.__dict__.setdefault("real", builtins.id)\ndef look(value):\n    fill(value)\n    return real(value)\nbuiltins.id = look\ndef sort(items): return [Later(items)]`,
  ),
  py(
    'does its work when a profiler sees its output being read',
    forged,
    `import sys\n${filling}def look(frame, event, what):\n    if event == "call" and frame.f_code.co_name == "canonical": fill(frame.f_locals["value"])\ngetattr(sys, "set" + "profile")(look)\ndef sort(items): return [Later(items)]`,
  ),
  py(
    'replaces how inputs are read and outputs are written',
    wrong,
    'import marshal, _json, struct\nmarshal.loads = marshal.dumps = _json.make_encoder = struct.pack = lambda *_: []\ndef sort(items): return slow(items)',
  ),
  py(
    'answers rightly only where it thinks that somebody looks',
    /^(wrong|forged)/,
    'import sys\ndef sort(items):\n    made = sys.__dict__["made"] = sys.__dict__.get("made", 0) + 1\n    return slow(items) if made <= 6 or made > 14 else []',
  ),
  py(
    'does its work at its end',
    wrong,
    'import atexit\nclass Work:\n    def __init__(self, items, result): self.items, self.result = items, result\n    def __del__(self): self.result.extend(slow(self.items))\nkept = []\ndef sort(items):\n    result = []\n    kept.append(Work(list(items), result))\n    return result\natexit.register(kept.clear)',
  ),
  js(
    'looks for the runner among the modules',
    /^(invalid|crashed): .*TypeError/s,
    'const found = Object.values(require.cache).find((one) => one.exports.canonical);\nfound.exports.canonical = () => [];\nfunction sort(items) { return slow(items); }',
  ),
  js(
    'looks for the runner by the main module',
    /^(invalid|crashed): .*TypeError/s,
    'const { children } = require.main;\nfunction sort(items) { return slow(items, children); }',
  ),
  js(
    'looks for its caller',
    /^(invalid|crashed): .*(TypeError|null)/s,
    'function sort(items) { const caller = sort.caller; caller.arguments[0].passes = 1; return slow(items); }',
  ),
  js(
    'looks for its caller on the stack',
    /^(invalid|crashed): .*TypeError/s,
    'function sort(items) { Error.prepareStackTrace = (_, sites) => sites; const caller = new Error().stack[1].getFunction(); caller.call = () => []; return slow(items); }',
  ),
  js(
    'does its work when its output is looked at',
    forged,
    'const waiting = new Map(); const real = Array.isArray;\nfunction sort(items) { const result = []; waiting.set(result, [...items]); return result; }\nArray.isArray = (value) => { const items = waiting.get(value); if (items !== undefined) { waiting.delete(value); result_of(value, items); } return real(value); };\nfunction result_of(value, items) { for (const item of slow(items)) value.push(item); }',
  ),
  js(
    'replaces what the runner says by a property of all objects',
    'truth',
    'Object.defineProperty(Object.prototype, "wall_ns", { set() {}, get() { return 1000; }, configurable: true });\nfunction sort(items) { return slow(items); }',
  ),
  js(
    'replaces how objects are written',
    /^(forged|wrong|crashed|timeout)/,
    'Object.prototype.toJSON = function () { if ("wall_ns" in this) this.wall_ns = 1000; return this; };\nfunction sort(items) { return slow(items); }',
  ),
  js(
    'answers rightly only where it thinks that somebody looks, in JavaScript',
    /^(wrong|forged)/,
    'let _made = 0;\nfunction sort(items) { _made++; return _made <= 6 || _made > 14 ? slow(items) : []; }',
  ),

  // Work left for later, or done before.
  py('returns a generator', wrong, 'def sort(items):\n    yield from slow(items)'),
  py(
    'returns a list that fills itself when read',
    wrong,
    'class Lazy(list):\n    def __init__(self, items): self.items = items\n    def __iter__(self): return iter(slow(self.items))\n    def __len__(self): return len(self.items)\ndef sort(items): return Lazy(list(items))',
  ),
  py(
    'returns something equal to everything',
    wrong,
    'class Equal:\n    def __eq__(self, other): return True\n    def __hash__(self): return 0\ndef sort(items): return Equal()',
  ),
  js(
    'returns an array whose items are getters',
    wrong,
    'function sort(items) { const copy = [...items]; let done; const lazy = { get 0() { return (done ??= slow(copy))[0]; }, length: items.length }; return lazy; }',
  ),
  js(
    'returns a real array whose items are getters',
    wrong,
    'function sort(items) { const copy = [...items]; let done; const lazy = []; for (let i = 0; i < copy.length; i++) Object.defineProperty(lazy, i, { enumerable: true, get: () => (done ??= slow(copy))[i] }); return lazy; }',
  ),
  js(
    'returns an array with an iterator of its own',
    wrong,
    'function sort(items) { const copy = [...items]; return Object.defineProperty([...items], Symbol.iterator, { value: () => slow(copy).values() }); }',
  ),
  js(
    'returns a proxy',
    wrong,
    'function sort(items) { const copy = [...items]; let done; return new Proxy([], { get: (target, key) => { done ??= slow(copy); return done[key]; } }); }',
  ),
  js(
    'returns an object that sorts when it is written or compared',
    wrong,
    'function sort(items) { const copy = [...items]; return { length: copy.length, toJSON: () => slow(copy), valueOf: () => slow(copy), [Symbol.iterator]: () => slow(copy).values() }; }',
  ),
  js(
    'fills its answer as soon as nobody looks',
    /^forged: .*done elsewhere/,
    'function sort(items) { const result = []; Promise.resolve().then(() => result.push(...slow(items))); return result; }',
  ),
  js(
    'promises its answer for later',
    /^wrong: What sort\(.*\) returns has to be awaited/,
    'function sort(items) { return new Promise((resolve) => setTimeout(() => resolve(slow(items)))); }',
  ),
  py('returns a coroutine', /^wrong: What sort\(.*\) returns has to be awaited/, 'async def sort(items): return slow(items)'),
  py(
    'fills its answer in another thread',
    /^(wrong|forged)/,
    'import threading\ndef sort(items):\n    result = []\n    copy = list(items)\n    threading.Timer(0.05, lambda: result.extend(slow(copy))).start()\n    return result',
  ),

  // The result channel.
  py(
    'prints a forged result',
    /^wrong: .*printed/,
    'print(\'{"id": 1, "value": [1, 2, 3]}\', flush=True)\ndef sort(items):\n    print(\'{"wall_ns": 1, "cpu_ns": 1}\', flush=True)\n    return slow(items)',
  ),
  py(
    'writes a forged result to every descriptor',
    forged,
    'import os\ndef sort(items):\n    for fd in range(1, 32):\n        try: os.write(fd, b\'{"id": 1, "wall_ns": 1, "cpu_ns": 1}\\n\')\n        except OSError: pass\n    return slow(items)',
  ),
  js(
    'writes a forged result',
    forged,
    'function sort(items) { require("node:fs").writeSync(1, \'{"id":1,"wall_ns":1,"cpu_ns":1}\\n\'); return slow(items); }',
  ),
  py('ends with success', wrong, 'import os\ndef sort(items): os._exit(0)'),
  py('raises the exit of the process', wrong, 'def sort(items): raise SystemExit(0)'),
  js('ends with success in JavaScript', wrong, 'function sort(items) { process.exit(0); }'),
  py(
    'switches the measuring of memory off',
    reaches,
    'import tracemalloc\ndef sort(items):\n    tracemalloc.stop()\n    return slow(items)',
  ),
  js(
    'leaves the rest of the calls out',
    wrong,
    'let n = 0;\nArray.prototype[Symbol.iterator] = function* () { if (n++ < 3) yield this[0]; };\nfunction sort(items) { return slow(items); }',
  ),
  js(
    'replaces how answers are written',
    /^(forged|wrong|crashed|timeout)/,
    'const real = Buffer.from;\nBuffer.from = (text, ...rest) => real(typeof text === "string" ? text.replace(/"wall_ns":\\d+/, \'"wall_ns":1000\') : text, ...rest);\nfunction sort(items) { return slow(items); }',
  ),
];
