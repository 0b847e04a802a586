import assert from 'node:assert/strict';
import { judgedByFlags } from '../../../daemon/cli/target.ts';
import { configuredEvaluator } from '../../../daemon/engine/target/ways.ts';
import { Config } from '../../../shared/config.ts';

const byTests = { name: 'command', options: { command: 'make test' } };

describe('how the configuration says to judge', () => {
  const configured = (evaluate: unknown) => configuredEvaluator(Config.parse({ evaluate }));

  it('is by a command that is configured without inputs', () => {
    assert.deepEqual(configured({ command: 'make test' }), byTests);
    assert.deepEqual(configured({ evaluator: 'command', command: 'make test', inputs: '[[1]]' }), byTests);
  });

  it('is by inputs where there are some, and by the evaluator that is named', () => {
    const byInputs = { name: 'function', options: { inputs: '[[1]]' } };
    assert.deepEqual(configured({ command: 'make test', inputs: '[[1]]' }), byInputs);
    assert.deepEqual(configured({ evaluator: 'mine', inputs: '[[1]]' }), { name: 'mine', options: {} });
    assert.deepEqual(configured({}), { name: 'function', options: {} });
  });
});

describe('how the flags of a command say to judge', () => {
  it('is by the command or the inputs, or not at all', () => {
    assert.deepEqual(judgedByFlags({ command: 'make test' }), byTests);
    assert.deepEqual(judgedByFlags({ inputs: '[[2]]' }), { name: 'function', options: { inputs: '[[2]]' } });
    assert.equal(judgedByFlags({}), undefined);
  });
});
