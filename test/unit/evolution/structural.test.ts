import assert from 'node:assert/strict';
import fc from 'fast-check';
import { programSha } from '../../../daemon/evolution/hash.ts';
import type { Mutated } from '../../../daemon/evolution/mutators/mutator.ts';
import { structural } from '../../../daemon/evolution/mutators/structural.ts';
import { regionOf } from '../../../daemon/evolution/mutators/structural-draw.ts';
import { extractExpression } from '../../../daemon/evolution/mutators/structural-extract.ts';
import { Seen } from '../../../daemon/evolution/seen.ts';
import { normalHash } from '../../../daemon/evolution/syntax/normal.ts';
import { syntaxError } from '../../../daemon/evolution/syntax/parse.ts';
import { loadTarget } from '../../../daemon/evolution/target.ts';
import { childFault } from '../../../daemon/handlers/child-check.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { MutatePayload } from '../../../shared/payloads.ts';
import { type Program, replaceRange, spanText } from '../../../shared/program.ts';
import { sources } from './program/sources.ts';

type Child = Extract<Mutated, { kind: 'child' }>;

const log = createLog({ level: 'silent' });

interface Asked {
  readonly seen?: Seen;
  readonly failedChanges?: readonly string[];
  /** By default the parent. */
  readonly original?: Program;
}

async function mutate(program: Program, seed: number, { seen, failedChanges = [], original }: Asked = {}): Promise<Mutated> {
  const sha256 = programSha(program);
  const payload = MutatePayload.parse({
    mutator: 'structural',
    seed,
    original: original ?? program,
    parent: { sha256, program, metrics: {} },
    inspirations: [],
    ...(seen === undefined ? {} : { seen: seen.encode() }),
    failedChanges,
  });
  return structural.mutate(payload, {
    signal: new AbortController().signal,
    log,
    ask: () => Promise.reject(new Error('the structural mutator asks no model')),
  });
}

function childOf(mutated: Mutated): Child {
  assert.ok(mutated.kind === 'child', mutated.kind === 'rejected' ? mutated.reason : '');
  return mutated;
}

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

