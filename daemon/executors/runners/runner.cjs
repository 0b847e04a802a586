/**
 * Runs one candidate in JavaScript or TypeScript: waits warm for its orders, one JSON object a line, and answers each
 * with one line. Started inside a sandbox and used once; see runner.py, whose protocol this is.
 */
'use strict';

// Required, not imported: an import of node:fs loads all that its promises and streams need, which doubles the start.
const { mkdirSync, openSync, readFileSync, readSync, writeFileSync, writeSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { canonical, untagged } = require('./canonical.cjs');

const work = process.cwd();
// Bound before the candidate exists: replacing them on their objects changes nothing here.
const clock = process.hrtime.bigint.bind(process.hrtime);
const cpuUsage = process.cpuUsage.bind(process);
const exitNow = process.reallyExit.bind(process);
const { parse, stringify } = JSON;
const toNumber = Number;
const collect = globalThis.gc;
const write = writeSync;
const read = readSync;
const readFile = readFileSync;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const pause = () => Atomics.wait(sleeper, 0, 0, 1);
/** Where the candidate hands over its entry; see `load`. */
const hook = '__peagenEntry';

const waited = waitingClock();

/** Nanoseconds this thread was ready to run while others had the processors; 0 where the kernel does not say. */
function waitingClock() {
  const text = Buffer.alloc(64);
  const decode = text.latin1Slice.bind(text);
  try {
    const where = openSync('/proc/thread-self/schedstat');
    const now = () => toNumber(decode(0, read(where, text, 0, 64, 0)).split(' ')[1]);
    return now() >= 0 ? now : () => 0;
  } catch {
    return () => 0;
  }
}

let pending = Buffer.alloc(0);
const chunk = Buffer.alloc(1 << 16);

/** The next line of the parent; the channel is blocking, so that nothing of ours runs next to the candidate. */
function receive() {
  const parts = [];
  for (;;) {
    const end = pending.indexOf(10);
    if (end >= 0) {
      parts.push(pending.subarray(0, end));
      pending = pending.subarray(end + 1);
      return Buffer.concat(parts).toString('utf8');
    }
    parts.push(pending);
    pending = Buffer.alloc(0);
    try {
      const size = read(0, chunk, 0, chunk.length, null);
      if (size === 0) return undefined;
      pending = Buffer.from(chunk.subarray(0, size));
    } catch (error) {
      if (error.code === 'EOF') return undefined;
      if (error.code !== 'EAGAIN') throw error;
      pause();
    }
  }
}

function send(answer) {
  let data = Buffer.from(`${stringify(answer)}\n`);
  while (data.length > 0) {
    try {
      data = data.subarray(write(1, data));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      pause();
    }
  }
}

/** What the candidate prints goes nowhere, and it has no input. */
function takeChannel() {
  let nowhere;
  const stdout = () => {
    const { Writable } = require('node:stream');
    nowhere ??= new Writable({ write: (_chunk, _encoding, done) => done() });
    return nowhere;
  };
  Object.defineProperty(process, 'stdout', { get: stdout, configurable: true });
  Object.defineProperty(process, 'stdin', { value: null, configurable: true });
  for (const name of ['log', 'info', 'debug', 'warn', 'error', 'trace', 'table', 'dir']) console[name] = () => undefined;
}

let target;
/** The entry with an instance of its own, when it is a method: each pass begins with one. */
let freshTarget;
/** The calls of a pass, as they came. */
let calls = [];
let counter;
/** What calls do other than returning, in the run that judges correctness; see effects.cjs. */
let effects;
let batch = [];
let finished = [];
let blob = '[]';

/** The same random numbers for every program: Math.random is replaced by a small generator, reseeded before each call. */
let randomState = 1;
Math.random = () => {
  randomState = (randomState + 0x6d2b79f5) | 0;
  let mixed = Math.imul(randomState ^ (randomState >>> 15), 1 | randomState);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};
function seedRandom() {
  randomState = 1;
}

const isName = (text) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text);

/** A line behind the last one of a file hands over the function, so that it needs no export. */
const handOver = (root) => `\n;globalThis.${hook}?.(typeof ${root} === 'undefined' ? undefined : ${root});`;

