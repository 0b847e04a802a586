/** What a worker reads from its environment. */
import assert from 'node:assert/strict';
import { exitReasonOf, LogTail } from '../../../daemon/fabric/launchers/log-tail.ts';
import { workerEnv } from '../../../daemon/fabric/launchers/process.ts';
import { readSettings } from '../../../daemon/fabric/worker/settings.ts';
import { Config } from '../../../shared/config.ts';

describe('the settings of a worker', () => {
  it('have defaults in addition to the queue', () => {
    assert.deepEqual(readSettings({ QUEUE_URL: 'redis://h:1' }), {
      queueUrl: 'redis://h:1',
      caps: undefined,
      plugins: undefined,
      idleExitMs: 45_000,
      maxUptimeMs: 4 * 3_600_000,
    });
  });

  it('are lists, and durations as in the configuration file', () => {
    const env = {
      QUEUE_URL: 'ipc:',
      WORKER_CAPS: 'cpu, python,',
      WORKER_PLUGINS: 'evaluate',
      WORKER_IDLE_EXIT: '1.5s',
      WORKER_MAX_UPTIME: '90',
    };
    const settings = readSettings(env);
    assert.deepEqual(settings.caps, ['cpu', 'python']);
    assert.deepEqual(settings.plugins, ['evaluate']);
    assert.equal(settings.idleExitMs, 1500);
    assert.equal(settings.maxUptimeMs, 90_000);
  });

  it('are what the launcher wrote', () => {
    const config = Config.parse({ worker: { defaults: { idle_timeout: '7s', max_uptime: '2h' } } });
    const settings = readSettings(workerEnv('w-1', ['cpu', 'node'], config, {}));
    assert.deepEqual([settings.caps, settings.idleExitMs, settings.maxUptimeMs], [['cpu', 'node'], 7000, 7_200_000]);
  });

  it('that are wrong are named, without the password', () => {
    assert.throws(() => readSettings({}), /QUEUE_URL is not set/);
    assert.throws(
      () => readSettings({ QUEUE_URL: 'me:hush@host' }),
      (error: Error) => /"host"/.test(error.message) && !/hush/.test(error.message),
    );
    assert.throws(() => readSettings({ QUEUE_URL: 'ipc:', WORKER_IDLE_EXIT: 'soon' }), /WORKER_IDLE_EXIT is "soon"/);
  });
});

describe('the log of a worker', () => {
  it('is kept from its end, however long it is', () => {
    const tail = new LogTail();
    for (let i = 0; i < 300; i++) tail.add(Buffer.alloc(1024, 'x'));
    tail.add(Buffer.from('\nworker exit: idle\n'));
    assert.equal(tail.text().length, 64 * 1024);
    assert.equal(exitReasonOf(0, tail.text()), 'idle');
  });

  it('without a reason leaves the exit status to tell', () => {
    assert.deepEqual([exitReasonOf(null, ''), exitReasonOf(0, ''), exitReasonOf(7, '')], ['killed', 'done', 'error']);
  });
});
