import assert from 'node:assert/strict';
import { evaluatorSpec } from '../../daemon/cli/target.ts';
import { Config } from '../../shared/config.ts';

describe('how a command line says to judge', () => {
  const spec = (evaluate: unknown, options = {}) => evaluatorSpec(options, Config.parse({ evaluate }));
  const byTests = { name: 'command', options: { command: 'make test' } };

  it('goes by a command that is configured without inputs', () => {
    assert.deepEqual(spec({ command: 'make test' }), byTests);
    assert.deepEqual(spec({ evaluator: 'command', command: 'make test', inputs: '[[1]]' }), byTests);
    assert.equal(spec({ command: 'make test', inputs: '[[1]]' }).name, 'function');
  });

  it('goes by its own flags first', () => {
    assert.deepEqual(spec({ inputs: '[[1]]' }, { command: 'make test' }), byTests);
    const given = { name: 'function', options: { inputs: '[[2]]' } };
    assert.deepEqual(spec({ evaluator: 'command', command: 'make test' }, { inputs: '[[2]]' }), given);
  });
});
