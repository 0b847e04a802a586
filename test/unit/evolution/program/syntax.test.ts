import assert from 'node:assert/strict';
import fc from 'fast-check';
import { programSha, textSha } from '../../../../daemon/evolution/hash.ts';
import { functionsOf } from '../../../../daemon/evolution/syntax/functions.ts';
import { languageOf } from '../../../../daemon/evolution/syntax/languages.ts';
import { normalHash } from '../../../../daemon/evolution/syntax/normal.ts';
import { descendants, parse, syntaxError } from '../../../../daemon/evolution/syntax/parse.ts';
import { inspectFile } from '../../../../daemon/server/inspect.ts';
import type { Program } from '../../../../shared/program.ts';
import { sources } from './sources.ts';

interface Memory {
  grow(this: unknown, delta: number): number;
}

const one = (language: string, text: string, path = 'a'): Program => ({
  language,
  files: [{ path, text }],
  spans: [{ path, start: 0, end: text.length }],
});

describe('programSha and textSha', () => {
  it('depend on language, paths and texts, and on nothing else', () => {
    const a = { path: 'a', text: '1' };
    const b = { path: 'b', text: '2' };
    const base = programSha({ language: 'python', files: [a, b] });
    assert.equal(programSha({ language: 'python', files: [b, a] }), base);
    assert.equal(programSha({ language: 'python', files: [a, b], ...{ spans: [] } }), base);
    assert.notEqual(programSha({ language: 'javascript', files: [a, b] }), base);
    assert.notEqual(programSha({ language: 'python', files: [{ path: 'a', text: '12' }] }), base);
  });

  it('is SHA-256 over UTF-8', () => {
    assert.equal(textSha('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    assert.equal(textSha('é'), '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});

describe('functionsOf', () => {
  const names = async (language: string, text: string) =>
    (await functionsOf(language, text)).map((each) => `${each.name}(${each.params.join(', ')})`);

  it('names top-level functions and methods of Python, not functions in functions', async () => {
    const text = `async def f(a, /, b: int = 1, *c, d=2, **e):
    def inner(): pass

class A:
    @staticmethod
    def m(x): return x
    class B:
        def n(self): return 1
if True:
    def g(): pass
`;
    assert.deepEqual(await names('python', text), ['f(a, b, *c, d, **e)', 'A.m(x)', 'A.B.n(self)', 'g()']);
  });

  it('names the ways to write a function in JavaScript and TypeScript', async () => {
    const text = `export const f = async (a, { b }, ...c) => a;
export default function () { function inner() {} }
class A { @x() m(a = 1) {} static s = (y) => y; get z() { return 2; } }
exports.q = function* (a) {};
const u = 1, v = function () {};
let w; w = x => x;
`;
    const expected = ['f(a, { b }, ...c)', 'default()', 'A.m(a)', 'A.s(y)', 'A.z()', 'q(a)', 'v()', 'w(x)'];
    for (const language of ['javascript', 'javascriptreact', 'typescript', 'typescriptreact']) {
      assert.deepEqual(await names(language, text), expected, language);
    }
    assert.deepEqual(await names('typescript', 'abstract class A<T> { private m<U>(this: A<T>, a?: U, ...b: T[]): void {} }'), [
      'A.m(this, a, ...b)',
    ]);
  });

  it('spans whole statements, with lines from zero', async () => {
    for (const { name, target } of sources) {
      const language = languageOf(target.path) ?? '';
      for (const each of await functionsOf(language, target.text)) {
        assert.ok(each.start < each.end && each.end <= target.text.length, name);
        assert.equal(target.text.slice(0, each.start).split('\n').length - 1, each.start_line);
        assert.equal(target.text.slice(0, each.end).split('\n').length - 1, each.end_line);
      }
    }
  });
});

describe('normalHash', () => {
  const same = async (language: string, a: string, b: string) =>
    (await normalHash(one(language, a))) === (await normalHash(one(language, b)));

  it('is blind to comments and layout', async () => {
    assert.ok(await same('python', 'x = (1 + 2)  # c\n\n\nif x :\n  y = 1; z = 2\n', 'x = 1 + 2\nif x:\n    y = 1\n    z = 2\n'));
    assert.ok(await same('python', 'f(a,\r\n  b)\r\n', 'f(a, b)\n'));
    assert.ok(await same('python', 'x = 1 + \\\n  2\n', 'x = 1 + 2\n'));
    assert.ok(await same('javascript', '/* c */ f( 1 );\n', 'f(1) // c\n'));
    assert.ok(await same('rust', 'fn a() {} \n\n\n', 'fn a() {}\n'));
  });

  it('sees everything else', async () => {
    const pairs: [string, string, string][] = [
      ['python', 'if a:\n  b\n  c\n', 'if a:\n  b\nc\n'],
      ['python', 'x = (1 + 2) * 3\n', 'x = 1 + 2 * 3\n'],
      ['python', 'x = "a  b"\n', 'x = "a b"\n'],
      ['python', 'x = f"a {b}  c"\n', 'x = f"a {b} c"\n'],
      ['python', 'x = (1,)\n', 'x = (1)\n'],
      ['python', 'x = "# a"\n', 'x = "# b"\n'],
      ['javascript', `x = \`a \${1}  b\`\n`, `x = \`a \${1} b\`\n`],
      ['javascript', 'a.b', 'a?.b'],
      ['javascript', 'for (;a;) b', 'for (a;;) b'],
      ['javascript', '/a b/.test(c)', '/a  b/.test(c)'],
      ['typescriptreact', '<a>x  y</a>', '<a>x y</a>'],
      ['python', 'ab = 1\n', 'a = b1\n'],
    ];
    for (const [language, a, b] of pairs) assert.equal(await same(language, a, b), false, `${a} ${b}`);
  });

  it('is blind to blank lines and comments wherever they stand', async () => {
    for (const { name, target } of sources.filter(
      (source) => source.target.path.endsWith('.py') && !source.name.includes('CRLF'),
    )) {
      const language = languageOf(target.path) ?? '';
      const lines = target.text.split('\n');
      const tree = await parse(language, target.text);
      const strings = descendants(tree.root).filter((node) => node.type === 'string');
      await fc.assert(
        fc.asyncProperty(fc.nat(lines.length - 1), fc.constantFrom('', '# comment', '    # comment ö'), async (at, line) => {
          const offset = lines.slice(0, at).join('\n').length + (at === 0 ? 0 : 1);
          fc.pre(!strings.some((node) => node.start < offset && offset <= node.end));
          assert.ok(await same(language, target.text, [...lines.slice(0, at), line, ...lines.slice(at)].join('\n')), name);
        }),
        { numRuns: 40 },
      );
    }
  });
});

describe('syntaxError', () => {
  it('passes what parses', async () => {
    for (const { name, target } of sources) {
      assert.equal(await syntaxError(one(languageOf(target.path) ?? '', target.text)), undefined, name);
    }
    assert.equal(await syntaxError(one('rust', 'fn (')), undefined);
  });

  it('names file, line and what is wrong', async () => {
    assert.match(
      (await syntaxError(one('python', 'x = 1\ndef f(:\n    pass\n', 'b.py'))) ?? '',
      /^b\.py:2: (missing|unexpected) "/,
    );
    assert.equal(
      await syntaxError(
        one('python', 'def a(x):\n    return x\n\n\ndef b(x)\n    y = 0\n    for i in x:\n        y += i\n', 'c.py'),
      ),
      'c.py:5: unexpected "def b(x)"',
      'not where what holds the error begins',
    );
    assert.match((await syntaxError(one('javascript', 'let a = ;', 'b.js'))) ?? '', /^b\.js:1: unexpected "="/);
    assert.match((await syntaxError(one('typescript', 'const a: = 1', 'b.ts'))) ?? '', /^b\.ts:1: /);
  });

  it('is known before anything is asked about a function of the file', async () => {
    const { error, functions } = await inspectFile('b.py', 'x = 1\ndef f(:\n    pass\n\n\ndef g():\n    return 1\n');
    assert.equal(error?.line, 1);
    assert.ok(functions.some(({ name, start_line }) => name === 'g' && start_line === 5));
    assert.equal((await inspectFile('b.py', 'def f():\n    pass\n')).error, undefined);
  });

  it('survives hostile nesting', async () => {
    for (const text of [
      '('.repeat(20_000),
      `${'('.repeat(5_000)}1${')'.repeat(5_000)}`,
      `${'-'.repeat(50_000)}1`,
      '[{'.repeat(9_000),
    ]) {
      assert.notEqual(await syntaxError(one('python', text)), undefined);
      assert.notEqual(await syntaxError(one('javascript', text)), undefined);
    }
  });

  it('gives the memory of the parser back', async () => {
    const text = 'x = [1, 2, 3]\n'.repeat(500);
    for (let i = 0; i < 3; i++) await parse('python', `${text}y = ${-i}\n`);
    // Node's types know WebAssembly as a namespace of types only.
    const { prototype } = (globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }).WebAssembly.Memory;
    const { grow } = prototype;
    let pages = 0;
    prototype.grow = function (delta: number) {
      pages += delta;
      return grow.call(this, delta);
    };
    try {
      for (let i = 0; i < 60; i++) await parse('python', `${text}y = ${i}\n`);
    } finally {
      prototype.grow = grow;
    }
    assert.equal(pages, 0);
  });
});
