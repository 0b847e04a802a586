/** What the runners of candidates do for their parent, in real sandboxes. */
import assert from 'node:assert/strict';
import { Runner } from '../../../daemon/executors/runner.ts';
import { contextOf } from '../judging/judging.ts';

describe('a runner', () => {
  const texts = {
    python: 'def f():\n    return open("/proc/self/status").read().split("Cpus_allowed_list:")[1].split()[0]\n',
    node: 'const f = () => require("fs").readFileSync("/proc/self/status", "utf8").split("Cpus_allowed_list:\\t")[1].split("\\n")[0];',
  } as const;
  for (const runtime of ['python', 'node'] as const) {
    it(`of ${runtime} stays on the processor that it was put on`, async function () {
      if (process.platform !== 'linux') return this.skip();
      const { sandboxes } = await contextOf();
      const runner = await Runner.open(sandboxes, runtime);
      try {
        await runner.ready();
        const { processor } = runner;
        assert.ok(processor !== undefined);
        await runner.confine(processor);
        const path = runtime === 'python' ? 'f.py' : 'f.cjs';
        const entry = { path, fn: 'f', files: [{ path, text: texts[runtime] }], effects: false };
        const orders = [
          { op: 'load', ...entry },
          { op: 'prepare', passes: 1, calls: [{ args: [], kwargs: {} }] },
          { op: 'go' },
          { op: 'reveal', calls: [0] },
        ];
        const replies = [];
        for (const order of orders) replies.push(await runner.ask(order, 10_000));
        const last = replies.at(-1);
        assert.deepEqual(last?.kind === 'answer' && last.value['outputs'], [{ value: `${processor}` }]);
      } finally {
        await runner.close();
      }
    });
  }

  it('of Python measures the memory of calls as if none had been made before', async () => {
    const { sandboxes } = await contextOf();
    const text = 'KEPT = {}\ndef f(n):\n    if n not in KEPT:\n        KEPT[n] = bytes(n)\n    return len(KEPT[n])\n';
    const peakOf = async (calls: number): Promise<number> => {
      const runner = await Runner.open(sandboxes, 'python');
      try {
        await runner.ready();
        await runner.ask({ op: 'load', path: 'f.py', fn: 'f', files: [{ path: 'f.py', text }], effects: true }, 10_000);
        for (let made = 0; made < calls; made++) await runner.ask({ op: 'call', args: [4_000_000], kwargs: {} }, 10_000);
        const reply = await runner.ask({ op: 'memory', calls: [{ args: [4_000_000], kwargs: {} }] }, 10_000);
        return reply.kind === 'answer' ? Number(reply.value['peak_bytes']) : 0;
      } finally {
        await runner.close();
      }
    };
    assert.ok((await peakOf(0)) > 4_000_000);
    assert.ok((await peakOf(1)) > 4_000_000);
  });
});
