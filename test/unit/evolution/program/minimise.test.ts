import assert from 'node:assert/strict';
import fc from 'fast-check';
import { programSha } from '../../../../daemon/evolution/hash.ts';
import { broughtBy, minimise, sharedLines } from '../../../../daemon/evolution/minimise.ts';
import { syntaxError } from '../../../../daemon/evolution/syntax/parse.ts';
import { PeagenError } from '../../../../shared/errors.ts';
import type { Program } from '../../../../shared/program.ts';

const program = (text: string, language = 'python'): Program => ({
  language,
  files: [{ path: 'a', text }],
  spans: [{ path: 'a', start: 0, end: text.length }],
});

/** Runs to the end; `asked` is every program that was yielded. */
async function run(original: Program, winner: Program, keeps: (text: string) => boolean) {
  const asked: string[] = [];
  const steps = minimise(original, winner);
  let step = await steps.next();
  while (!step.done) {
    const texts = step.value.map(({ files }) => files[0]?.text ?? '');
    for (const one of step.value) assert.equal(await syntaxError(one), undefined);
    assert.ok(texts.length > 0 && texts.length <= 4, 'asks for some at a time');
    asked.push(...texts);
    step = await steps.next(texts.map(keeps));
  }
  return { asked, result: step.value, text: step.value.files[0]?.text ?? '' };
}

