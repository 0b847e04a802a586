import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nearest, PeagenError } from '../../shared/errors.ts';

describe('PeagenError', () => {
  it('survives the wire', () => {
    const error = new PeagenError('not_found', 'No function "srot".', { hint: 'Did you mean "sort"?' });
    const back = PeagenError.fromJSON(JSON.parse(JSON.stringify(error)));
    assert.deepEqual([back.code, back.line, back.retryable], [error.code, error.line, error.retryable]);
  });

  it('is one line, whatever the message holds', () => {
    fc.assert(fc.property(fc.string(), (text) => !new PeagenError('internal', text, { hint: text }).line.includes('\n')));
  });
});

describe('nearest', () => {
  it('finds a name through a typing mistake', () => {
    assert.equal(nearest('max_generation', ['no_improve', 'max_generations']), 'max_generations');
    assert.equal(nearest('srot', ['sort', 'merge']), 'sort');
  });

  it('finds nothing for a name unlike all others', () => {
    assert.equal(nearest('xyzzy', ['sort', 'merge']), undefined);
  });
});
