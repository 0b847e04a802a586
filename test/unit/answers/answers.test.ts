import assert from 'node:assert/strict';
import fc from 'fast-check';
import { childOf } from '../../../daemon/evolution/answers/child.ts';
import { parseAnswer } from '../../../daemon/evolution/answers/parse.ts';
import { fileText, type Program } from '../../../shared/program.ts';
import { forms } from './corpus/forms.ts';
import { hostile } from './corpus/hostile.ts';
import { changed, changes, ENTRY, programOf, TEXT } from './corpus/program.ts';

const parent = programOf(TEXT);

async function childText(program: Program, answer: { text: string; cut?: boolean }): Promise<string> {
  const applied = await childOf(program, answer, ENTRY);
  return 'fault' in applied ? `fault: ${applied.fault}` : (fileText(applied.program, program.files[0]?.path ?? '') ?? '');
}

describe('answers of a model', () => {
  it('number at least 120 in the corpus', () => {
    assert.ok(Object.keys(forms).length * changes.length + hostile.length >= 120);
  });

  for (const [name, form] of Object.entries(forms)) {
    for (const change of changes) {
      it(`give the child they mean: ${name} (${change.name})`, async () => {
        assert.equal(await childText(parent, { text: form(change) }), changed(change));
      });
    }
  }

  for (const { name, answer, cut, fault, child } of hostile) {
    it(`${child === undefined ? 'give no child' : 'give a child'}: ${name}`, async () => {
      const text = await childText(parent, { text: answer, ...(cut === undefined ? {} : { cut }) });
      if (child === undefined) assert.match(text, new RegExp(`^fault: .*${fault?.source}`));
      else assert.equal(text, child);
    });
  }

  it('keep the line ends of the file, whatever their own are', async () => {
    const dos = programOf(TEXT.replaceAll('\n', '\r\n'));
    for (const [name, form] of Object.entries(forms)) {
      for (const change of changes) {
        assert.equal(await childText(dos, { text: form(change) }), changed(change).replaceAll('\n', '\r\n'), name);
      }
    }
  });

  it('move the span with the change, so that the child can change again', async () => {
    const [first, second] = changes;
    const one = await childOf(parent, { text: forms['a unified diff']?.(first ?? fail()) ?? '' }, ENTRY);
    assert.ok('program' in one);
    const two = await childOf(one.program, { text: forms['a SEARCH/REPLACE block']?.(second ?? fail()) ?? '' }, ENTRY);
    assert.ok('program' in two);
    assert.deepEqual(two.program, programOf(two.program.files[0]?.text ?? ''));
  });
});

