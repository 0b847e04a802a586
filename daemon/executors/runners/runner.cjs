/**
 * Runs one candidate in JavaScript or TypeScript: waits warm for its orders, one JSON object a line, and answers each
 * with one line. Started inside a sandbox and used once; see runner.py, whose protocol this is.
 */
'use strict';

// Required, not imported: an import of node:fs loads all that its promises and streams need, which doubles the start.
const { mkdirSync, openSync, readFileSync, readSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { canonical, untagged } = require('./canonical.cjs');
const {
  Drained,
  drained,
  finderOf,
  handOver,
  inTurns,
  isAsyncGenerator,
  isPromise,
  random,
  serve,
  strip,
} = require('./common.cjs');

const home = process.cwd();
/** Where the program's files are. */
let work = home;
// Bound before the candidate exists: replacing them on their objects changes nothing here.
const clock = process.hrtime.bigint.bind(process.hrtime);
const cpuUsage = process.cpuUsage.bind(process);
const exitNow = process.reallyExit.bind(process);
const enter = process.chdir.bind(process);
const { parse, stringify } = JSON;
const toNumber = Number;
const collect = globalThis.gc;
const read = readSync;
const readFile = readFileSync;
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

function seedRandom() {
  random.state = 1;
}

const isName = (text) => /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(text);

let loads = 0;

/** Writes the files and imports the entry's module. A program that is loaded again has other files, so that all of its modules are new. */
async function load(order) {
  effects?.close();
  loads++;
  if (loads > 1) {
    work = join(home, `program${loads}`);
    mkdirSync(work);
    enter(work);
  }
  // All that the runner needs is loaded by now: the candidate finds neither it nor its parts among the modules.
  effects = order.effects === true ? require('./effects.cjs').openEffects(order, work) : undefined;
  counter = order.limit === undefined ? undefined : await require('./counter.cjs').openCounter(order);
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
  const find = await finderOf(join(work, order.path), order, (owner) => effects?.made(owner));
  freshTarget = find;
  target = find().call;
  effects?.watch();
  counter?.loaded();
}

/**
 * What a call calls; with arguments for the constructor, an instance of its own made within the call. Its methods may be called
 * before; `note` is given what each of these calls came to.
 */
function targetOf(call, usual, note = () => undefined) {
  if (call.init === undefined) return usual;
  const text = stringify(call.init.args);
  const steps = stringify(call.before ?? []);
  const find = freshTarget;
  return (...args) => {
    const made = find(argumentsOf(parse(text), call.typed));
    if (steps === '[]') return made.call(...args);
    const before = parse(steps).map((step) => ({ ...step, args: argumentsOf(step.args, call.typed) }));
    return inTurns(made.owner, before, Raised, note, () => made.call(...args));
  };
}

const argumentsOf = (args, typed) => (typed === true ? args.map(untagged) : args);

/** `before`: what a generator yielded before it raised. */
class Raised {
  constructor(error, before) {
    this.error = error;
    this.before = before;
  }
}

/** What the call came to, and whether it was waited for. */
async function invoke(entry, args) {
  let awaited = false;
  try {
    const value = entry(...args);
    awaited = isPromise(value) || isAsyncGenerator(value);
    return { awaited, result: await drained(value, Raised) };
  } catch (error) {
    return { awaited, result: new Raised(error) };
  }
}

function writtenValue(result) {
  if (!(result instanceof Drained)) return { value: canonical(result) };
  const items = { generator: result.items.map((item) => canonical(item)) };
  return { value: result.end === undefined ? items : { ...items, returned: canonical(result.end) } };
}

const revealed = (result) => {
  if (!(result instanceof Raised)) return writtenValue(result);
  const raised = { raised: nameOf(result.error), error: describe(result.error) };
  return result.before === undefined ? raised : { ...writtenValue(result.before), ...raised };
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

/** Operations of all calls so far, where they are counted. */
function spent() {
  if (counter === undefined) return {};
  const all = counter.spent();
  return all > counter.limit ? { cut: 1 } : { spent: all };
}

const operations = {
  strip: (order) => ({ texts: order.texts.map(strip) }),
  load: async (order) => {
    await load(order);
    return {};
  },
  // Before the clock: garbage of the start belongs to no program and is not collected in the middle of a pass.
  settle: () => {
    collect?.({ type: 'minor' });
    // Nobody observes a program whose calls were made any more.
    effects?.close();
    effects = undefined;
    return {};
  },
  call: async (order) => {
    const args = argumentsOf(parse(stringify(order.args)), order.typed);
    const before = stringify(canonical(args));
    seedRandom();
    effects?.before(order);
    counter?.start(order.counted);
    const earlier = [];
    const note = (came) => void earlier.push(came instanceof Raised ? { raised: nameOf(came.error) } : writtenValue(came));
    const { awaited, result } = await invoke(targetOf(order, target, note), args);
    const counts = counter?.stop(order.counted);
    if (counts !== undefined && counts.spent > counter.limit) return { cut: 1 };
    const drawn = random.state === 1 ? undefined : String(random.state);
    const after = canonical(args);
    const shown = revealed(result);
    const shared = effects?.sharing(result instanceof Raised ? undefined : result, args);
    return {
      ...shown,
      ...effects?.after(drawn),
      ...(shared === undefined ? {} : { shared }),
      ...(earlier.length > 0 ? { earlier } : {}),
      ...(awaited ? { awaited } : {}),
      ...counts,
      ...(stringify(after) === before ? {} : { args: { tuple: [after, { dict: [] }] } }),
    };
  },
  state: () => ({ ...effects.state(), ...spent() }),
  spent,
  prepare: (order) => {
    const outputs = order.check?.map(([pass, call]) => revealed(finished[pass][call]));
    if (order.calls !== undefined) {
      ({ calls } = order);
      blob = stringify(calls.map((call) => call.args));
    }
    finished = [];
    batch = [];
    batch = Array.from({ length: order.passes }, () => {
      const usual = freshTarget().call;
      return parse(blob).map((args, index) => [targetOf(calls[index], usual), argumentsOf(args, calls[index].typed)]);
    });
    // Twice, so that the inputs are old and nothing is young. A whole collection would give pages back to the kernel.
    for (let times = 0; order.collect && times < 2; times++) collect?.({ type: 'minor' });
    return { outputs };
  },
  // `counted`: its operations are meant, and not the clock.
  go: async ({ counted }) => {
    if (counted) counter?.start(true);
    const cpu = cpuUsage();
    const wall = clock();
    const waits = waited();
    for (const pass of batch) {
      const results = [];
      for (const [entry, args] of pass) {
        seedRandom();
        try {
          const result = drained(entry(...args), Raised);
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
    const { cost } = (counted && counter?.stop(true)) || {};
    return { cost, wall_ns: wallNs, cpu_ns: (used.user + used.system) * 1000, waited_ns: waitedNs };
  },
  // The collector would move all other passes while this one is shown, and a faster program makes more of them in its time.
  keep: (order) => {
    finished = [finished[order.pass]];
    batch = [];
    collect?.({ type: 'minor' });
    return {};
  },
  reveal: (order) => ({ outputs: order.calls.map((call) => revealed(finished[0][call])) }),
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
  // The first program takes much longer than all that follow: this one is not counted.
  const nothing = await finderOf(join(__dirname, 'nothing.js'), { fn: 'nothing', path: 'nothing.js' });
  nothing();
  isName('nothing');
  parse(stringify({ text: handOver('nothing') }));
  await serve(operations, describe);
  exitNow(0);
}

void main();