/** Writes the files and imports the entry's module. */
async function load(order) {
  // All that the runner needs is loaded by now: the candidate finds neither it nor its parts among the modules.
  effects = order.effects === true ? require('./effects.cjs').openEffects(order, work) : undefined;
  for (const path of Object.keys(require.cache)) delete require.cache[path];
  process.mainModule = undefined;
  const [root] = order.fn.split('.');
  if (!isName(root)) throw new TypeError(`${order.fn} is not a function's name`);
  for (const file of order.files) {
    const path = join(work, file.path);
    mkdirSync(dirname(path), { recursive: true });
    const scope = effects?.scopeLine(file.path, file.text) ?? '';
    writeFileSync(path, file.path === order.path ? file.text + handOver(root) + scope : file.text + scope);
  }
  counter = undefined;
  if (order.count) {
    const { createCounter } = await import('./counter.mjs');
    counter = await createCounter(order);
  }
  freshTarget = await finderOf(join(work, order.path), order);
  target = freshTarget();
  effects?.watch();
}

/**
 * Imports a module as Node itself would, an ES module as a CommonJS one; finds the entry in it, with a fresh instance each
 * time.
 */
async function finderOf(path, order) {
  const [root, ...members] = order.fn.split('.');
  let found;
  globalThis[hook] = (value) => {
    found ??= value;
  };
  const module = await import(pathToFileURL(path).href);
  delete globalThis[hook];
  // Only a default export, or a name that exists as an export alone.
  found ??= module[root] ?? module.default?.[root];
  return (init = []) => {
    let owner;
    let place = found;
    for (const member of members) {
      // A method gets an instance; a static one needs none.
      const isMethod = place?.[member] === undefined && place?.prototype?.[member] !== undefined;
      owner = isMethod ? new place(...init) : place;
      if (isMethod) effects?.made(owner);
      place = owner?.[member];
    }
    if (place === undefined) throw new ReferenceError(`there is no ${order.fn} in ${order.path}`);
    if (typeof place !== 'function') throw new TypeError(`${order.fn} is not a function`);
    return owner === undefined ? place : place.bind(owner);
  };
}

/** What a call calls; with arguments for the constructor, an instance of its own made within the call. */
function targetOf(call, usual) {
  if (call.init === undefined) return usual;
  const text = stringify(call.init.args);
  const find = freshTarget;
  return (...args) => find(argumentsOf(parse(text), call.typed))(...args);
}

const argumentsOf = (args, typed) => (typed === true ? args.map(untagged) : args);

const isGenerator = (value) => typeof value === 'object' && value !== null && value[Symbol.toStringTag] === 'Generator';
const isAsyncGenerator = (value) => typeof value === 'object' && value !== null && value[Symbol.toStringTag] === 'AsyncGenerator';

class Drained {
  constructor(items) {
    this.items = items;
  }
}

/** A generator or promise has not done its work yet: it belongs to the call. */
function drained(value) {
  if (isGenerator(value)) return new Drained([...value]);
  if (isAsyncGenerator(value)) return Array.fromAsync(value).then((items) => new Drained(items));
  return value;
}

class Raised {
  constructor(error) {
    this.error = error;
  }
}

const isPromise = (value) => typeof value === 'object' && value !== null && typeof value.then === 'function';

/** What the call came to, and whether it was waited for. */
async function invoke(entry, args) {
  let awaited = false;
  try {
    const value = entry(...args);
    awaited = isPromise(value) || isAsyncGenerator(value);
    return { awaited, result: await drained(value) };
  } catch (error) {
    return { awaited, result: new Raised(error) };
  }
}

const revealed = (result) => {
  if (result instanceof Raised) return { raised: nameOf(result.error), error: describe(result.error) };
  if (result instanceof Drained) return { value: { generator: result.items.map((item) => canonical(item)) } };
  return { value: canonical(result) };
};

function nameOf(error) {
  return error instanceof Error ? (error.constructor?.name ?? error.name) : typeof error;
}

/** The stack from the candidate's lines, its paths as the user knows them. */
function describe(error) {
  if (!(error instanceof Error)) return `thrown: ${String(error)}`;
  const lines = String(error.stack ?? error).split('\n');
  const own = lines.filter((line) => !/^\s+at /.test(line) || line.includes(work));
  return (
    own
      .slice(0, 12)
      .join('\n')
      .replaceAll(`${pathToFileURL(work).href}/`, '')
      .replaceAll(`${work}/`, '')
      // What was TypeScript has its lines where they were.
      .replace(/(\.[cm]?ts)\.[cm]?js\b/g, '$1')
      .slice(0, 4000)
  );
}

