import assert from 'node:assert/strict';
import { createRandom } from '../../../daemon/evolution/random.ts';
import { Account } from '../../../daemon/llm/account.ts';

const cost = { least: 100, most: 400 };
const none = { prompt: 0, completion: 0 };
const signal = () => new AbortController().signal;

describe("a run's account", () => {
  it('grants all that can happen while there is plenty, then what is left, down to one question', async () => {
    const account = new Account(1000, cost, none);
    assert.deepEqual(
      [await account.grant('a', signal()), await account.grant('b', signal()), await account.grant('c', signal())],
      [400, 400, 200],
    );
  });

  it('lets a candidate wait for what others leave', async () => {
    const account = new Account(450, cost, none);
    assert.equal(await account.grant('a', signal()), 400);
    const waiting = account.grant('b', signal());
    account.settle('a', { prompt: 60, completion: 40 });
    assert.equal(await waiting, 350);
  });

  it('says that it is exhausted when nobody holds anything and no question can be paid', async () => {
    const account = new Account(450, cost, { prompt: 300, completion: 51 });
    assert.equal(await account.grant('a', signal()), 'exhausted');
  });

  it('notifies those who wait, too, when what was forfeited was the last of it', async () => {
    const account = new Account(450, cost, none);
    await account.grant('a', signal());
    const waiting = account.grant('b', signal());
    account.forfeit('a');
    assert.equal(await waiting, 'exhausted');
  });

  it('ends the wait of a run that stops', async () => {
    const account = new Account(400, cost, none);
    await account.grant('a', signal());
    const controller = new AbortController();
    const waiting = account.grant('b', controller.signal);
    controller.abort(new Error('stopped'));
    await assert.rejects(waiting, /stopped/);
  });

  it('grants no allowance without a limit, or where no model is asked', async () => {
    assert.equal(await new Account(undefined, cost, none).grant('a', signal()), undefined);
    assert.equal(await new Account(10, { least: 0, most: 0 }, none).grant('a', signal()), undefined);
  });

  it('never lets 50 candidates at a time spend more than the limit, and uses most of it', async () => {
    const random = createRandom('account');
    const limit = 20_000;
    const account = new Account(limit, cost, none);
    let spent = 0;
    let next = 0;
    const worker = async () => {
      for (;;) {
        const id = String(next++);
        const allowance = await account.grant(id, signal());
        if (typeof allowance !== 'number') return;
        await new Promise((done) => setImmediate(done));
        const fate = random.next();
        const used = fate < 0.1 ? allowance : fate < 0.2 ? 0 : random.int(allowance + 1);
        spent += used;
        assert.ok(spent <= limit);
        if (fate < 0.1) account.forfeit(id);
        else if (fate < 0.2) account.release(id);
        else account.settle(id, { prompt: used, completion: 0 });
      }
    };
    await Promise.all(Array.from({ length: 50 }, worker));
    assert.ok(spent > limit - cost.most, String(spent));
  });
});
