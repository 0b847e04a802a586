import assert from 'node:assert/strict';
import fc from 'fast-check';
import { difference, show, type Value } from '../../../daemon/judging/function/values.ts';

const exact = { rel: 0, abs: 0 };
const loose = { rel: 1e-9, abs: 0 };
const differs = (a: Value, b: Value, tolerance = loose) => difference(a, b, tolerance) !== undefined;

describe('values from runners', () => {
  it('are equal to themselves', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        assert.equal(difference(value as Value, structuredClone(value) as Value, exact), undefined),
      ),
    );
  });

  it('differ both ways or not at all', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) =>
        assert.equal(differs(a as Value, b as Value), differs(b as Value, a as Value)),
      ),
    );
  });

  it('have no tag that every object inherits', () => assert.equal(differs({ valueOf: [] }, { float: '1.0' }), true));

  it('distinguish 1, 1.0, True and "1" in Python', () => {
    const all: Value[] = [1, { float: '1.0' }, true, '1'];
    for (const a of all) for (const b of all) assert.equal(differs(a, b), a !== b, `${show(a)} and ${show(b)}`);
  });

  it('take the -0 of JavaScript for 0', () => {
    assert.deepEqual([differs(0, { float: '-0' }, exact), differs({ float: '-0' }, 0)], [false, false]);
    assert.equal(differs(0, { float: '-0.0' }), true);
  });

  it('distinguish lists from tuples, sets and frozen sets', () => {
    const all: Value[] = [[1], { tuple: [1] }, { set: [1] }, { frozenset: [1] }];
    for (const a of all) for (const b of all) assert.equal(differs(a, b), a !== b);
  });

  it('treat numbers within the tolerance as equal, whole floats and huge ones too', () => {
    assert.equal(differs(0.1 + 0.2, 0.3), false);
    assert.equal(differs(0.1 + 0.2, 0.3, exact), true);
    assert.equal(differs({ float: '1e+300' }, { float: '1.0000000000001e+300' }), false);
    assert.equal(differs({ float: '3.0' }, 3.0000000000001), false);
    assert.equal(differs(1_000_000_000_000, 1_000_000_000_001), true);
  });

  it('know NaN and the infinities', () => {
    assert.equal(differs({ float: 'nan' }, { float: 'nan' }), false);
    assert.equal(differs({ float: 'inf' }, { float: '-inf' }), true);
    assert.equal(differs({ float: 'inf' }, { float: '1e+308' }), true);
    assert.equal(differs({ float: 'NaN' }, { float: 'NaN' }), false);
  });

  it('compare dicts without regard to order, and name the key that differs', () => {
    assert.equal(
      differs(
        {
          dict: [
            ['a', 1],
            ['b', 2],
          ],
        },
        {
          dict: [
            ['b', 2],
            ['a', 1],
          ],
        },
      ),
      false,
    );
    const found = difference({ dict: [['a', [1, 2]]] }, { dict: [['a', [1, 3]]] }, exact);
    assert.deepEqual(found, { path: '["a"][1]', expected: '2', actual: '3' });
  });

  it('say how many items there are when only that differs', () => {
    assert.deepEqual(difference([1, 2], [1, 2, 3], exact), { path: '', expected: '2 items', actual: '3 items' });
  });

  it('are shown as a user writes them, cut to size', () => {
    assert.equal(show({ tuple: [1, { float: '2.0' }, { dict: [['k', null]] }] }), '(1, 2.0, {"k": null})');
    assert.equal(show({ generator: [1, { tuple: [2] }] }), 'a generator of [1, (2)]');
    assert.ok(show(Array.from({ length: 1000 }, (_, index) => index)).length < 350);
  });
});