describe('minimise', () => {
  it('keeps the hunks that the gain needs, and drops all others', async () => {
    const lines = Array.from({ length: 40 }, (_, i) => `x${i} = ${i}\n`);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(39), { maxLength: 12 }),
        fc.uniqueArray(fc.nat(39), { maxLength: 3 }),
        async (other, needed) => {
          const changed = new Set([...other, ...needed]);
          const winner = lines.map((line, i) => (changed.has(i) ? line.replace(' = ', ' = 100 + ') : line)).join('');
          const expected = lines.map((line, i) => (needed.includes(i) ? line.replace(' = ', ' = 100 + ') : line)).join('');
          const { text, asked } = await run(program(lines.join('')), program(winner), (candidate) =>
            needed.every((i) => candidate.includes(`x${i} = 100 + `)),
          );
          if (needed.length > 0) assert.equal(text, expected);
          assert.equal(new Set(asked).size, asked.length, 'asks for no program twice');
          assert.ok(asked.length <= 8 * (needed.length + 1) * Math.log2(changed.size + 2) + 11);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('needs little more than one question for each hunk where most of them contribute', async () => {
    const lines = Array.from({ length: 24 }, (_, i) => `x${i} = ${i}\n`);
    const change = (i: number) => i % 2 === 0;
    const idle = new Set([4, 10, 18]);
    const changed = lines.map((line, i) => (change(i) ? line.replace(' = ', ' = 100 + ') : line));
    const needed = changed.filter((_, i) => change(i) && !idle.has(i));
    let asked = 0;
    let until = 0;
    const { text } = await run(program(lines.join('')), program(changed.join('')), (candidate) => {
      const keeps = needed.every((line) => candidate.includes(line));
      asked++;
      if (keeps) until = asked;
      return keeps;
    });
    assert.equal(text, changed.map((line, i) => (idle.has(i) ? lines[i] : line)).join(''));
    assert.ok(until <= 24, `the last of three was left out after ${until} questions`);
  });

  it('leaves out a new name that nothing reads without asking, also where its line has taken the place of another', async () => {
    const original = 'def f(xs):\n    count = 0\n    for x in xs:\n        count += x\n    return sorted(xs)\n';
    const winner = 'def f(xs):\n    known_swaps = {}\n    result = sorted(xs)\n    return result\n';
    const { asked, text } = await run(program(original), program(winner), (candidate) => candidate === winner);
    assert.equal(text, 'def f(xs):\n    result = sorted(xs)\n    return result\n');
    assert.ok(!asked.some((candidate) => candidate.includes('known_swaps')), asked.join('\n'));
    const inBlock = 'def f(xs):\n    for x in xs:\n        rounds = 1\n    return sorted(xs)\n';
    const alone = await run(
      program('def f(xs):\n    return sorted(xs, key=None)\n'),
      program(inBlock),
      (each) => each === inBlock,
    );
    assert.equal(alone.text, inBlock, 'a block that would be empty stays');
  });

  it('leaves out a name that nothing needs, although its lines lie apart and none of them can go alone', async () => {
    const original = `def f(rows):
    cities = []
    for row in rows:
        if row not in cities:
            cities.append(row)
    total = 0
    for row in rows:
        total += row.amount
    return sorted(cities), total
`;
    const winner = `def f(rows):
    cities = {}
    cities_set = set()
    by_key = None
    for row in rows:
        cities[row] = 1
        cities_set.add(row)
    total = 0
    for row in rows:
        if by_key is None:
            by_key = dict.fromkeys(rows)
        total += by_key.get(row, row).amount
    return sorted(cities), total
`;
    const runs = (text: string) =>
      (!text.includes('cities_set.add') || text.includes('cities_set = set()')) &&
      (!text.includes('if by_key') || text.includes('by_key = None')) &&
      (!text.includes('by_key.get') || text.includes('by_key = dict'));
    const { text, asked } = await run(
      program(original),
      program(winner),
      (candidate) => runs(candidate) && candidate.includes('        cities[row] = 1') && candidate.includes('cities = {}'),
    );
    assert.doesNotMatch(text, /cities_set|by_key/);
    assert.match(text, /total \+= row\.amount/);
    assert.ok(asked.length <= 16, `${asked.length} questions`);
  });

  it('takes added and deleted lines one by one', async () => {
    const original = 'def f(x):\n    a(1)\n    b = 2\n    c = 3\n    return x\n';
    const winner = 'def f(x):\n    c = 3\n    if not x:\n        return x\n    d = 4\n    return x\n';
    const { text } = await run(program(original), program(winner), (candidate) => !candidate.includes('b = 2'));
    assert.equal(text, 'def f(x):\n    a(1)\n    c = 3\n    return x\n');
  });

  it('never puts back what only assigns a name that nothing reads, in lines or in a loop', async () => {
    for (const [language, original, winner] of [
      ['python', 'def f(x):\n    a = 1\n    b = 2\n    c = 3\n    return x + c\n', 'def f(x):\n    c = 4\n    return x + c\n'],
      [
        'python',
        'def f(x):\n    c = 3\n    a = 0\n    for _ in range(9):\n        a += 1\n    return x + c\n',
        'def f(x):\n    c = 4\n    b = 1\n    return x + c\n',
      ],
      [
        'javascript',
        'function f(x) {\n  let a = 0;\n  for (const b of x) {\n    a++;\n  }\n  const c = 3;\n  return x[c];\n}\n',
        'function f(x) {\n  const c = 4;\n  return x[c];\n}\n',
      ],
    ] as const) {
      const { text } = await run(program(original, language), program(winner, language), (each) => each.includes('4'));
      assert.doesNotMatch(text, /\b[ab]\b/, text);
    }
  });

  it('counts the lines that a rewrite shares with the original', () => {
    const original = program('def f(x):\n    a = 1\n    return x\n');
    assert.equal(sharedLines(original, original), 1);
    assert.ok(sharedLines(original, program('import heapq\nwhile True:\n    heapq.merge()\n    break\n')) < 1 / 3);
  });

  it('leaves no line behind in another block when what was around it goes', async () => {
    const original = 'def f(x):\n    if x:\n        a = 1\n    for i in x:\n        if i:\n            g(i)\n    return x\n';
    const winner = 'def f(x):\n    if x:\n        b = 2\n        a = 1\n    return x\n';
    const { text, asked } = await run(program(original), program(winner), (candidate) => !candidate.includes('for'));
    assert.equal(text, 'def f(x):\n    if x:\n        a = 1\n    return x\n');
    for (const one of asked) assert.ok(one.includes('for i in x') || !one.includes('g(i)'), one);
  });

  it('takes a block as one, with its closing line, before it looks at single lines', async () => {
    const original = 'let a = 1;\nfor (const i of x) {\n  f(i);\n  g(i);\n}\nlet c = 3;\n';
    const winner = 'let a = 2;\nlet c = 4;\n';
    const { text } = await run(program(original, 'javascript'), program(winner, 'javascript'), (one) => one.includes('c = 4'));
    assert.equal(text, original.replace('c = 3', 'c = 4'));
  });

  it('moves a block out of a loop as one, comments and all, or not at all', async () => {
    const original = 'def f(x):\n    for i in x:\n        # why\n        if x:\n            g(x)\n\n        h(x)\n    a = 1\n';
    const winner = 'def f(x):\n    # why\n    if x:\n        g(x)\n\n    h(x)\n    a = 2\n';
    const { text } = await run(program(original), program(winner), (candidate) => !candidate.includes('for'));
    assert.equal(text, winner.replace('a = 2', 'a = 1'));
  });

  it('says which steps are left in what is smaller', () => {
    const original = program('a = 1\nx = 2\nb = 3\n');
    const steps = [
      program('a = 10\nx = 2\nb = 3\n'),
      program('a = 10\nx = 2\nb = 3\nc = 4\n'),
      program('a = 10\nx = 2\nb = 30\nc = 4\n'),
    ];
    assert.deepEqual(broughtBy(original, steps, program('a = 10\nx = 2\nb = 30\n')), [0, 2]);
    assert.deepEqual(broughtBy(original, [...steps, program('other')], original), []);
  });

  it('restores layout and comments without asking', async () => {
    const original = 'def f(x):\n    # why\n    a = [1,2]\n    b = 3\n    return a\n';
    const winner = 'def f(x):\n    a = [1, 2]\n    b = 4\n    return a\n';
    const { text, asked } = await run(program(original), program(winner), () => assert.fail('there is nothing to ask'));
    assert.equal(text, original.replace('b = 3', 'b = 4'));
    assert.deepEqual(asked, []);
  });

  it('returns the winner when nothing less will do', async () => {
    const winner = program('x = 2\ny = 1\nz = 5\n');
    const { result } = await run(program('x = 1\ny = 1\nz = 3\n'), winner, () => false);
    assert.equal(programSha(result), programSha(winner));
  });

  it('works in several spans, and in files without a last line end', async () => {
    const make = (a: string, b: string): Program => ({
      language: 'javascript',
      files: [{ path: 'a.js', text: `// head\n${a}// between\n${b}` }],
      spans: [
        { path: 'a.js', start: 8, end: 8 + a.length },
        { path: 'a.js', start: 8 + a.length + 11, end: 8 + a.length + 11 + b.length },
      ],
    });
    const { text, result } = await run(
      make('let a = 1;\nlet b = 1;\n', 'f(1);\ng(1);'),
      make('let a = 2;\nlet b = 22;\n', 'f(1);\ng(2);\nh();'),
      (candidate) => candidate.includes('b = 22') && candidate.includes('g(2)'),
    );
    assert.equal(text, '// head\nlet a = 1;\nlet b = 22;\n// between\nf(1);\ng(2);');
    assert.deepEqual(result.spans, make('let a = 1;\nlet b = 22;\n', 'f(1);\ng(2);').spans);
  });

  it('refuses programs that are not versions of one', async () => {
    const inner = { ...program('x = 1\ny = 2\n'), spans: [{ path: 'a', start: 0, end: 6 }] };
    await assert.rejects(
      run(inner, { ...inner, files: [{ path: 'a', text: 'x = 1\ny = 3\n' }] }, () => true),
      PeagenError,
    );
  });
});
