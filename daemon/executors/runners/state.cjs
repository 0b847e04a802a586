/** Names and what they hold: which of them changed since the last look, at little cost for what stays as it is. */
'use strict';

const { types } = require('node:util');
const { canonical } = require('./canonical.cjs');
const { openInspector } = require('./common.cjs');

const { stringify, parse } = JSON;
const { getOwnPropertyDescriptor, getOwnPropertyNames, keys } = Object;
/** Parts: what is larger is looked through only at the end, and by its length before. */
const LARGE = 1000;
const LAST = 200_000;
/** Characters of JSON up to which a value is sent itself; a longer one is sent as a digest. */
const SENT = 8000;

/** 64 bits of a text or a buffer. Not for secrets: to load node:crypto takes longer than all else here. */
function digest(data) {
  let [a, b] = [0x9e3779b9, 0x85ebca6b];
  const text = typeof data === 'string';
  for (let at = 0; at < data.length; at++) {
    const code = text ? data.charCodeAt(at) : data[at];
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code ^ (a >>> 13), 0x5bd1e995);
  }
  return [a ^ (a >>> 15), b ^ (b >>> 13)].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
const isFixed = (value) => (typeof value !== 'object' && typeof value !== 'function') || value === null;

let serialize;
/** Loaded when something large is there, or before a program that could change it: it takes longer than all else here. */
function serialiser() {
  serialize ??= require('node:v8').serialize;
  return serialize;
}

/** Names that `read` yields with their values. `hidden` reads the private fields of an object. */
class Space {
  constructor(read, hidden) {
    this.read = read;
    this.hidden = hidden;
    this.seen = new Map();
    this.ever = new Set();
    /** What was large at the first look is kept by name: enough to see whether it has changed at the end. */
    this.first = undefined;
  }

  /** What changed since the last look: by name the value, or `{gone: 1}`. */
  look() {
    const now = new Map();
    const changed = {};
    for (const [name, value] of this.read()) {
      const before = this.seen.get(name);
      const mark = this.markOf(value, before);
      now.set(name, mark);
      this.ever.add(name);
      if (this.first !== undefined && before?.text !== mark.text) changed[name] = sent(mark);
    }
    for (const name of this.seen.keys()) if (!now.has(name)) changed[name] = { gone: 1 };
    this.seen = now;
    this.first ??= new Map([...now].filter(([, { large }]) => large).map(([name, { value }]) => [name, this.contents(value)]));
    return changed;
  }

  /** Digests of what was only glanced at, and is not what it was at the first look. */
  large(prefix = '') {
    const found = {};
    for (const [name, { value, large }] of this.seen) {
      if (large && this.first.get(name) !== this.contents(value)) found[prefix + name] = this.whole(value);
    }
    return found;
  }

  whole(value) {
    return digest(this.written(value, LAST) ?? glance(value));
  }

  /** Enough to tell whether a value has changed within this process, at little cost where it is plain. */
  contents(value) {
    try {
      return digest(serialiser()(value));
    } catch {
      return this.whole(value);
    }
  }

  markOf(value, before) {
    const same = before !== undefined && before.value === value;
    // What a function carries has names of its own.
    if (same && (isFixed(value) || typeof value === 'function')) return before;
    const text = same && before.large ? undefined : this.written(value, LARGE);
    return text === undefined ? { value, text: glance(value), large: true } : { value, text, large: false };
  }

  /** Undefined for what has more parts than that; what cannot be written is described by its type. */
  written(value, most) {
    try {
      return stringify(canonical(value, { most, hidden: this.hidden }));
    } catch (error) {
      return error instanceof RangeError ? undefined : stringify({ object: typeof value });
    }
  }
}

function glance(value) {
  const items = value.size ?? value.length ?? keys(value).length;
  const seen = { large: value.constructor?.name ?? 'Object', items };
  const last = Array.isArray(value) ? value.at(-1) : undefined;
  return stringify(isFixed(last) && last !== undefined ? { ...seen, last: String(last) } : seen);
}

function sent({ value, text }) {
  if (text.length <= SENT) return parse(text);
  const items = Array.isArray(value) ? value.length : (value?.size ?? undefined);
  return { large: value?.constructor?.name ?? typeof value, digest: digest(text), ...(items === undefined ? {} : { items }) };
}

