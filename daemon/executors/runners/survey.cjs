/**
 * Surveys a program in JavaScript for daemon/judging/inputs: what each of many calls came to, which probes ran, and
 * which small mutants behave differently. Its texts come with probes, whose number of steps also ends endless loops.
 */
'use strict';

const { mkdirSync, readSync, writeFileSync, writeSync } = require('node:fs');
const { dirname, extname, join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { canonical, untagged } = require('./canonical.cjs');

const work = process.cwd();
const { parse, stringify } = JSON;
const hook = '__peagenEntry';
const sleeper = new Int32Array(new SharedArrayBuffer(4));

let pending = Buffer.alloc(0);
const chunk = Buffer.alloc(1 << 16);

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
      const size = readSync(0, chunk, 0, chunk.length, null);
      if (size === 0) return undefined;
      pending = Buffer.from(chunk.subarray(0, size));
    } catch (error) {
      if (error.code === 'EOF') return undefined;
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(sleeper, 0, 0, 1);
    }
  }
}

function send(answer) {
  let data = Buffer.from(`${stringify(answer)}\n`);
  while (data.length > 0) {
    try {
      data = data.subarray(writeSync(1, data));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(sleeper, 0, 0, 1);
    }
  }
}

/** Thrown by a probe when a call has taken more steps than it may. */
class Cut extends Error {}
const cutError = new Cut('cut');

let steps = 0;
let limit = Infinity;
let wasCut = false;
let last = 0;
let counts = new Map();
const PROBES = 1 << 20;
/** What the probes in the texts call. */
globalThis.__peagenProbe = (probe) => {
  steps += 1;
  if (steps > limit) {
    wasCut = true;
    throw cutError;
  }
  const step = last * PROBES + probe;
  last = probe;
  counts.set(step, (counts.get(step) ?? 0) + 1);
};

let randomState = 1;
Math.random = () => {
  randomState = (randomState + 0x6d2b79f5) | 0;
  let mixed = Math.imul(randomState ^ (randomState >>> 15), 1 | randomState);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
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
async function finderOf(text) {
  const [root, ...members] = program.fn.split('.');
  const extension = extname(program.path);
  const path = join(work, copies === 0 ? program.path : `${program.path.slice(0, -extension.length)}.copy${copies}${extension}`);
  copies += 1;
  writeFileSync(path, `${text}\n;globalThis.${hook}?.(typeof ${root} === 'undefined' ? undefined : ${root});`);
  let found;
  globalThis[hook] = (value) => {
    found ??= value;
  };
  steps = 0;
  const module = await import(pathToFileURL(path).href);
  delete globalThis[hook];
  found ??= module[root] ?? module.default?.[root];
  return (init = []) => {
    let owner;
    let place = found;
    for (const member of members) {
      owner = place?.[member] === undefined && place?.prototype?.[member] !== undefined ? new place(...init) : place;
      place = owner?.[member];
    }
    if (typeof place !== 'function') throw new ReferenceError(`there is no function ${program.fn} in ${program.path}`);
    return { owner, fn: owner === undefined ? place : place.bind(owner) };
  };
}

async function load(order) {
  program = order;
  copies = 0;
  for (const file of order.files) {
    const path = join(work, file.path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.text);
  }
  program.text = order.files.find(({ path }) => path === order.path).text;
  program.find = await finderOf(program.text);
  program.shared = program.find();
  return {};
}

const tagOf = (value) => (typeof value === 'object' && value !== null ? value[Symbol.toStringTag] : undefined);
const isPromise = (value) => typeof value === 'object' && value !== null && typeof value.then === 'function';

async function drained(value) {
  if (tagOf(value) === 'Generator') return ['generator', ...value];
  if (tagOf(value) === 'AsyncGenerator') return ['generator', ...(await Array.fromAsync(value))];
  return isPromise(value) ? ['promise', await value] : value;
}

async function call({ args: given, init, typed }, find, shared, most, traced) {
  const args = typed === true ? given.map(untagged) : parse(stringify(given));
  const before = stringify(canonical(args));
  [steps, limit, last, randomState, counts, printed, wasCut] = [0, most, 0, 1, new Map(), [], false];
  const start = process.cpuUsage();
  let what;
  let error;
  let owner;
  try {
    const entry = init === undefined ? shared : find(typed === true ? init.args.map(untagged) : parse(stringify(init.args)));
    owner = entry.owner;
    const value = entry.fn(...args);
    what = [tagOf(value) ?? '', isPromise(value) || tagOf(value) === 'Generator' ? await drained(value) : await drained(value)];
  } catch (caught) {
    error = caught;
    what = ['raised', caught instanceof Error ? caught.constructor.name : typeof caught];
  }
  const used = process.cpuUsage(start);
  const ms = (used.user + used.system) / 1000;
  if (wasCut) return { cut: 1 };
  const after = stringify(canonical(args));
  const answer = { ms, steps };
  answer.hash = hashOf(stringify(canonical([what, after === before ? '' : after, printed, owner])));
  if (traced) {
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

async function safely(order, find, shared, most, traced) {
  try {
    return await call(order, find, shared, most, traced);
  } catch (error) {
    return { failed: String(error).slice(0, 200) };
  }
}

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
  load,
  run: async (order) => {
    const results = [];
    const find = await finderOf(program.text);
    const shared = find();
    for (const one of order.calls) results.push(await safely(one, find, shared, order.steps, true));
    return { results, notes: [] };
  },
  mutants: async ({ calls, texts, most, steps: allowed }) => {
    const find = await finderOf(program.text);
    const own = find();
    const wanted = [];
    for (const one of calls) wanted.push((await safely(one, find, own, allowed, false)).hash);
    const told = [];
    for (const text of texts) {
      let found = [];
      try {
        limit = allowed;
        const mutant = await finderOf(text);
        const shared = mutant();
        for (const [index, one] of calls.entries()) {
          const answer = await safely(one, mutant, shared, allowed, false);
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
  send({ ready: 1 });
  for (let line = receive(); line !== undefined; line = receive()) {
    if (line === '') continue;
    const order = parse(line);
    let answer;
    try {
      limit = Infinity;
      answer = await operations[order.op](order);
    } catch (error) {
      answer = { error: String(error?.message ?? error).slice(0, 2000) };
    }
    answer.id = order.id;
    send(answer);
  }
  process.exit(0);
}

void main();