describe('the structural mutator', () => {
  for (const source of sources) {
    describe(`on ${source.name}`, () => {
      let program: Program;
      before(async () => {
        ({ program } = await loadTarget({ root: '/nowhere', ...source.target }));
      });

      it('makes children that parse, differ, and are the same outside of the spans', async () => {
        const normal = await normalHash(program);
        await fc.assert(
          fc.asyncProperty(seeds, async (seed) => {
            const { program: child, origin } = childOf(await mutate(program, seed));
            assert.equal(await syntaxError(child), undefined, origin.summary);
            assert.notEqual(await normalHash(child), normal, origin.summary);
            assert.equal(childFault(child, program), undefined, origin.summary);
            assert.match(origin.summary, /^[a-z][^\n]* at line \d+/);
          }),
          { numRuns: 60 },
        );
      });

      it('makes the same child of the same seed', async () => {
        await fc.assert(
          fc.asyncProperty(seeds, async (seed) => {
            assert.deepEqual(await mutate(program, seed), await mutate(program, seed));
          }),
          { numRuns: 10 },
        );
      });

      it('keeps working on its own children', async () => {
        let child = program;
        for (let seed = 0; seed < 25; seed++) {
          const next = await mutate(child, seed);
          if (next.kind === 'rejected') break;
          child = next.program;
          assert.equal(await syntaxError(child), undefined, next.origin.summary);
        }
        assert.notEqual(programSha(child), programSha(program));
      });
    });
  }

  it('never makes a child that was seen before', async () => {
    const { program } = await loadTarget({
      root: '/nowhere',
      path: 'a.py',
      text: 'def f(a, b):\n    return a + b\n',
      entry_fn: 'f',
    });
    const seen = new Seen();
    const made = new Set<string>();
    let last: Mutated | undefined;
    for (let seed = 0; seed < 2000; seed++) {
      last = await mutate(program, seed, { seen });
      if (last.kind === 'rejected') break;
      const normal = await normalHash(last.program);
      assert.ok(!made.has(normal), last.origin.summary);
      made.add(normal);
      seen.add(normal);
    }
    assert.ok(made.size > 3);
    assert.ok(last?.kind === 'rejected', 'a function this small runs out of children');
    assert.match(last.reason, /no new child/);
  });

  it('does not make an edit again that alone made a program fail, on whatever line it is now', async () => {
    const text = 'def f(items):\n    total = 0\n    for item in items:\n        total = total + item\n    return total\n';
    const { program } = await loadTarget({ root: '/nowhere', path: 'a.py', text, entry_fn: 'f' });
    const count = async (failedChanges: readonly string[]): Promise<number> => {
      const made = await Promise.all(Array.from({ length: 300 }, (_, seed) => mutate(program, seed, { failedChanges })));
      return made.filter((one) => /delete statement at line \d+: total = 0/.test(childOf(one).origin.summary)).length;
    };
    assert.ok((await count([])) > 0);
    assert.ok((await count(['delete statement at line 2: total = 0; delete statement at line 4: total = total + item'])) > 0);
    assert.equal(await count(['delete statement at line 7: total = 0']), 0);
  });

  it('takes no expression out of a statement that changes what it reads, by a method either', async () => {
    const text =
      'def f(items, seen, size):\n    for item in items:\n        while item not in seen or size(item) > 2 * size(item):\n            seen.add(item)\n    return seen\n';
    const { program } = await loadTarget({ root: '/nowhere', path: 'a.py', text, entry_fn: 'f' });
    const region = await regionOf(program, program.spans[0] ?? assert.fail());
    const found = extractExpression(region).map(({ what, at }) => `${what} before ${text.slice(at, at + 5)}`);
    assert.ok(found.includes('compute a repeated expression once: size(item) before while'));
    assert.deepEqual(
      found.filter((each) => each.includes('seen')),
      [],
    );
  });

  it('keeps the line ends of the file', async () => {
    const text =
      'def f(items):\r\n    total = 0\r\n    for item in items:\r\n        total = total + item\r\n    return total\r\n';
    const { program } = await loadTarget({ root: '/nowhere', path: 'a.py', text, entry_fn: 'f' });
    for (let seed = 0; seed < 200; seed++) {
      const child = childOf(await mutate(program, seed)).program.files[0]?.text ?? '';
      assert.doesNotMatch(child.replaceAll('\r\n', ''), /[\r\n]/);
    }
  });

  it('leaves an emptied Python block with pass', async () => {
    const text = 'def f(items):\n    for item in items:\n        print(item)\n    return items\n';
    const { program } = await loadTarget({ root: '/nowhere', path: 'a.py', text, entry_fn: 'f' });
    const texts = new Set<string>();
    for (let seed = 0; seed < 300; seed++) texts.add(childOf(await mutate(program, seed)).program.files[0]?.text ?? '');
    assert.ok(texts.has('def f(items):\n    for item in items:\n        pass\n    return items\n'));
  });

  it('finds the edits that make a slow program fast', async () => {
    const text = `def f(items):
    result = list(items)
    for i in range(len(result)):
        swaps = 0
        for j in range(len(result) - 1):
            if result[j] > result[j + 1]:
                result[j], result[j + 1] = result[j + 1], result[j]
                swaps = swaps + 1
    return result
`;
    const { program } = await loadTarget({ root: '/nowhere', path: 'a.py', text, entry_fn: 'f' });
    const found = new Set<string>();
    for (let seed = 0; seed < 600; seed++)
      found.add(spanText(childOf(await mutate(program, seed)).program, program.spans[0] ?? assert.fail()));
    const children = [...found].join('\n');
    assert.match(children, /range\(len\(result\) - 1 - i\)/);
    assert.match(children, /if not swaps:\n {12}break/);
    assert.match(children, /result = items\n/);
  });

  it('edits a function of a file that its grammar cannot read as a whole', async () => {
    const text = 'x = = 1\n\ndef f(items):\n    items = list(items)\n    return sorted(items)\n';
    const { program } = await loadTarget({ root: '/nowhere', path: 'a.py', text, entry_fn: 'f' });
    assert.notEqual(await syntaxError(program), undefined);
    assert.ok(childOf(await mutate(program, 1)).program.files[0]?.text.startsWith('x = = 1\n\ndef f(items):\n'));
  });

  it('bears with very long functions', async () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `    x = x + ${i}\n`).join('');
    const { program } = await loadTarget({
      root: '/nowhere',
      path: 'a.py',
      text: `def f(x):\n${lines}    return x\n`,
      entry_fn: 'f',
    });
    const places = new Set<string>();
    for (let seed = 0; seed < 6; seed++) places.add(childOf(await mutate(program, seed)).origin.summary);
    assert.equal(places.size, 6);
  });

  it('says that it has no grammar for a language', async () => {
    const { program } = await loadTarget({ root: '/nowhere', path: 'a.rs', text: 'fn main() {}\n' });
    const mutated = await mutate(program, 1);
    assert.ok(mutated.kind === 'rejected');
    assert.match(mutated.reason, /no grammar for rust/);
  });

  it('stays inside of each marked block', async () => {
    const text =
      'x = 1\n# EVOLVE-BLOCK-START\ny = [1, 2]\nz = sorted(y)\n# EVOLVE-BLOCK-END\nw = 2\n# EVOLVE-BLOCK-START\nv = y + z\nprint(v)\n# EVOLVE-BLOCK-END\n';
    const { program } = await loadTarget({ root: '/nowhere', path: 'a.py', text });
    const changed = new Set<number>();
    for (let seed = 0; seed < 200; seed++) {
      const { program: child } = childOf(await mutate(program, seed));
      const spans = child.spans.map((span) => spanText(child, span));
      assert.equal(
        child.files[0]?.text,
        `x = 1\n# EVOLVE-BLOCK-START\n${spans[0]}# EVOLVE-BLOCK-END\nw = 2\n# EVOLVE-BLOCK-START\n${spans[1]}# EVOLVE-BLOCK-END\n`,
      );
      program.spans.forEach((span, i) => {
        if (spans[i] !== spanText(program, span)) changed.add(i);
      });
    }
    assert.deepEqual([...changed].sort(), [0, 1]);
  });

  it('leaves a function alone that is no longer called', async () => {
    const text =
      'def total(xs, n):\n    out = 0\n    for x in xs:\n        out = out + x * n\n    return out\n\n\ndef f(xs):\n    return [total(xs, n) for n in xs]\n';
    const { program: original } = await loadTarget({ root: '/nowhere', path: 'a.py', text, entry_fn: 'f' });
    const [helper, entry] = original.spans;
    assert.ok(helper !== undefined && entry !== undefined);
    const brought =
      'def f(xs):\n    def total_here(n):\n        return sum(x * n for x in xs)\n    return [total_here(n) for n in xs]\n';
    const parent = replaceRange(original, entry, brought);
    const helpers = async (program: Program) => {
      const made = Array.from({ length: 40 }, (_, seed) => mutate(program, seed, { original }));
      return new Set((await Promise.all(made)).map((each) => spanText(childOf(each).program, helper)));
    };
    assert.deepEqual([...(await helpers(parent))], [spanText(original, helper)]);
    assert.ok((await helpers(original)).size > 1);
  });
});
