import assert from 'node:assert/strict';
import { EngineHost } from '../../../daemon/server/engine-host.ts';
import { Config } from '../../../shared/config.ts';
import { MemoryEngine, request } from './scene.ts';

describe('the host of the engine', () => {
  const opened: MemoryEngine[] = [];
  let [stamp, refreshed, away] = ['1', 0, false];
  let host: EngineHost;
  beforeEach(() => {
    opened.length = 0;
    [stamp, refreshed, away] = ['1', 0, false];
    host = new EngineHost(
      {
        open: async () => {
          const engine = new MemoryEngine();
          opened.push(engine);
          return engine;
        },
        stamp: () => stamp,
        refresh: async () => {
          if (away) throw new Error('the new queue is away');
          refreshed += 1;
        },
        fabric: async () => ({ queue: 'stub', sandbox: 'plain' }),
        config: async () => Config.parse({}),
      },
      () => undefined,
    );
  });
  afterEach(() => host.close());

  it('opens the engine again when the configuration has changed and nothing is under way', async () => {
    await host.get();
    stamp = '2';
    await host.refresh();
    await host.get();
    assert.deepEqual([opened.length, opened[0]?.closed, refreshed], [2, true, 0]);
  });

  it('keeps the engine of work under way, and refreshes it once for each change', async () => {
    await (await host.get()).start(request, 'one');
    await host.refresh();
    assert.equal(refreshed, 0);
    stamp = '2';
    await host.refresh();
    await host.refresh();
    await host.get();
    assert.deepEqual([opened.length, refreshed], [1, 1]);
  });

  it('tries again what could not be followed', async () => {
    await (await host.get()).start(request, 'one');
    [stamp, away] = ['2', true];
    await assert.rejects(host.refresh(), /away/);
    away = false;
    await host.refresh();
    assert.equal(refreshed, 1);
  });
});
