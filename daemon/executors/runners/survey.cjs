/**
 * Surveys a program in JavaScript for daemon/judging/inputs: what each of many calls came to, which probes ran, and
 * which small mutants behave differently. Its texts come with probes, whose number of steps also ends endless loops.
 */
'use strict';

const { mkdirSync, writeFileSync } = require('node:fs');
const { dirname, extname, join, sep } = require('node:path');
const { pathToFileURL } = require('node:url');
const { canonical, untagged } = require('./canonical.cjs');
const { drained, finderOf, handOver, inTurns, isPromise, openInspector, random, serve, strip, tagOf } = require('./common.cjs');

const work = process.cwd();
const { parse, stringify } = JSON;

/** Thrown by a probe when a call has taken more steps than it may. */
class Cut extends Error {}
const cutError = new Cut('cut');

let steps = 0;
let limit = Infinity;
let wasCut = false;
/** Microseconds of this process at which a call is cut: a step may take long, as one in a list that grows without an end. */
let deadline = Infinity;
const cpu = () => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
/** Steps between two looks at the processor time, which take as long as some ten of them. */
const LOOK = 256;
/** Times what a call may take: steps are counted exactly, and end most calls. */
const WIDE = 2;
let last = 0;
let counts = new Map();
const PROBES = 1 << 20;
/** What the probes in the texts call. */
globalThis.__peagenProbe = (probe) => {
  steps += 1;
  if (steps > limit || (steps % LOOK === 0 && cpu() > deadline)) {
    wasCut = true;
    throw cutError;
  }
  const step = last * PROBES + probe;
  last = probe;
  counts.set(step, (counts.get(step) ?? 0) + 1);
};

let printed = [];
for (const name of ['log', 'info', 'debug', 'warn', 'error', 'trace', 'table', 'dir'])
  console[name] = (...parts) => void printed.push(name, ...parts.map(String));

/** 53 bits of a text (cyrb53 by bryc, public domain). */
function hashOf(text) {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 2654435761);
    low = Math.imul(low ^ code, 1597334677);
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909);
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909);
  return 4294967296 * (2097151 & low) + (high >>> 0);
}

let program;
let copies = 0;

/** Imports the entry's text under a name of its own, and returns what finds the entry with a fresh instance. */
async function imported(text) {
  const extension = extname(program.path);
  const path = join(work, copies === 0 ? program.path : `${program.path.slice(0, -extension.length)}.copy${copies}${extension}`);
  copies += 1;
  writeFileSync(path, text + handOver(program.fn.split('.')[0]));
  steps = 0;
  return await finderOf(path, program);
}

async function load(order) {
  limit = Infinity;
  program = order;
  copies = 0;
  for (const file of order.files) {
    const path = join(work, file.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.text);
  }
  program.text = order.files.find(({ path }) => path === order.path).text;
  program.find = await imported(program.text);
  program.shared = program.find();
  return {};
}

const MOST_LEAVES = 6;
const LONGEST_LEAF = 40;

/** Short texts and whole numbers in a result, the first few: what a call gives may be what the next one is given. */
function leavesOf(result) {
  const found = [];
  const waiting = [result];
  for (let at = 0; at < waiting.length && at < 100 && found.length < MOST_LEAVES; at++) {
    const value = waiting[at];
    const isText = typeof value === 'string' && value !== '' && value.length <= LONGEST_LEAF;
    if (isText || (Number.isInteger(value) && Math.abs(value) < 2 ** 31)) found.push(value);
    else if (Array.isArray(value)) waiting.push(...value.slice(0, MOST_LEAVES));
    else if (value instanceof Map) waiting.push(...valuesFirst([...value]));
    else if (tagOf(value) === undefined && typeof value === 'object' && value !== null)
      waiting.push(...valuesFirst(Object.entries(value)));
  }
  return found;
}

/** Keys are often names of fields, which say less. */
function valuesFirst(entries) {
  const some = entries.slice(0, MOST_LEAVES);
  return [...some.map(([, value]) => value), ...some.map(([key]) => key)];
}

class Raised {
  constructor(error, before) {
    Object.assign(this, { error, before });
  }
}

const nameOf = (error) => (error instanceof Error ? error.constructor.name : typeof error);

