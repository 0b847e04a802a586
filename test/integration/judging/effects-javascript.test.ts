/** What a call does other than returning or raising in JavaScript and TypeScript, in ES modules and in CommonJS. */
import assert from 'node:assert/strict';
import { accepts, counted, evaluator, refuses, twice } from './effects-judging.ts';
import { contextOf, programOf } from './judging.ts';

describe('effects of a call', () => {
  for (const language of ['javascript', 'typescript']) {
    const number = language === 'typescript' ? ': number' : '';
    const list = language === 'typescript' ? ': number[]' : '';
    // TypeScript is made JavaScript before it is run, whatever kind of module it is.
    for (const kind of language === 'javascript' ? ['an ES module', 'CommonJS'] : ['an ES module']) {
      const ends =
        kind === 'CommonJS' ? (name: string) => `\nmodule.exports = { ${name} };\n` : (name: string) => `\nexport { ${name} };\n`;

      describe(`in ${language}, in ${kind}`, () => {
        const program = (head: string, body: string): string => `${head}\nfunction note(x${number}) { ${body} }${ends('note')}`;
        const refusesBody = (head: string, body: string, other: string, pattern: RegExp) =>
          refuses(language, 'note', program(head, body), program(head, other), pattern);
        const acceptsBody = (head: string, body: string, other: string) =>
          accepts(language, 'note', program(head, body), program(head, other));

        it('are wrong when they are lost, changed or added', async () => {
          const head = `const LOG${list} = []; let count = 0; const _seen${list} = []; const SEEN${list} = [];`;
          await refusesBody(
            head,
            'LOG.push(x);',
            '',
            /^wrong: note\(1\) left LOG as it was; the original leaves LOG with \[1\]\.$/,
          );
          await refusesBody(
            head,
            'LOG.push(x);',
            'LOG.push(x); count++;',
            /left count with 1; the original leaves count as it was/,
          );
          await refusesBody(head, 'count += x;', 'count = x + 1;', /left count with 2; the original leaves count with 1/);
          await acceptsBody(head, 'LOG.push(x);', 'LOG[LOG.length] = x;');
          const lost = program(`const LOG${list} = [];`, 'LOG.push(x);');
          await accepts(
            language,
            'note',
            lost,
            program(`const LOG${list} = []; const _at${list} = [];`, 'LOG.push(x); _at.push(x);'),
          );
          await accepts(
            language,
            'note',
            lost,
            program(`const LOG${list} = []; const AT${list} = [];`, 'LOG.push(x); AT.push(x);'),
          );
        });

        it('include what is printed, attributes of functions, static ones and random numbers', async () => {
          await refusesBody('', 'console.log("x", x);', '', /printed nothing; the original prints "x 1\\n"/);
          await refusesBody('', 'console.error("x", x);', '', /printed nothing on standard error/);
          const write = language === 'javascript' ? 'process.stdout.write("x " + x + "\\n");' : 'console.info("x " + x);';
          await acceptsBody('', 'console.log("x", x);', write);
          await refusesBody('class A { static n = 0; }', 'A.n += x;', '', /left A\.n as it was/);
          await refusesBody('', 'Math.random();', '', /drew no random numbers/);
          await refusesBody('', 'Math.random();', 'Math.random(); Math.random();', /drew other random numbers/);
        });
      });
    }

    it(`include the instance and its private fields, in ${language}`, async () => {
      const declared = language === 'typescript' ? 'items: number[] = []; #last: number | undefined;' : 'items = []; #last;';
      const bag = (body: string, more = '') =>
        `class Bag { ${declared} ${more}\n constructor(start${number === '' ? ' = 0' : ': number = 0'}) { this.items.push(start); }\n add(x${number}) { ${body} } }\n`;
      const both = { calls: [{ args: [1] }, { args: [2], init: { args: [7] } }] };
      await refuses(
        language,
        'Bag.add',
        bag('this.items.push(x); this.#last = x;'),
        bag('this.#last = x;'),
        /Bag\.add\(1\) left its object's items as it was/,
        both,
      );
      await refuses(
        language,
        'Bag.add',
        bag('this.items.push(x); this.#last = x;'),
        bag('this.items.push(x);'),
        /left its object's #last as it was; the original leaves its object's #last with 1/,
        both,
      );
      await accepts(
        language,
        'Bag.add',
        bag('this.items.push(x); this.#last = x;'),
        bag('this.items.push(x); this.#last = x; this.#cache = x;', '#cache = 0;'),
        both,
      );
      await refuses(
        language,
        'Bag.add',
        bag('this.items.push(x);'),
        bag('this.items.push(x); this.extra = x;', 'extra = 0;'),
        /left its object's extra with 1/,
        both,
      );
    });
  }

  it('include implicit globals, exports, other files and files on disk in JavaScript', async () => {
    await refuses('javascript', 'f', 'function f(x) { shown = x; }', 'function f(x) { }', /left shown as it was/);
    await refuses(
      'javascript',
      'f',
      'exports.n = 0; function f(x) { exports.n += x; }',
      'exports.n = 0; function f(x) { }',
      /left exports\.n as it was/,
    );
    const save = 'import { writeFileSync } from "node:fs";\nexport function f(x) { writeFileSync("out.txt", "v" + x); }';
    await refuses('javascript', 'f', save, 'export function f(x) { }', /the original writes "v1" to the file out\.txt/);
    await refuses('javascript', 'f', save, save.replace('"v"', '"w"'), /wrote "w1" to the file out\.txt/);
    const lib = { 'lib.mjs': 'export const LOG = [];\n' };
    const original = programOf('javascript', 'import { LOG } from "./lib.mjs";\nexport function f(x) { LOG.push(x); }', lib);
    const options = { entry: { path: 'target.js', fn: 'f' }, ...twice };
    const { basis } = await evaluator.prepare(original, { name: 'function', options }, await contextOf(counted));
    const lost = await evaluator.judge(programOf('javascript', 'export function f(x) { }', lib), basis, await contextOf(counted));
    assert.match(lost.outcome.detail, /left lib\.mjs:LOG as it was/);
  });

  it('of promises and generators belong to the call in JavaScript', async () => {
    await refuses(
      'javascript',
      'f',
      'const LOG = []; async function f(x) { await null; LOG.push(x); }',
      'const LOG = []; async function f(x) { await null; }',
      /left LOG as it was/,
    );
    await refuses(
      'javascript',
      'f',
      'const LOG = []; function* f(x) { yield x; LOG.push(x); }',
      'const LOG = []; function* f(x) { yield x; }',
      /left LOG as it was/,
    );
  });

  it('of generators are compared with what they yielded before they threw, and with what they return', async () => {
    const throwing = 'function* f(x) { yield x; if (x > 1) throw new RangeError("no more"); }';
    const empty = 'function* f(x) { if (x > 1) throw new RangeError("no more"); yield x; }';
    await refuses(
      'javascript',
      'f',
      throwing,
      empty,
      /raised RangeError; the original raised RangeError after a generator of \[2\]/,
    );
    const later = throwing.replace('function*', 'async function*');
    await refuses('javascript', 'f', later, empty.replace('function*', 'async function*'), /after a generator of \[2\]/);
    await refuses('javascript', 'f', 'function* f(x) { yield x; return x; }', 'function* f(x) { yield x; }', /that returns 1/);
  });

  it('include where an expression stopped, and holes of arrays are not undefined', async () => {
    const text = 'const TAG = /a/g; function f(x) { return TAG.test("banana"); }';
    await refuses('javascript', 'f', text, text.replace('/a/g', '/a/'), /TAG/);
    await refuses('javascript', 'f', text, text.replace('return', 'TAG.lastIndex = 3; return'), /TAG/);
    const sparse = 'function f(x) { return new Array(x); }';
    await refuses('javascript', 'f', sparse, 'function f(x) { return new Array(x).fill(undefined); }', /expected \[<empty>\]/);
  });
});
