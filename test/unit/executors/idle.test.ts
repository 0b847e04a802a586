import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { hostBegins, whileIdle } from '../../../daemon/executors/idle.ts';

/** Longer than a test may take. */
const LONG_MS = 3_600_000;

describe('what waits for more work', () => {
  it('ends when a host closes, and not before', async () => {
    const closes = hostBegins();
    let ended = 0;
    whileIdle(LONG_MS, () => ended++);
    await turn();
    assert.equal(ended, 0);
    closes();
    assert.equal(ended, 1);
  });

  it('ends at once when its work ends behind the last host: a command does not wait for it', async () => {
    hostBegins()();
    await new Promise<void>((resolve) => void whileIdle(LONG_MS, resolve));
  });

  it('stays for another host', async () => {
    const [closesOne, closesOther] = [hostBegins(), hostBegins()];
    closesOne();
    let ended = 0;
    whileIdle(LONG_MS, () => ended++);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(ended, 0);
    closesOther();
    assert.equal(ended, 1);
  });

  it('stays where it is taken back', () => {
    const closes = hostBegins();
    let ended = 0;
    whileIdle(LONG_MS, () => ended++)();
    closes();
    assert.equal(ended, 0);
  });
});
