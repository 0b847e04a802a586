/** The level of a confidence: each of its conditions is needed. */
import assert from 'node:assert/strict';
import { doubtOf, withAttack } from '../../../daemon/engine/ending/attack.ts';
import { Confidence, isVerified, shortfalls, verdictOf } from '../../../shared/confidence.ts';

const strong = Confidence.parse({
  ...{ given: 2, derived: 40, heldout: 40, attacked: 400 },
  ...{ lines: { hit: 20, of: 20 }, rejections: { hit: 2, of: 2 }, mutants: { hit: 40, of: 45 } },
});

describe('a match', () => {
  it('is verified when all conditions hold', () => {
    assert.ok(isVerified(strong));
    assert.equal(
      verdictOf(strong),
      'verified: matches the original on 2 given and 480 derived calls; 100 % of its lines ran; 40 of 45 planted bugs caught',
    );
  });

  for (const [what, weaker] of Object.entries({
    'too few derived calls': { derived: 5, heldout: 5 },
    'no counter-example search': { attacked: 0 },
    'a search that was cut short': { attacked: 160 },
    'lines that nobody looked at': { lines: { hit: 0, of: 0 } },
    'a line that never ran': { lines: { hit: 99, of: 100 } },
    'a rejection that never happened': { rejections: { hit: 1, of: 2 } },
    'mutants that nobody made': { mutants: { hit: 0, of: 0 } },
    'mutants that nobody noticed': { mutants: { hit: 30, of: 45 } },
  })) {
    it(`is amber with ${what}`, () => {
      assert.ok(!isVerified({ ...strong, ...weaker }));
      assert.match(verdictOf({ ...strong, ...weaker }), /^matches on the calls we have; add inputs: /);
    });
  }

  it('lacks nothing before a run that only the search for a counter-example is missing', () => {
    assert.deepEqual(shortfalls({ ...strong, attacked: 0 }), []);
    const weak = { ...strong, attacked: 0, derived: 5, heldout: 5, lines: { hit: 18, of: 20 } };
    assert.deepEqual(shortfalls(weak), ['calls', 'lines']);
  });

  it('says when its counter-example search was cut short', () => {
    assert.deepEqual(withAttack(strong, 500).limits, []);
    const [limit] = withAttack(strong, 160).limits;
    assert.equal(limit, 'Only 160 fresh calls were compared in the search for a counter-example.');
  });
});

describe('a match that says nothing about a program', () => {
  const program = (text: string) => ({
    language: 'python',
    files: [{ path: 'a.py', text }],
    spans: [{ path: 'a.py', start: 3, end: text.length }],
  });
  // Its second line begins the span.
  const original = program('# \na\nb\nc\nd\ne');
  const doubt = (text: string, more: Partial<Confidence> = {}) =>
    doubtOf({ ...strong, missed: [4], ...more }, original, program(text));

  it('is one where no call runs a line that changes, or one between two that change', () => {
    assert.match(doubt('# \na\nb\nC\nd\ne') ?? '', /no call runs line 4, where/);
    assert.match(doubt('# \na\nB\nc\nd\nE') ?? '', /line 4/);
  });

  it('is one where something comes in next to a line that no call runs', () => {
    assert.match(doubt('# \na\nb\nc\nbreak\nd\ne') ?? '', /line 4/);
    assert.match(doubt('# \na\nb\nbreak\nc\nd\ne') ?? '', /line 4/);
  });

  it('is none where all changes are before or after what no call runs', () => {
    assert.equal(doubt('# \nA\nb\nc\nd\ne'), undefined);
    assert.equal(doubt('# \na\nb\nc\nd\nE'), undefined);
  });

  it('is none where imports and helpers come in next to the function, as in a change of a user', () => {
    assert.equal(doubt('import x\n# \nA\nb\nc\nd\ne'), undefined);
    assert.match(doubt('import x\n# \na\nb\nC\nd\ne') ?? '', /no call runs line 4, where/);
  });

  it('is one where the calls notice less than half of the planted bugs', () => {
    assert.match(doubt('# \nA\nb\nc\nd\ne', { mutants: { hit: 8, of: 23 } }) ?? '', /15 of 23 planted bugs/);
    assert.equal(doubt('# \nA\nb\nc\nd\ne', { mutants: { hit: 12, of: 23 } }), undefined);
    assert.equal(doubt('# \nA\nb\nc\nd\ne', { mutants: { hit: 0, of: 2 } }), undefined);
  });
});
