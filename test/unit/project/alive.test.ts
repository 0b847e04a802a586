import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isAlive, startOf } from '../../../daemon/alive.ts';

describe('whether a process runs', () => {
  it('is so of this one, and of no number that is none', () => {
    assert.equal(isAlive(process.pid), true);
    for (const pid of [0, -1, Number.NaN, 0.5, 2 ** 30]) assert.equal(isAlive(pid), false, `${pid}`);
  });

  it('is not so of one that has ended, though its parent has not taken note of it', async function () {
    if (startOf(process.pid) === undefined) return this.skip();
    // A shell that starts a process, prints its number, and becomes one that never looks after it.
    const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [said] = await once(parent.stdout, 'data');
    const child = Number.parseInt(String(said), 10);
    while (isAlive(child)) await new Promise(setImmediate);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });
});
