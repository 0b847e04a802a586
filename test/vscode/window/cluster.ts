/** The recorded run goes on through the cluster, and waits for it. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { RedisServer, requireRedis } from '../../redis/server.ts';
import { calm } from '../driver/editor.ts';
import { eventually, type Journey, openView } from '../driver/journey.ts';
import { cli } from '../driver/parts.ts';
import { endless } from '../driver/recorded.ts';

const PASSWORD = 'planted-4f1c-redis-password';

export function cluster(journey: Journey): void {
  let redis: RedisServer;
  let pool: ChildProcess | undefined;

  before(async function () {
    requireRedis(this);
    redis = await RedisServer.start({ appendOnly: true, extra: ['--requirepass', PASSWORD] });
    pool = spawn(process.execPath, [cli(), 'worker', 'start', '--caps', 'cpu,python'], {
      cwd: journey.folder,
      env: {
        ...process.env,
        ...calm,
        ...endless,
        PEAGEN__TASK_QUEUE__PROVIDER: 'redis',
        PEAGEN__TASK_QUEUE__URL: redis.url,
        PEAGEN_REDIS_PASSWORD: PASSWORD,
      },
      stdio: 'ignore',
    });
    await journey.editor.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  });
  after(async () => {
    pool?.kill();
    await redis?.stop();
  });

  const list = (text: string | RegExp) =>
    journey.editor.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  const status = () =>
    journey.editor.page.locator('#peagen\\.peagen\\.peagen\\.status, .statusbar-item', { hasText: 'Peagen' }).first();

  /** What the window's log ends with, as Report Issue shows it. */
  async function windowLog(): Promise<string> {
    const { page } = journey.editor;
    // Not an earlier report.
    await page.evaluate("navigator.clipboard.writeText('')");
    await journey.editor.command('Peagen: Report Issue');
    const message = await journey.editor.message('This is all that goes with an issue');
    await message.locator('a.monaco-button', { hasText: 'Copy' }).click();
    const text = async () => String(await page.evaluate('navigator.clipboard.readText()'));
    await eventually('the report is copied', async () => (await text()).includes('## Versions'));
    const [, log = ''] = (await text()).split(/^## End of the .* log$/m);
    return log;
  }

  async function enter(url: string, password: string): Promise<void> {
    const { editor } = journey;
    await editor.answer('Connect to Cluster', url);
    await journey.step('Password for');
    await editor.pick('Enter a password');
    await editor.page.locator('.quick-input-widget input[type=password]').waitFor();
    await editor.answer('Password for', password);
    await journey.step('The cluster at');
  }

  it('says what is wrong with an address or a password before anything goes there', async () => {
    const { editor } = journey;
    await editor.openFile('bad_sort.py', 20);
    await editor.command('Peagen: Connect to Cluster');
    await journey.step('Connect to Cluster');
    await enter('redis://127.0.0.1:1', PASSWORD);
    await list('does not answer').waitFor();
    await journey.picture('away');
    await editor.pick('Another address or password');
    await enter(redis.url, 'wrong');
    await list('refuses the password').waitFor();
  });

  it('does not connect as a user who may not do what the queue needs', async () => {
    const client = redis.client({ password: PASSWORD });
    await client.call('ACL', 'SETUSER', 'few', 'on', '>few', '~*', '+@all', '-zadd');
    client.disconnect();
    await journey.editor.pick('Another address or password');
    await enter(redis.url.replace('//', '//few@'), 'few');
    await list('The user may not: ZADD').waitFor();
    await journey.picture('denied');
    assert.equal(await list(/^Connect/).count(), 0);
  });

  it('shows version, latency, permissions, and the workers that serve the workspace', async () => {
    const { editor } = journey;
    const client = redis.client({ password: PASSWORD });
    try {
      await eventually('the workers have said that they are there', async () => (await client.keys('*pools')).length > 0);
    } finally {
      client.disconnect();
    }
    await editor.pick('Another address or password');
    await enter(redis.url, PASSWORD);
    await list(/Redis \d+\.\d+\.\d+/).waitFor();
    assert.match((await list(/Redis \d/).textContent()) ?? '', /[\d.]+ ms a round trip · user default/);
    await list('All required permissions granted').waitFor();
    await list(/× cpu\+python/).waitFor();
    await journey.picture('found');
    await editor.pick('Connect');
    await editor.message(`Connected: new runs use 127.0.0.1:${redis.port}.`);
    await eventually('the status item shows it', async () =>
      ((await status().textContent()) ?? '').includes(`127.0.0.1:${redis.port}`),
    );
    await journey.picture('connected');
  });

  const running = () => journey.editor.rows(/bad_sort.*running.*generation \d+ of/);
  /** The run has come further than it is. */
  async function goesOn(): Promise<void> {
    const generation = async () => Number(/generation (\d+) of/.exec(await running().innerText())?.[1]);
    const before = await generation();
    await eventually('another generation is complete', async () => (await generation()) > before, 180_000);
  }

  it('makes candidates there, and keeps the password out of every file of the workspace', async () => {
    await openView(journey.editor);
    await journey.resume();
    await goesOn();
    const client = redis.client({ password: PASSWORD });
    try {
      assert.ok((await client.keys('*lanes')).length > 0, 'tasks went through it');
    } finally {
      client.disconnect();
    }
    assert.deepEqual(journey.whereIs(PASSWORD), []);
    assert.ok(
      journey.whereIs(journey.folder).some((file) => file.endsWith('.log')),
      'the log of the daemon was looked at',
    );
  });

  it('is not left by itself when it goes away: work waits for it, until the user says otherwise', async function () {
    this.timeout(240_000);
    const { editor } = journey;
    pool?.kill();
    await redis.kill();
    const says = async () => (await status().evaluate((item) => item.outerHTML)).includes('does not answer');
    await eventually('the status item says that it is away', says);
    await journey.picture('status-away');
    // The log is written behind what the window shows.
    await eventually('the log says so', async () => /^\[warn\] daemon: Redis at .* does not answer/m.test(await windowLog()));
    await running().waitFor();
    await journey.picture('gone');
    assert.match((await status().textContent()) ?? '', new RegExp(`127.0.0.1:${redis.port}`));
    await redis.up();
    await eventually('the status item says no more that it is away', async () => !(await says()));
    await goesOn();
    await editor.command('Peagen: Stop Run');
    await editor.rows(/bad_sort.*stopped/).waitFor();
    await editor.command('Peagen: Work Locally');
    await editor.message('New runs use this machine.');
    await eventually('the status item shows it', async () => !((await status().textContent()) ?? '').includes('127.0.0.1'));
  });
}
