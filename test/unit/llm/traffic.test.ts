import assert from 'node:assert/strict';
import { SharedTraffic } from '../../../daemon/fabric/shared-traffic.ts';
import { OwnTraffic } from '../../../daemon/llm/own-traffic.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { llmConfig } from '../../llm/config.ts';

describe('the LLM traffic of the workers of one parent', () => {
  const open = () => {
    const config = llmConfig([{ name: 'tight', requests_per_minute: 2 }, { name: 'wide' }]);
    return new SharedTraffic({ config, log: createLog({ level: 'silent' }) });
  };
  const fail = async (traffic: SharedTraffic, times: number) => {
    for (let i = 0; i < times; i++) {
      const worker: string[] = [];
      assert.equal(await traffic.serve({ op: 'enter', backend: 'wide' }, worker), 0);
      await traffic.serve({ op: 'leave', backend: 'wide', outcome: 'failure' }, worker);
    }
  };

  it('keeps to one rate limit, though each asks once', async () => {
    const traffic = open();
    const take = (backend: string) => traffic.serve({ op: 'take', backend, tokens: 10 }, []);
    assert.deepEqual([await take('tight'), await take('tight')], [0, 0]);
    assert.ok(Number(await take('tight')) > 1000);
    assert.equal(await take('wide'), 0);
  });

  it('has one breaker a back end: after five failures in five workers the sixth waits', async () => {
    const traffic = open();
    await fail(traffic, 5);
    assert.ok(Number(await traffic.serve({ op: 'enter', backend: 'wide' }, [])) > 0);
    assert.equal(await traffic.serve({ op: 'enter', backend: 'tight' }, []), 0);
  });

  it('warns once that a back end fails, however often it is tried in vain, and again when it had answered', async () => {
    const config = llmConfig([{ name: 'wide' }]);
    const limits = { take: async () => 0, settle: async () => undefined, close: () => undefined };
    const warnings: string[] = [];
    const traffic = new OwnTraffic(config.llm.backends, limits, {
      warn: (_: unknown, text?: string) => void warnings.push(text ?? ''),
    });
    const leave = async (outcome: 'success' | 'failure', times: number) => {
      for (let i = 0; i < times; i++) await traffic.leave('wide', outcome, 'Back end "wide": nobody is there.');
    };
    await leave('failure', 4);
    assert.deepEqual([warnings.length, traffic.trouble], [0, undefined]);
    await leave('failure', 8);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /"wide": nobody is there\. It fails again and again/);
    assert.equal(traffic.trouble, warnings[0]);
    await leave('success', 1);
    assert.equal(traffic.trouble, undefined);
    await leave('failure', 5);
    assert.equal(warnings.length, 2);
  });

  it('lets another try when the one who tried has died', async () => {
    const traffic = open();
    await fail(traffic, 5);
    const enter = (worker: string[]) => traffic.serve({ op: 'enter', backend: 'wide' }, worker);
    const [first, second]: string[][] = [[], []];
    assert.ok(first !== undefined && second !== undefined);
    for (let wait: unknown = 1; wait !== 0; wait = await enter(first)) await new Promise((resolve) => setImmediate(resolve));
    assert.notEqual(await enter(second), 0);
    await traffic.abandon(first);
    assert.equal(await enter(second), 0);
  });

  it('takes no verdict from a worker that had no leave to ask', async () => {
    const traffic = open();
    for (let i = 0; i < 9; i++) await traffic.serve({ op: 'leave', backend: 'wide', outcome: 'failure' }, []);
    assert.equal(await traffic.serve({ op: 'enter', backend: 'wide' }, []), 0);
  });

  it('refuses a back end that is not configured', async () => {
    await assert.rejects(open().serve({ op: 'take', backend: 'other', tokens: 1 }, []), { code: 'not_found' });
  });
});
