/**
 * What a call does other than returning or raising, for the run that judges correctness; a program that is timed is loaded without it.
 * The rules by which effects are compared stand in daemon/judging/effects/effects.ts; here only changes are observed.
 */
'use strict';

const { readFileSync, readdirSync, readlinkSync, statSync, writeSync } = require('node:fs');
const { join } = require('node:path');
const { types } = require('node:util');
const channels = require('node:diagnostics_channel');
const { Space, serialiser, digest, globalReader, instanceNames, moduleNames, openPrivates } = require('./state.cjs');

const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames } = Object;
const resources = process.getActiveResourcesInfo.bind(process);
const write = writeSync;
/** Larger files are noticed by size and time, and compared by a digest. */
const SHOWN = 2000;
/** More printed text than this is compared by its beginning and its length. */
const MOST = 20_000;
/** Where each file hands over how its names are read. */
const hook = '__peagenScope';

/** Words that are no variable's name in a module or in CommonJS. */
const reserved = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public return ' +
    'static super switch this throw true try typeof undefined var void while with yield require module __filename __dirname'
  ).split(' '),
);
const word = /[\p{ID_Start}$_][\p{ID_Continue}$]*/gu;
/** What may reach files, other processes or code that is not seen here. */
const reaches =
  /\bfs\b|child_process|worker_threads|sqlite|getBuiltinModule|process\.binding|\bimport\s*\(|\brequire\s*\(\s*[^'"\s]/;
/** What may reach the module that large values are compared by. */
const reachesSerialiser =
  /\bv8\b|getBuiltinModule|process\.binding|\bimport\s*\(|\brequire\s*\(\s*[^'"\s]|\brequire\b(?!\s*\()|\\[ux]/;
/** Names of a static import, and of a destructured `require`: they belong to another module. */
const imported = /\bimport\s+(?:type\s+)?([^'"();]*?)\s*\bfrom\b|\{([^{}]*)\}\s*=\s*require\s*\(/g;

/**
 * A line behind the last one of a file hands over how its top-level names are read. Each word of the text may be one: what
 * is none in the end fails when it is read, as does one that is not initialised.
 */
function scopeLine(path, text) {
  if (!/\.[cm]?js$/.test(path)) return '';
  const foreign = new Set(
    [...text.matchAll(imported)].flatMap(([, list = '', other = '']) => `${list} ${other}`.match(word) ?? []),
  );
  const names = [...new Set(text.match(word))].filter(
    (name) => !reserved.has(name) && !foreign.has(name) && !name.startsWith('__peagen'),
  );
  // What CommonJS exports may be replaced as a whole; in an ES module there is no such thing.
  const getters = [
    ...names.filter((name) => name !== 'exports').map((name) => `${name}: () => ${name}`),
    'exports: () => module.exports',
  ];
  return `\n;globalThis.${hook}?.(${JSON.stringify(path)}, {${getters.join(', ')}});`;
}

/** Channels of Node that announce what is not compared. */
const noted = new Map([
  ['net.client.socket', 'socket'],
  ['net.server.socket', 'socket'],
  ['udp.socket', 'socket'],
  ['undici:request:create', 'socket'],
  ['child_process', 'subprocess'],
  ['worker_threads', 'thread'],
]);

/** Observes the program of a `load` order, from before it is loaded. */
function openEffects(order, work) {
  const notes = new Set();
  const scopes = new Map();
  const printed = { out: '', err: '' };
  const texts = order.files.map(({ text }) => text);
  const writes = texts.some((text) => reaches.test(text));
  if (texts.some((text) => reachesSerialiser.test(text))) serialiser();
  const builtin = new Set(getOwnPropertyNames(globalThis));
  const hidden = texts.some((text) => /[\s{;]#[\p{ID_Start}$_]/u.test(text)) ? openPrivates() : undefined;
  const known = new Set();
  let found = new Map();
  let timers = 0;
  let shared;
  let instance;

  /** What takes all of this back. */
  const undo = [];
  if (hidden !== undefined) undo.push(hidden.close);

  globalThis[hook] = (path, names) => scopes.set(path, names);
  for (const [name, note] of noted) {
    const add = () => notes.add(note);
    channels.subscribe(name, add);
    undo.push(() => channels.unsubscribe(name, add));
  }
  if (texts.some((text) => text.includes('child_process'))) noteSynchronous(() => notes.add('subprocess'), undo);
  capture(printed, undo);

  const globals = globalReader(builtin);
  const space = new Space(function* () {
    // The entry's names are read last: what it only imported belongs to the other module.
    const paths = [...scopes.keys()].sort((a, b) => Number(a === order.path) - Number(b === order.path));
    const owned = new Set();
    for (const path of paths) {
      const prefix = path === order.path ? '' : `${path.replace(/(\.[cm]?ts)\.[cm]?js$/, '$1')}:`;
      yield* moduleNames(scopes.get(path), prefix, owned);
    }
    yield* globals();
  }, hidden);

  const take = () => {
    const { out, err } = printed;
    printed.out = '';
    printed.err = '';
    return out === '' && err === '' ? undefined : { out: cut(out), err: cut(err) };
  };
  const count = () => resources().filter((kind) => kind === 'Timeout' || kind === 'Immediate').length;

  return {
    scopeLine,
    /** Begins with a program that was loaded: what its load did is not an effect of a call. */
    watch: () => {
      delete globalThis[hook];
      space.look();
      shared = instance;
      if (writes) found = files(work);
      take();
    },
    /** An instance that was made: how it was made is not an effect of the method. */
    made: (object) => {
      instance = new Space(() => instanceNames(object, hidden), hidden);
      instance.look();
      for (const name of instance.ever) known.add(name);
    },
    before: (call) => {
      instance = call.init === undefined ? shared : undefined;
      notes.clear();
      timers = count();
    },
    /** `effects` and `notes` of an answer; neither when there are none. */
    after: (random) => {
      const all = { instance: instance?.look(), globals: space.look(), printed: take(), random };
      if (writes) {
        const now = files(work);
        all.files = changes(found, now);
        found = now;
      }
      for (const name of instance?.ever ?? []) known.add(name);
      const effects = Object.fromEntries(
        Object.entries(all).filter(
          ([, value]) => value !== undefined && (typeof value === 'string' || Object.keys(value).length > 0),
        ),
      );
      if (count() > timers) notes.add('timer');
      return {
        ...(Object.keys(effects).length > 0 ? { effects } : {}),
        ...(notes.size > 0 ? { notes: [...notes].sort() } : {}),
      };
    },
    /**
     * How deep in the result, and in an argument, the first container lies that something else holds too; undefined without any.
     * What is returned or stored without a copy changes later when the other one does. Hidden names may be caches. For after the
     * result was written: an item with a getter stands there as one.
     */
    sharing: (result, args) => {
      const mine = containers([result]);
      const given = args.map((value) => containers([value]));
      if (mine.size === 0 && given.every(({ size }) => size === 0)) return undefined;
      const named = [instance, space].flatMap((one) => (one === undefined ? [] : [...one.read()]));
      const held = containers(named.flatMap(([name, value]) => (/(?:^|[.:])[_#][^.:]*$/.test(name) ? [] : [value])));
      const depthOf = (parts, others) => {
        const depths = [...parts].filter(([one]) => others.some((other) => other.has(one))).map(([, depth]) => depth);
        return depths.length === 0 ? [] : [Math.min(...depths)];
      };
      const inArguments = given.flatMap((parts, at) => depthOf(parts, [held, ...given.toSpliced(at, 1)]));
      const [inResult] = depthOf(mine, [held, ...given]);
      return {
        ...(inResult === undefined ? {} : { result: inResult }),
        ...(inArguments.length === 0 ? {} : { args: Math.min(...inArguments) }),
      };
    },
    /** At the end: every name that was seen, and digests of what is too large to be looked through after each call. */
    state: () => ({
      names: { globals: [...space.ever].sort(), instance: [...known].sort() },
      large: { ...space.large(), ...shared?.large('this.') },
    }),
    /** Nothing is observed any more. */
    close: () => {
      for (const back of undo) back();
    },
  };
}

/** Values that are looked at for what several hold. */
const MOST_SHARED = 1000;

/** The objects in some values that are containers, with their depths; of large values the first ones. */
function containers(roots) {
  const found = new Map();
  const seen = new Set();
  const waiting = [];
  const add = (value, depth) => {
    if (typeof value === 'object' && value !== null) waiting.push([value, depth]);
  };
  for (const root of roots) add(root, 0);
  for (let at = 0; at < waiting.length && seen.size < MOST_SHARED; at++) {
    const [value, depth] = waiting[at];
    if (seen.has(value) || types.isProxy(value)) continue;
    seen.add(value);
    if (Array.isArray(value)) {
      if (!Object.isFrozen(value)) found.set(value, depth);
      const items = Math.min(value.length, MOST_SHARED);
      for (let index = 0; index < items; index++) add(value[index], depth + 1);
      continue;
    }
    const isCollection = value instanceof Map || value instanceof Set;
    const parent = Object.getPrototypeOf(value);
    if ((isCollection || parent === Object.prototype || parent === null) && !Object.isFrozen(value)) found.set(value, depth);
    const inner = isCollection
      ? [...value].flat()
      : Object.values(Object.getOwnPropertyDescriptors(value)).map((own) => own.value);
    for (const one of inner) add(one, depth + 1);
  }
  return found;
}

const cut = (text) => (text.length <= MOST ? text : `${text.slice(0, MOST)}… (${text.length} in all)`);

/** Defines a property; `undo` gets what puts the one before in its place. */
function replace(owner, name, descriptor, undo) {
  const before = getOwnPropertyDescriptor(owner, name);
  defineProperty(owner, name, descriptor);
  undo.push(() => defineProperty(owner, name, before));
}

/** Text for standard output and standard error, of `console` and of the streams, is kept. */
function capture(printed, undo) {
  const streams = {};
  const open = (name, forward) => {
    const { Writable } = require('node:stream');
    streams[name] ??= new Writable({
      decodeStrings: false,
      write: (chunk, encoding, done) => {
        const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString(encoding === 'buffer' ? 'utf8' : encoding);
        printed[name] += text;
        // The end of standard error explains a crash.
        if (forward) write(2, text);
        done();
      },
    });
    return streams[name];
  };
  const stdout = () => open('out', false);
  const stderr = () => open('err', true);
  replace(process, 'stdout', { get: stdout, configurable: true }, undo);
  replace(process, 'stderr', { get: stderr, configurable: true }, undo);
  let real;
  for (const name of Object.keys(console)) {
    if (typeof console[name] !== 'function' || name === 'Console') continue;
    const value = (...args) => {
      const { Console } = require('node:console');
      real ??= new Console({ stdout: stdout(), stderr: stderr() });
      return real[name]?.(...args);
    };
    replace(console, name, { value, writable: true, configurable: true, enumerable: true }, undo);
  }
}

/** Processes that are waited for are not announced by a channel. */
function noteSynchronous(note, undo) {
  const processes = require('node:child_process');
  for (const name of ['spawnSync', 'execSync', 'execFileSync']) {
    const real = processes[name];
    const value = (...args) => {
      note();
      return real(...args);
    };
    replace(processes, name, { value, writable: true, configurable: true, enumerable: true }, undo);
  }
  const { syncBuiltinESMExports } = require('node:module');
  syncBuiltinESMExports();
  undo.push(syncBuiltinESMExports);
}

/** By path in the working folder, which is the temporary one too. What is mounted inside of it is not the program's. */
function files(folder, prefix = '', found = new Map(), mounted = mountPoints()) {
  for (const entry of readdirSync(join(folder, prefix), { withFileTypes: true })) {
    const path = `${prefix}${entry.name}`;
    if (mounted.has(join(folder, path))) continue;
    try {
      if (entry.isDirectory()) {
        found.set(`${path}/`, { folder: '' });
        files(folder, `${path}/`, found, mounted);
      } else if (entry.isSymbolicLink()) found.set(path, { link: readlinkSync(join(folder, path)) });
      else if (entry.isFile()) found.set(path, contentOf(join(folder, path)));
    } catch {
      // It is gone again.
    }
  }
  return found;
}

function mountPoints() {
  try {
    const lines = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
    return new Set(lines.map((line) => line.split(' ')[4]));
  } catch {
    return new Set();
  }
}

function contentOf(path) {
  const { size } = statSync(path);
  const data = readFileSync(path);
  const text = size <= SHOWN ? data.toString() : undefined;
  if (text !== undefined && !text.includes('\ufffd')) return { text };
  return { digest: digest(data), bytes: size };
}

function changes(before, now) {
  const changed = {};
  for (const [path, content] of now) {
    if (JSON.stringify(before.get(path)) !== JSON.stringify(content)) changed[path] = content;
  }
  for (const path of before.keys()) if (!now.has(path)) changed[path] = { gone: 1 };
  return changed;
}

module.exports = { openEffects };
