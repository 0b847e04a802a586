/** What runner.cjs and survey.cjs share: their channel to the parent, the random numbers of a program, and finding its function. */
'use strict';

// Required, not imported: an import of node:fs loads all that its promises and streams need, which doubles the start.
const { readSync, writeSync } = require('node:fs');
const { pathToFileURL } = require('node:url');

// Bound before the candidate exists: replacing them on their objects changes nothing here.
const { parse, stringify } = JSON;
const write = writeSync;
const read = readSync;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const wait = Atomics.wait;
const pause = () => wait(sleeper, 0, 0, 1);
/** Where the candidate hands over its entry; see `finderOf`. */
const hook = '__peagenEntry';

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

/** Takes one order after the other; `failed` says what an error of one is called. Ends with the parent's channel. */
async function serve(operations, failed) {
  send({ ready: 1 });
  for (let line = receive(); line !== undefined; line = receive()) {
    if (line === '') continue;
    const order = parse(line);
    let answer;
    try {
      answer = await operations[order.op](order);
    } catch (error) {
      answer = { error: failed(error) };
    }
    answer.id = order.id;
    send(answer);
  }
}

/** The same random numbers for every program: Math.random is replaced by a small generator, reseeded before each call. */
const random = { state: 1 };
Math.random = () => {
  random.state = (random.state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(random.state ^ (random.state >>> 15), 1 | random.state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};

/** A line behind the last one of a file hands over the function, so that it needs no export. */
const handOver = (root) => `\n;globalThis.${hook}?.(typeof ${root} === 'undefined' ? undefined : ${root});`;

/**
 * Imports a module as Node itself would, an ES module as a CommonJS one; finds the entry in it, with a fresh instance each
 * time. `made` is called with each instance.
 */
async function finderOf(path, { fn, path: shown }, made) {
  const [root, ...members] = fn.split('.');
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
      const isMethod = !isStatic(place, member) && place?.prototype?.[member] !== undefined;
      owner = isMethod ? new place(...init) : place;
      if (isMethod) made?.(owner);
      place = owner?.[member];
    }
    if (place === undefined) throw new ReferenceError(`there is no ${fn} in ${shown}`);
    if (typeof place !== 'function') throw new TypeError(`${fn} is not a function`);
    return { owner, call: owner === undefined ? place : place.bind(owner) };
  };
}

/** Whether a class, or one that it extends, has it itself: `apply` and `name` are there for every function. */
function isStatic(place, member) {
  if (typeof place !== 'function') return true;
  for (let at = place; at !== null && Object.hasOwn(at, 'prototype'); at = Object.getPrototypeOf(at))
    if (Object.hasOwn(at, member) && typeof at[member] === 'function') return true;
  return false;
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

const tagOf = (value) => (typeof value === 'object' && value !== null ? value[Symbol.toStringTag] : undefined);
const isGenerator = (value) => tagOf(value) === 'Generator';
const isAsyncGenerator = (value) => tagOf(value) === 'AsyncGenerator';
const isPromise = (value) => typeof value === 'object' && value !== null && typeof value.then === 'function';

/** What a generator yielded, and what it returned. */
class Drained {
  constructor(items, end) {
    this.items = items;
    this.end = end;
  }
}

/**
 * A generator or promise has not done its work yet: it belongs to the call. `Raised` is made of the error of a generator that
 * yielded something before.
 */
function drained(value, Raised) {
  if (isAsyncGenerator(value)) return drainedLater(value, Raised);
  if (!isGenerator(value)) return value;
  const items = [];
  try {
    let step = value.next();
    for (; !step.done; step = value.next()) items.push(step.value);
    return new Drained(items, step.value);
  } catch (error) {
    if (items.length === 0) throw error;
    return new Raised(error, new Drained(items));
  }
}

async function drainedLater(value, Raised) {
  const items = [];
  try {
    let step = await value.next();
    for (; !step.done; step = await value.next()) items.push(step.value);
    return new Drained(items, step.value);
  } catch (error) {
    if (items.length === 0) throw error;
    return new Raised(error, new Drained(items));
  }
}

/**
 * Calls methods of an instance one after the other, and then `last`, whose result is returned; as a promise where one of them
 * has to be waited for. `note` is given what each came to.
 */
function inTurns(owner, steps, Raised, note, last) {
  let at = 0;
  const next = () => {
    while (at < steps.length) {
      const { method, args } = steps[at++];
      let result;
      try {
        result = drained(owner[method](...args), Raised);
      } catch (error) {
        result = new Raised(error);
      }
      if (isPromise(result)) return result.then(note, (error) => note(new Raised(error))).then(next);
      note(result);
    }
    return last();
  };
  return next();
}

/** The debugger's interface of this process: `ask` returns its answer at once, and throws what it refuses. */
function openInspector() {
  const { Session } = require('node:inspector');
  const session = new Session();
  session.connect();
  const ask = (method, parameters) => {
    let answer;
    session.post(method, parameters, (error, result) => {
      if (error !== null) throw new Error(error.message);
      answer = result;
    });
    return answer;
  };
  return { ask, close: session.disconnect.bind(session) };
}

module.exports = {
  ...{ Drained, drained, finderOf, handOver, inTurns, isAsyncGenerator, isPromise, openInspector, random, serve, strip, tagOf },
};
