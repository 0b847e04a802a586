/** The processor time of a tree of processes, as the kernel counts it for users without a group of their own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { treeAccountMs } from '../../../daemon/executors/cpu-time.ts';

const program = `
import threading, time, sys
def work():
    while time.thread_time() < 0.3: pass
thread = threading.Thread(target=work)
thread.start()
thread.join()
print("done", flush=True)
sys.stdin.readline()
`;

describe('the account of a tree of processes', () => {
  it('has the time of threads that have ended', async function () {
    if (process.platform !== 'linux') return this.skip();
    const child = spawn('python3', ['-c', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    try {
      await once(child.stdout, 'data');
      const ms = treeAccountMs(child.pid ?? assert.fail('not started'));
      assert.ok(ms !== undefined && ms >= 280, `${ms}`);
    } finally {
      child.stdin.end();
      await once(child, 'exit');
    }
  });
});