/** Positions stay as they are, except in the rare file with syntax that has to be generated, such as an enum. */
function strip(text) {
  const { stripTypeScriptTypes } = require('node:module');
  try {
    return stripTypeScriptTypes(text);
  } catch (error) {
    if (error.code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error;
    return stripTypeScriptTypes(text, { mode: 'transform' });
  }
}

const operations = {
  strip: (order) => ({ texts: order.texts.map(strip) }),
  load: async (order) => {
    await load(order);
    return {};
  },
  // Before the clock: garbage of the start is nobody's fault and is not collected in the middle of a pass.
  settle: () => {
    collect?.();
    return {};
  },
  call: async (order) => {
    const args = argumentsOf(parse(stringify(order.args)), order.typed);
    const before = stringify(canonical(args));
    seedRandom();
    effects?.before(order);
    counter?.start(order.limit);
    const { awaited, result } = await invoke(targetOf(order, target), args);
    const cost = counter?.stop();
    if (cost > order.limit) return { cut: 1 };
    const random = randomState === 1 ? undefined : String(randomState);
    const after = canonical(args);
    return {
      ...revealed(result),
      ...effects?.after(random),
      ...(awaited ? { awaited } : {}),
      ...(cost === undefined ? {} : { cost }),
      ...(stringify(after) === before ? {} : { args: { tuple: [after, { dict: [] }] } }),
    };
  },
  state: () => effects.state(),
  prepare: (order) => {
    const outputs = order.check?.map(([pass, call]) => revealed(finished[pass][call]));
    if (order.calls !== undefined) {
      ({ calls } = order);
      blob = stringify(calls.map((call) => call.args));
    }
    finished = [];
    batch = [];
    batch = Array.from({ length: order.passes }, () => {
      const usual = freshTarget();
      return parse(blob).map((args, index) => [targetOf(calls[index], usual), argumentsOf(args, calls[index].typed)]);
    });
    // Twice, so that the inputs are old and nothing is young. A whole collection would give pages back to the kernel.
    for (let times = 0; order.collect && times < 2; times++) collect?.({ type: 'minor' });
    return { outputs };
  },
  // `limit`: its operations are counted, and the clock is not meant.
  go: async ({ limit }) => {
    if (limit !== undefined) counter?.start(limit);
    const cpu = cpuUsage();
    const wall = clock();
    const waits = waited();
    for (const pass of batch) {
      const results = [];
      for (const [entry, args] of pass) {
        seedRandom();
        try {
          const result = drained(entry(...args));
          results.push(isPromise(result) ? await result : result);
        } catch (error) {
          results.push(new Raised(error));
        }
      }
      finished.push(results);
    }
    const waitedNs = waited() - waits;
    const wallNs = toNumber(clock() - wall);
    const used = cpuUsage(cpu);
    const cost = limit === undefined ? undefined : counter?.stop();
    return { cost, wall_ns: wallNs, cpu_ns: (used.user + used.system) * 1000, waited_ns: waitedNs };
  },
  reveal: (order) => ({ outputs: finished[order.pass].map(revealed) }),
  memory: async (order) => ({ peak_bytes: await peakBytes(order.calls) }),
};

/** How far the process grew at its highest point: the kernel's mark is reset first, then read again. */
async function peakBytes(wanted) {
  const copies = parse(stringify(wanted)).map((call) => [targetOf(call, target), argumentsOf(call.args, call.typed)]);
  collect?.();
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    // Without the reset the mark is that of the whole life, which is still an upper bound.
  }
  const before = statusBytes('VmRSS');
  for (const [entry, args] of copies) await invoke(entry, args);
  const after = statusBytes('VmHWM');
  return before === undefined || after === undefined ? process.memoryUsage().heapUsed : Math.max(0, after - before);
}

function statusBytes(field) {
  try {
    const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFile('/proc/self/status', 'utf8'));
    return match === null ? undefined : Number(match[1]) * 1024;
  } catch {
    return undefined;
  }
}

async function main() {
  takeChannel();
  // The first program takes much longer than all that follow: this one is nobody's.
  const nothing = await finderOf(join(__dirname, 'nothing.js'), { fn: 'nothing', path: 'nothing.js' });
  nothing();
  isName('nothing');
  parse(stringify({ text: handOver('nothing') }));
  send({ ready: 1 });
  for (let line = receive(); line !== undefined; line = receive()) {
    if (line === '') continue;
    const order = parse(line);
    let answer;
    try {
      answer = await operations[order.op](order);
    } catch (error) {
      answer = { error: describe(error) };
    }
    answer.id = order.id;
    send(answer);
  }
  exitNow(0);
}

void main();
