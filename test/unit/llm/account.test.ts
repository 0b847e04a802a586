import assert from 'node:assert/strict';
import { Account } from '../../../daemon/llm/cost/account.ts';
import { createRandom } from '../../../daemon/random.ts';

const cost = { least: 100, most: 400 };
const none = { tokens: 0, dollars: 0 };
const signal = () => new AbortController().signal;

describe("a run's account", () => {
  it('grants all that can happen while there is plenty, and one question each when eight share the budget', async () => {
    assert.equal(await new Account({ tokens: 6400 }, cost, none).grant('a', signal()), 400);
    const account = new Account({ tokens: 1000 }, cost, none);
    const granted = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => account.grant(id, signal())));
    assert.deepEqual(granted, Array(8).fill(125));
  });

  it('follows what candidates use, so that a budget of 100,000 tokens keeps eight of 2,700 in flight and is used up', async () => {
    const limit = 100_000;
    const account = new Account({ tokens: limit }, { least: 12_000, most: 48_000 }, none);
    const use = { prompt: 1200, completion: 1500 };
    const held: string[] = [];
    let spent = 0;
    let inFlight = 0;
    const settleOldest = () => {
      account.settle(held.shift() ?? '', use);
      spent += 2700;
    };
    for (let next = 0; ; next++) {
      if (held.length >= 8) settleOldest();
      const waiting = account.grant(`${next}`, signal());
      let granted: Awaited<typeof waiting> | 'waits' = 'waits';
      do {
        granted = await Promise.race([waiting, new Promise<'waits'>((done) => setImmediate(done, 'waits'))]);
        // A candidate that waits is granted what the others leave.
        if (granted === 'waits') settleOldest();
      } while (granted === 'waits');
      if (granted === 'exhausted') break;
      assert.ok(granted !== undefined && granted >= 2700);
      held.push(`${next}`);
      inFlight = Math.max(inFlight, held.length);
    }
    spent += 2700 * held.length;
    assert.equal(inFlight, 8);
    assert.ok(spent <= limit && spent >= 0.9 * limit, `${spent}`);
  });

  it('grants more after a grant that did not pay for a question, until that is all that is left', async () => {
    const account = new Account({ tokens: 3000 }, { least: 100, most: 4000 }, none);
    for (const id of ['a', 'b', 'c']) {
      await account.grant(id, signal());
      account.settle(id, { prompt: 60, completion: 40 });
    }
    const granted: unknown[] = [];
    for (let i = 0; i < 10 && granted.at(-1) !== 2700; i++) {
      granted.push(await account.grant(`${i}`, signal()));
      account.settle(`${i}`, { prompt: 0, completion: 0 });
    }
    assert.deepEqual(granted, [150, 225, 338, 507, 761, 1142, 1713, 2570, 2700]);
  });

  it('lets a candidate wait for what others leave', async () => {
    const account = new Account({ tokens: 120 }, cost, none);
    assert.equal(await account.grant('a', signal()), 100);
    const waiting = account.grant('b', signal());
    account.settle('a', { prompt: 10, completion: 5 });
    assert.equal(await waiting, 100);
  });

  it('says that it is exhausted when nobody holds anything and no question can be paid', async () => {
    const account = new Account({ tokens: 450 }, cost, { tokens: 351, dollars: 0 });
    assert.equal(await account.grant('a', signal()), 'exhausted');
  });

  it('ends the wait of others when what was forfeited was the last of it', async () => {
    const account = new Account({ tokens: 150 }, cost, none);
    await account.grant('a', signal());
    const waiting = account.grant('b', signal());
    account.forfeit('a');
    assert.equal(await waiting, 'exhausted');
  });

  it('ends the wait of a run that stops', async () => {
    const account = new Account({ tokens: 150 }, cost, none);
    await account.grant('a', signal());
    const controller = new AbortController();
    const waiting = account.grant('b', controller.signal);
    controller.abort(new Error('stopped'));
    await assert.rejects(waiting, /stopped/);
  });

  it('grants no allowance without a limit, or where no model is asked', async () => {
    assert.equal(await new Account({}, cost, none).grant('a', signal()), undefined);
    assert.equal(await new Account({ tokens: 10 }, { least: 0, most: 0 }, none).grant('a', signal()), undefined);
  });

  it('never lets 50 candidates at a time spend more than the limit, and uses most of it', async () => {
    const random = createRandom('account');
    const limit = 20_000;
    const account = new Account({ tokens: limit }, cost, none);
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

  it('never passes a budget in dollars, each token reserved as if it were of the dearest kind', async () => {
    const prices = { cheap: { prompt: 1, completion: 2 }, dear: { prompt: 10, completion: 40 } };
    const usd = 0.05;
    const account = new Account({ usd, prices }, { least: 100, most: 400 }, { tokens: 0, dollars: 0.01 });
    const random = createRandom('dollars');
    let spent = 0.01;
    for (let next = 0; ; next++) {
      const granted = await account.grant(`${next}`, signal());
      if (granted === 'exhausted') break;
      assert.ok(granted !== undefined && spent + (granted * 40) / 1e6 <= usd + 1e-12);
      const prompt = Math.ceil(granted / 2);
      const completion = random.int(granted - prompt);
      const name = random.next() < 0.5 ? 'cheap' : 'dear';
      const use = { prompt, completion };
      account.settle(`${next}`, { ...use, by: { [name]: use } });
      spent += (prompt * prices[name].prompt + completion * prices[name].completion) / 1e6;
    }
    assert.ok(spent <= usd && spent > 0.8 * usd, `${spent}`);
    assert.equal(account.scarce, 'budget_usd');
  });
});
