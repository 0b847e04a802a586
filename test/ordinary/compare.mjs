/**
 * Compares JavaScript and TypeScript candidates with an original on calls. Reads one JSON object on standard input, writes one on
 * standard output. It knows nothing of the product: it loads every program afresh for each session and compares what a
 * user could see.
 */
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { format } from 'node:util';

const MOST_YIELDED = 10_000;
const ownRandom = Math.random;

function seeded(seed) {
  let state = seed >>> 0;
  const draws = { count: 0 };
  Math.random = () => {
    draws.count++;
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  return draws;
}

/** A copy that can be compared after the value has changed; private fields that begin with _ are part of it. */
function snapshot(value) {
  if (typeof value === 'number') return { number: value };
  if (value === null || ['string', 'boolean', 'undefined', 'bigint'].includes(typeof value)) return { plain: value };
  if (typeof value === 'function') return { plain: 'a function' };
  if (Array.isArray(value)) {
    const list = Array.from(value, (item, index) => (index in value ? snapshot(item) : { plain: 'a hole' }));
    return { list, name: value.constructor.name };
  }
  if (value instanceof Map) return { list: [...value].flat().map(snapshot), name: 'Map' };
  if (value instanceof Set) return { list: [...value].map(snapshot), name: 'Set' };
  const fields = Object.fromEntries(Object.keys(value).map((key) => [`.${key}`, snapshot(value[key])]));
  return { fields, name: value.constructor?.name ?? '' };
}

function near(a, b) {
  return Object.is(a, b) || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
}

function same(expected, actual) {
  if (actual === undefined) return false;
  if ('number' in expected) return 'number' in actual && near(expected.number, actual.number);
  if ('plain' in expected) return 'plain' in actual && Object.is(expected.plain, actual.plain);
  if (expected.name !== actual.name) return false;
  if ('list' in expected) {
    const { list } = expected;
    return 'list' in actual && list.length === actual.list.length && list.every((item, index) => same(item, actual.list[index]));
  }
  if (!('fields' in actual)) return false;
  const added = Object.keys(actual.fields).filter((key) => !(key in expected.fields));
  if (added.some((key) => expected.name === 'Object' || !key.startsWith('._'))) return false;
  return Object.entries(expected.fields).every(([key, item]) => same(item, actual.fields[key]));
}

class Program {
  constructor(text, entry, typescript) {
    const script = (typescript ? stripTypeScriptTypes(text) : text).replace(/^export /gm, '');
    const strict = /^export /m.test(text) ? "'use strict';\n" : '';
    const names = [...script.matchAll(/^(?:async )?(?:const|let|var|class|function\*?) (\w+)/gm)].map(([, name]) => name);
    const getters = names.map((name) => `get ${name}() { return ${name}; }`).join(', ');
    this.make = new Function('module', 'exports', 'console', `${strict}${script}\nreturn { ${getters} };`);
    this.path = entry.split('.');
  }

  async run(session, seed) {
    const printed = [];
    const print = (...values) => void printed.push(format(...values));
    const console = { log: print, info: print, warn: print, error: print, debug: print };
    const module = { exports: {} };
    const scope = this.make(module, module.exports, console);
    const draws = seeded(seed);
    let shared;
    const reports = [];
    for (const call of session) {
      const args = structuredClone(call.args);
      const report = { raised: undefined, value: undefined };
      let instance;
      const earlier = [];
      try {
        const [owner, name = owner] = this.path;
        if (name !== owner) {
          if (call.init !== undefined) instance = new scope[owner](...structuredClone(call.init.args));
          else {
            shared ??= new scope[owner]();
            instance = shared;
          }
        }
        for (const { method, args: given } of call.before ?? [])
          earlier.push(await outcomeOf(instance, method, structuredClone(given)));
        const value = name === owner ? scope[name](...args) : instance[name](...args);
        if (typeof value?.next === 'function') take(value, report);
        else report.value = value instanceof Promise ? ['a promise', await value] : value;
      } catch (caught) {
        report.raised = caught?.constructor?.name ?? String(caught);
      }
      const data = Object.keys(scope).filter((name) => typeof scope[name] !== 'function');
      reports.push({
        earlier: snapshot(earlier),
        raised: snapshot(report.raised),
        value: snapshot(report.value),
        arguments: snapshot(args),
        instance: snapshot(instance),
        module: Object.fromEntries(data.map((name) => [name, snapshot(scope[name])])),
        printed: snapshot(printed.splice(0).join('\n')),
        random: snapshot(draws.count),
      });
    }
    Math.random = ownRandom;
    return reports;
  }
}

/** What a call before the call came to, as it was then. */
async function outcomeOf(instance, method, args) {
  try {
    return snapshot(await instance[method](...args));
  } catch (caught) {
    return { raised: caught?.constructor?.name ?? String(caught) };
  }
}

/** What it yields before it throws counts as well. */
function take(generator, report) {
  const items = ['a generator'];
  report.value = items;
  for (const item of generator) {
    items.push(structuredClone(item));
    if (items.length > MOST_YIELDED) break;
  }
}

function difference(expected, actual) {
  for (const part of ['earlier', 'raised', 'value', 'arguments', 'instance', 'module', 'printed', 'random']) {
    const [mine, theirs] = [expected[part], actual[part]];
    const equal = part === 'module' ? Object.entries(mine).every(([name, held]) => same(held, theirs[name])) : same(mine, theirs);
    if (!equal) return { part, text: `${part}: ${cut(mine)} expected, ${cut(theirs)} found` };
  }
  return undefined;
}

const cut = (value) => JSON.stringify(value).slice(0, 300);

async function compare(expected, program, sessions, most) {
  const found = { different: 0, first: null, parts: {} };
  for (const [number, session] of sessions.entries()) {
    if (found.different === most) break;
    const actual = await program.run(session, number);
    const told = expected[number].map((report, index) => difference(report, actual[index])).find((one) => one !== undefined);
    if (told === undefined) continue;
    found.different++;
    found.parts[told.part] = (found.parts[told.part] ?? 0) + 1;
    found.first ??= { session, difference: told.text };
  }
  return found;
}

const { original, candidates, entry, typescript, sessions, most } = JSON.parse(readFileSync(0, 'utf8'));
const first = new Program(original, entry, typescript);
const expected = [];
for (const [number, session] of sessions.entries()) expected.push(await first.run(session, number));
const raised = {};
for (const report of expected.flat()) {
  const { plain } = report.raised;
  if (plain !== undefined) raised[plain] = (raised[plain] ?? 0) + 1;
}
const results = [];
for (const text of candidates) results.push(await compare(expected, new Program(text, entry, typescript), sessions, most));
process.stdout.write(JSON.stringify({ raised, results }));