async function call({ args: given, init, before: sequence = [], typed }, find, shared, { steps: most, most_ms: mostMs }, traced) {
  const own = (values) => (typed === true ? values.map(untagged) : parse(stringify(values)));
  const args = own(given);
  const raising = [];
  const earlier = [];
  const note = (result) => {
    raising.push(result instanceof Raised ? nameOf(result.error) : '');
    earlier.push(stringify(canonical(result instanceof Raised ? raising.at(-1) : result)));
  };
  const before = stringify(canonical(args));
  [steps, limit, last, random.state, counts, printed, wasCut] = [0, most, 0, 1, new Map(), [], false];
  const start = cpu();
  deadline = start + 1000 * WIDE * mostMs;
  const began = performance.now();
  let what;
  let error;
  let owner;
  let gave = [];
  try {
    const entry = init === undefined ? shared : find(own(init.args));
    owner = entry.owner;
    const asked = () => entry.call(...args);
    const others = sequence.map((one) => ({ ...one, args: own(one.args) }));
    const value = others.length === 0 ? asked() : inTurns(owner, others, Raised, note, asked);
    const done = await drained(value, Raised);
    if (done instanceof Raised) throw done;
    what = [tagOf(value) ?? '', isPromise(value), done];
    if (traced) gave = leavesOf(done);
  } catch (caught) {
    error = caught instanceof Raised ? caught.error : caught;
    what = ['raised', nameOf(error), caught?.before?.items];
  }
  const wall = performance.now() - began;
  const ms = (cpu() - start) / 1000;
  deadline = Infinity;
  if (wasCut) return { cut: 1 };
  const after = stringify(canonical(args));
  const answer = { ms, wall, steps };
  answer.hash = hashOf(stringify(canonical([what, after === before ? '' : after, printed, owner, earlier])));
  if (raising.length > 0) answer.earlier = raising;
  if (traced) {
    answer.gave = gave;
    answer.features = [...counts].flatMap(([step, count]) => [1, 2, 3].slice(0, count).map((times) => step * 4 + times));
    answer.lines = [...new Set([...counts.keys()].map((step) => step % PROBES))];
  }
  if (error !== undefined) {
    const stem = program.path.slice(0, -extname(program.path).length).replace(/[^\w/]/g, '\\$&');
    const place = new RegExp(`${stem}(?:\\.copy\\d+)?\\.\\w+:(\\d+)`).exec(String(error?.stack));
    Object.assign(answer, {
      raised: what[1],
      line: Number(place?.[1] ?? 0),
      text: String(error?.message ?? error).slice(0, 200),
    });
  }
  return answer;
}

/** `most`: `steps` and `most_ms`, which a call may take. */
async function safely(order, find, shared, most, traced) {
  try {
    return await call(order, find, shared, most, traced);
  } catch (error) {
    return { failed: String(error).slice(0, 200) };
  }
}

const operations = {
  strip: (order) => ({ texts: order.texts.map(strip) }),
  load,
  run: async (order) => {
    limit = Infinity;
    const results = [];
    const find = await imported(program.text);
    const shared = find();
    for (const one of order.calls) results.push(await safely(one, find, shared, order, true));
    return { results, notes: [] };
  },
  /** How often each part of the program's files ran in all calls, as V8 counts it. */
  lines_run: async (order) => {
    const { ask } = openInspector();
    ask('Profiler.enable');
    ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    limit = Infinity;
    const find = await imported(program.text);
    const shared = find();
    for (const one of order.calls) await safely(one, find, shared, order, false);
    const own = pathToFileURL(work + sep).href;
    const seen = ask('Profiler.takePreciseCoverage').result.filter(({ url }) => url.startsWith(own));
    return { result: seen.map((one) => ({ ...one, url: one.url.replace(/\.copy\d+(\.\w+)$/, '$1') })) };
  },
  mutants: async (order) => {
    const { calls, texts, most, steps: allowed } = order;
    limit = Infinity;
    const find = await imported(program.text);
    const own = find();
    const wanted = [];
    for (const one of calls) wanted.push((await safely(one, find, own, order, false)).hash);
    const told = [];
    for (const text of texts) {
      let found = [];
      try {
        limit = allowed;
        const mutant = await imported(text);
        const shared = mutant();
        for (const [index, one] of calls.entries()) {
          const answer = await safely(one, mutant, shared, order, false);
          if (answer.hash === wanted[index]) continue;
          found.push(index);
          if (answer.cut === 1 || found.length >= most) break;
        }
      } catch {
        // It does not load, so that every call would tell it.
        found = null;
      }
      told.push(found);
    }
    return { told };
  },
};

async function main() {
  await serve(operations, (error) => String(error?.message ?? error).slice(0, 2000));
  process.exit(0);
}

void main();