/** A block between markers with imports of its own, as examples of OpenEvolve have it. */
describe('code for a part with imports and several functions', () => {
  const block = `"""Finds a minimum."""
import numpy as np
from os import path as p, sep


def search(x):
    return np.sin(x) + step(x)


def step(x):
    return len(sep) * x
`;
  const file = (part: string) => `# EVOLVE-BLOCK-START\n${part}# EVOLVE-BLOCK-END\n\n\ndef run():\n    return search(1)\n`;
  const text = file(block);
  const start = text.indexOf('"""');
  const marked: Program = {
    language: 'python',
    files: [{ path: 'a.py', text }],
    spans: [{ path: 'a.py', start, end: text.indexOf('# EVOLVE-BLOCK-END') }],
  };
  const child = async (code: string): Promise<string> => {
    const applied = await childOf(marked, { text: `\`\`\`python\n${code}\`\`\`` }, undefined);
    return 'fault' in applied ? applied.fault : (fileText(applied.program, 'a.py') ?? '');
  };
  const faster = block.replace('np.sin', 'np.cos');

  it('keeps the imports of the part, whether the answer is the part or the file, with its markers or without', async () => {
    const whole = file(faster);
    for (const code of [faster, whole, whole.replaceAll(/^# EVOLVE.*\n/gm, '')]) assert.equal(await child(code), whole);
  });

  it('puts back an import that the answer leaves out and uses', async () => {
    const code = faster.slice(faster.indexOf('def search'));
    assert.equal(await child(code), file(`import numpy as np\nfrom os import path as p, sep\n\n\n${code}`));
    assert.equal(
      await child(code.replace('np.cos(x)', 'x').replace('sep', '"/"')),
      file(code.replace('np.cos(x)', 'x').replace('sep', '"/"')),
    );
  });

  it('takes in a new function and its import with the one function that the answer gives', async () => {
    const helper = 'import heapq\n\n\ndef least(x):\n    return heapq.nsmallest(1, x)\n\n\n';
    const search = 'def search(x):\n    return least([x])\n';
    const old = block.slice(block.indexOf('def search'), block.indexOf('\n\n\ndef step') + 1);
    assert.equal(await child(helper + search), file(block.replace(old, helper + search)));
  });
});

describe('code for functions that stand apart', () => {
  const text = 'import os\n\n\ndef f(x):\n    return g(x)\n\n\nLIMIT = 3\n\n\ndef g(x):\n    return x + LIMIT\n';
  const spanOf = (from: string, to: string) => ({ path: 'a.py', start: text.indexOf(from), end: text.indexOf(to) + to.length });
  const spans = [spanOf('def f', 'return g(x)'), spanOf('def g', 'x + LIMIT')];
  const program: Program = { language: 'python', files: [{ path: 'a.py', text }], spans };
  const child = async (code: string): Promise<string> => {
    const applied = await childOf(program, { text: `\`\`\`python\n${code}\`\`\`` }, { path: 'a.py', fn: 'f' });
    return 'fault' in applied ? applied.fault : (fileText(applied.program, 'a.py') ?? '');
  };

  it('replaces each where it stands, and puts what is new before the first', async () => {
    const f = 'def f(x):\n    return g(h(x))\n';
    const g = 'def g(x):\n    return LIMIT + x\n';
    const h = 'def h(x):\n    return x\n';
    assert.equal(await child(`${g}\n\n${f}`), text.replace('return g(x)', 'return g(h(x))').replace('x + LIMIT', 'LIMIT + x'));
    assert.equal(await child(f), text.replace('return g(x)', 'return g(h(x))'));
    assert.equal(await child(`${h}\n\n${f}`), text.replace('def f(x):\n    return g(x)', `${h}\n\n${f.trimEnd()}`));
    assert.match(await child(g), /no function "f"/);
  });
});

function fail(): never {
  throw new Error('the corpus is empty');
}

/** Pieces that answers are made of, put together at random. */
const piece = fc.oneof(
  fc.constantFrom(
    '<<<<<<< SEARCH',
    '=======',
    '>>>>>>> REPLACE',
    '```python',
    '```',
    '~~~',
    '@@ -1,3 +1,3 @@',
    '--- a/x',
    '+++ b/x',
  ),
  fc.constantFrom(...TEXT.split('\n')),
  fc.constantFrom(...TEXT.split('\n').flatMap((line) => [`-${line}`, `+${line}`, ` ${line}`])),
  fc.string({ maxLength: 30 }),
);

describe('any text as an answer', () => {
  it('never changes a byte outside of the span, and never gives the parent for a child', async () => {
    const { start, end } = parent.spans[0] ?? fail();
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), fc.boolean(), async (pieces, cut) => {
        const applied = await childOf(parent, { text: pieces.join('\n'), cut }, ENTRY);
        if ('fault' in applied) {
          assert.notEqual(applied.fault, '');
          return;
        }
        const text = applied.program.files[0]?.text ?? '';
        const span = applied.program.spans[0] ?? fail();
        assert.notEqual(text, TEXT);
        assert.equal(text.slice(0, span.start), TEXT.slice(0, start));
        assert.equal(text.slice(span.end), TEXT.slice(end));
      }),
      { numRuns: 500 },
    );
  });

  it('is read in linear time', () => {
    for (const unit of [
      '```\n',
      '<<<<<<< SEARCH\n=======\n>>>>>>> REPLACE\n',
      '<think>',
      '@@\n-a\n',
      '@@\n+\n',
      '\r',
      '# ...\n',
      ' ',
      '`',
      '=',
    ]) {
      // The time of the processor: what else the machine does must not count.
      const before = process.cpuUsage();
      parseAnswer(unit.repeat(Math.floor(390_000 / unit.length)));
      assert.ok(process.cpuUsage(before).user < 4_000_000, unit);
    }
  });
});
