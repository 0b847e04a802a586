import assert from 'node:assert/strict';
import { RunRequest } from '../../../shared/protocol/runs.ts';

describe('the request for a run', () => {
  it('leaves to the configuration what it does not say', () => {
    const target = { root: '/project', path: 'sort.py' };
    const evaluator = { name: 'command', options: { command: 'true' } };
    const { stop } = RunRequest.parse({ target, evaluator, stop: { run_timeout: 60 } });
    assert.deepEqual(stop, { run_timeout: 60 });
  });
});
