/** Stops runs while models are in mid-answer: the answers are broken off, and what they have cost is in the record. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListRuns, StartRun, StopRun } from '../../../shared/protocol/runs.ts';
import { startTestLlm } from '../../llm/server.ts';
import { missingRedis, RedisServer } from '../../redis/server.ts';
import { Home, until } from '../daemon/home.ts';

const SOURCE = 'def slow(items):\n    return sorted(sorted(items))\n';
const INPUTS = '[[[3, 1, 2]]]';
/** Would take hours. */
const ENDLESS = { type: 'answer', text: 'all work and no play '.repeat(20_000), pieceMs: 20 } as const;

async function stopsInMidAnswer(queue: string): Promise<void> {
  await using home = new Home();
  const llm = await startTestLlm();
  try {
    llm.script(ENDLESS, ENDLESS, ENDLESS);
    writeFileSync(join(home.workspace, 'slow.py'), SOURCE);
    writeFileSync(
      join(home.workspace, '.peagen.toml'),
      `[task_queue]\n${queue}\n[[llm.backends]]\nname = "a"\nmodel = "test-model"\nbase_url = "${llm.url}"\n`,
    );
    const client = await home.client();
    const { run } = await client.request(StartRun, {
      requestId: 'stopped-in-mid-answer',
      request: {
        target: { root: home.workspace, path: 'slow.py', entry_fn: 'slow' },
        evaluator: { name: 'function', options: { inputs: INPUTS } },
        seed: 1,
        population: 2,
        mutator: 'rewrite',
        stop: { max_generations: 3 },
      },
    });
    await until(() => llm.active === 2 && llm.charged > 0, 'answers under way');
    await client.request(StopRun, { run });
    await until(() => llm.active === 0, 'the answers to be broken off');
    const info = async () => (await client.request(ListRuns, {})).find((each) => each.run === run);
    await until(async () => (await info())?.state === 'finished', 'the run to end');
    const tokens = (await info())?.tokens;
    assert.ok(tokens !== undefined && tokens.prompt > 100 && tokens.completion > 0, JSON.stringify(tokens));
    assert.equal(llm.requests.length, 2);
  } finally {
    await llm.close();
  }
}

describe('a run that is stopped in mid-answer', function () {
  this.timeout(120_000);

  it('has what the answers have cost so far in its record', () => stopsInMidAnswer('provider = "stub"'));

  it('has it as well when its workers are on a cluster', async function () {
    if (missingRedis() !== undefined) return this.skip();
    const redis = await RedisServer.start({});
    try {
      await stopsInMidAnswer(`provider = "redis"\nurl = "${redis.url}"`);
    } finally {
      await redis.stop();
    }
  });
});