/** Top-level variables of a module, and what its functions and classes carry. `owned`: objects that other modules have. */
function* moduleNames(getters, prefix, owned) {
  const mine = [];
  for (const name of keys(getters)) {
    let value;
    try {
      value = getters[name]();
    } catch {
      // It is not a variable of the module. An error each time would take longer than all else.
      delete getters[name];
      continue;
    }
    if (types.isModuleNamespaceObject(value) || (name in globalThis && Object.is(globalThis[name], value))) continue;
    if (!isFixed(value)) {
      if (owned.has(value)) continue;
      mine.push(value);
    }
    if (name === 'exports') {
      // What is exported is a variable too, most often.
      for (const one of carried(value, `${prefix}exports`)) if (!mine.includes(one[1])) yield one;
    } else {
      if (typeof value === 'function') yield* carried(value, `${prefix}${name}`);
      yield [`${prefix}${name}`, value];
    }
  }
  for (const value of mine) owned.add(value);
}

const usual = new Set(['length', 'name', 'prototype', 'arguments', 'caller']);

function* carried(owner, name) {
  if (isFixed(owner) || types.isProxy(owner)) return;
  for (const key of getOwnPropertyNames(owner)) {
    if (typeof owner === 'function' && usual.has(key)) continue;
    const own = getOwnPropertyDescriptor(owner, key);
    if ('value' in own && typeof own.value !== 'function') yield [`${name}.${key}`, own.value];
  }
}

/** Reads the global variables that are not the runtime's own. New names come last, so that most looks need no more than that. */
function globalReader(builtin) {
  let [count, last, found] = [-1, '', []];
  return function* () {
    const names = getOwnPropertyNames(globalThis);
    if (names.length !== count || names[count - 1] !== last) {
      found = names.filter((name) => !builtin.has(name) && !name.startsWith('__peagen'));
      [count, last] = [names.length, names.at(-1)];
    }
    for (const name of found) {
      const own = getOwnPropertyDescriptor(globalThis, name);
      if (own !== undefined && 'value' in own) yield [name, own.value];
    }
  };
}

/** Attributes, private fields, and the items of what is a collection itself. */
function* instanceNames(object, hidden) {
  if (types.isProxy(object)) return;
  for (const key of keys(object)) {
    const own = getOwnPropertyDescriptor(object, key);
    if ('value' in own && !(Array.isArray(object) && /^\d+$/.test(key))) yield [key, own.value];
  }
  if (Array.isArray(object)) yield ['[items]', [...object]];
  if (object instanceof Map) yield ['[items]', new Map(object)];
  if (object instanceof Set) yield ['[items]', new Set(object)];
  if (hidden !== undefined) yield* hidden(object);
}

/** Reads private fields by the debugger's interface: nothing else can, and the program's text stays as it is. */
function openPrivates() {
  const { ask, close } = openInspector();
  const place = '__peagenGrabbed';
  const read = (object) => {
    globalThis[place] = object;
    const objectGroup = place;
    try {
      const { result } = ask('Runtime.evaluate', { expression: `globalThis.${place}`, objectGroup });
      const { privateProperties = [] } = ask('Runtime.getProperties', { objectId: result.objectId, ownProperties: true });
      const pairs = [];
      for (const { name, value } of privateProperties) {
        if (value === undefined || value.type === 'function') continue;
        if (value.objectId === undefined) {
          pairs.push([name, value.type === 'undefined' ? undefined : unserialised(value)]);
          continue;
        }
        const functionDeclaration = `function () { globalThis.${place} = this; }`;
        ask('Runtime.callFunctionOn', { functionDeclaration, objectId: value.objectId });
        pairs.push([name, globalThis[place]]);
      }
      return pairs;
    } finally {
      delete globalThis[place];
      ask('Runtime.releaseObjectGroup', { objectGroup });
    }
  };
  return Object.assign(read, { close });
}

/** A number that JSON lacks, or a bigint. */
function unserialised({ value, unserializableValue: text }) {
  if (text === undefined) return value;
  return text.endsWith('n') ? BigInt(text.slice(0, -1)) : Number(text);
}

module.exports = { Space, serialiser, digest, moduleNames, globalReader, instanceNames, openPrivates };
