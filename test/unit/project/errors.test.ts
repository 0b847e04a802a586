import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nearest, PeagenError } from '../../../shared/errors.ts';

describe('PeagenError', () => {
  it('survives the wire', () => {
    const error = new PeagenError('not_found', 'No function "srot".', { hint: 'Did you mean "sort"?' });
    const back = PeagenError.fromJSON(JSON.parse(JSON.stringify(error)));
    assert.deepEqual([back.code, back.line, back.retryable], [error.code, error.line, error.retryable]);
  });

  it('ends what a program wrote before it says what to do', () => {
    assert.equal(
      new PeagenError('internal', 'sh: x: not found\n', { hint: 'Install it.' }).line,
      'sh: x: not found. Install it.',
    );
    assert.equal(new PeagenError('internal', 'It is gone.', { hint: 'Look.' }).line, 'It is gone. Look.');
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
