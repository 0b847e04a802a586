import assert from 'node:assert/strict';
import {
  type Effects,
  effectDifference,
  type FinalState,
  finalDifference,
  isPrivate,
  unstableKinds,
  withoutPlaces,
} from '../../../daemon/judging/effects/effects.ts';
import { difference } from '../../../daemon/judging/function/values.ts';

const tolerance = { rel: 1e-9, abs: 0 };
const state = (large: Record<string, string> = {}): FinalState => ({
  names: { globals: ['LOG', '_memo', '_Node', '_Node.count'], instance: ['items', '_total'] },
  large,
});
const rules = { original: state(), ignored: [], tolerance };

function said(want: Effects, got: Effects, ignored: readonly ('printed' | 'globals')[] = []): string {
  const found = effectDifference(want, got, { ...rules, ignored });
  return found === undefined ? 'equal' : `${found.kind}: it ${found.actual}; the original ${found.expected}.`;
}

describe('the comparison of effects', () => {
  it('finds nothing between equal ones, and treats numbers with the tolerance', () => {
    assert.equal(said({}, {}), 'equal');
    assert.equal(said({ globals: { LOG: [0.3] } }, { globals: { LOG: [0.1 + 0.2] } }), 'equal');
    assert.equal(said({ random: 'a', printed: { out: 'x', err: '' } }, { random: 'a', printed: { out: 'x', err: '' } }), 'equal');
  });

  it('names a lost, a changed and an added effect, with numbers of items where they differ', () => {
    assert.equal(said({ globals: { LOG: [1] } }, {}), 'globals: it left LOG as it was; the original leaves LOG with [1].');
    assert.equal(
      said({ globals: { LOG: [1] } }, { globals: { LOG: [] } }),
      'globals: it left LOG with 0 items; the original leaves LOG with 1 item.',
    );
    assert.equal(
      said({}, { instance: { items: [1] } }),
      "instance: it left its object's items with [1]; the original leaves its object's items as it was.",
    );
    assert.equal(
      said({ globals: { LOG: { gone: 1 } } }, { globals: { LOG: [] } }),
      'globals: it left LOG with []; the original removes LOG.',
    );
  });

  it('shows the first difference within a long value', () => {
    const long = Array.from({ length: 200 }, (_, index) => index);
    assert.equal(
      said({ globals: { LOG: long } }, { globals: { LOG: long.with(150, -1) } }),
      'globals: it left LOG[150] with -1; the original leaves LOG[150] with 150.',
    );
  });

  it('ignores a private name only when the original never has it', () => {
    assert.equal(said({}, { globals: { _seen: [1] }, instance: { _last: 1, '#at': 2 } }), 'equal');
    assert.equal(said({}, { globals: { _memo: [1] } }), 'globals: it left _memo with [1]; the original leaves _memo as it was.');
    assert.match(said({}, { instance: { _total: 1 } }), /its object's _total/);
    assert.equal(said({}, { globals: { 'Bag.seen': 1 } }), 'globals: it left Bag.seen with 1; the original has no Bag.seen.');
    assert.match(said({ globals: { _memo: [1] } }, {}), /left _memo as it was/);
  });

  it('ignores a module variable that the original does not have, whatever its name', () => {
    assert.equal(said({}, { globals: { table: [1], 'lib/a.js:seen': 2 } }), 'equal');
  });

  it('looks for what is private in every part of a name', () => {
    const { globals } = rules.original.names;
    for (const name of ['_a', 'A._b', 'f(_memo)', 'lib/a.js:_seen', '_New.items', '#x'])
      assert.ok(isPrivate(name, globals), name);
    for (const name of ['a', 'A.b', 'f(memo)', 'a_b', '_Node.count', '_Node.size', '_memo'])
      assert.ok(!isPrivate(name, globals), name);
  });

  it('ignores a new private attribute of an object within a value, and no other', () => {
    const bag = (...fields: [string, number][]) => ({ object: 'Bag', state: { dict: fields } });
    assert.equal(difference(bag(['n', 1]), bag(['n', 1], ['_half', 0]), tolerance), undefined);
    assert.notEqual(difference(bag(['n', 1]), bag(['n', 1], ['half', 0]), tolerance), undefined);
    assert.notEqual(difference(bag(['n', 1], ['_half', 0]), bag(['n', 1]), tolerance), undefined);
    assert.notEqual(
      difference(
        { dict: [['n', 1]] },
        {
          dict: [
            ['n', 1],
            ['_half', 0],
          ],
        },
        tolerance,
      ),
      undefined,
    );
  });

  it('shows printed text from where it differs', () => {
    const printed = (out: string, err = '') => ({ printed: { out, err } });
    assert.equal(said(printed('x\n'), {}), 'printed: it printed nothing; the original prints "x\\n".');
    const long = 'a'.repeat(300);
    assert.match(said(printed(`${long}x`), printed(`${long}y`)), /printed … "a{20}y"; the original prints … "a{20}x"/);
    assert.match(said(printed('', 'x'), {}), /printed nothing on standard error/);
  });

  it('leaves out the places of warnings and tracebacks', () => {
    assert.equal(withoutPlaces('/tmp/a.py:7: UserWarning: old\n  warn("old")\n'), 'UserWarning: old\n');
    const trace = 'Traceback (most recent call last):\n  File "/tmp/a.py", line 3, in f\n    raise ValueError\nValueError\n';
    assert.equal(withoutPlaces(trace), 'Traceback (most recent call last):\nValueError\n');
    assert.equal(withoutPlaces('Trace: x\n    at f (/tmp/a.js:1:2)\n'), 'Trace: x\n');
  });

  it('words files and random numbers', () => {
    assert.equal(
      said({ files: { 'o.txt': { text: 'a' } } }, { files: { 'o.txt': { text: 'b' } } }),
      'files: it wrote "b" to the file o.txt; the original writes "a" to the file o.txt.',
    );
    assert.equal(
      said({}, { files: { 'o.txt': { gone: 1 } } }),
      'files: it removed the file o.txt; the original does not write or remove the file o.txt.',
    );
    assert.equal(said({ random: 'a' }, {}), 'random: it drew no random numbers; the original draws random numbers.');
  });

  it('leaves out the kinds that are ignored', () => {
    assert.equal(said({ printed: { out: 'x', err: '' } }, {}, ['printed']), 'equal');
    assert.match(said({ printed: { out: 'x', err: '' }, globals: { LOG: 1 } }, {}, ['printed']), /^globals/);
  });

  it('finds the kinds that differ between two runs, whichever of them has more', () => {
    const one = { printed: { out: '12:00', err: '' }, globals: { LOG: [1] } };
    const other = { printed: { out: '12:01', err: '' }, globals: { LOG: [1] }, random: 'a' };
    assert.deepEqual(unstableKinds(one, other, rules), ['printed', 'random']);
    assert.deepEqual(unstableKinds(other, one, rules), ['printed', 'random']);
  });

  it('compares large values at the end by what changed in them', () => {
    const final = (want: Record<string, string>, got: Record<string, string>) =>
      finalDifference(state(got), { ...rules, original: state(want) })?.actual;
    assert.equal(final({ T: 'a' }, { T: 'a' }), undefined);
    assert.equal(final({ T: 'a' }, { T: 'b' }), 'left T with other contents than the original');
    assert.equal(final({ T: 'a' }, {}), 'left T as it was');
    assert.equal(final({}, { 'self.items': 'a' }), 'left self.items with other contents than before');
    assert.equal(final({}, { _cache: 'a', 'self._cache': 'b' }), undefined);
  });
});
