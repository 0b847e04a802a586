/** Stops runs while models are in mid-answer: the answers are broken off, and what they have cost is in the record. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../../daemon/alive.ts';
import { ATTEMPTS } from '../../../daemon/engine/target/worst-case.ts';
import { ListRuns, PlanRun, type RunRequest, StartRun, StopRun } from '../../../shared/protocol/runs.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { RedisServer, requireRedis } from '../../redis/server.ts';
import { Home, until } from '../daemon/home.ts';

const SOURCE = 'def slow(items):\n    return sorted(sorted(items))\n';
const INPUTS = '[[[3, 1, 2]]]';
/** Would take hours. */
const ENDLESS = { type: 'answer', text: 'all work and no play '.repeat(20_000), pieceMs: 20 } as const;

async function begin(home: Home, llm: TestLlm, queue: string) {
  llm.script(ENDLESS, ENDLESS, ENDLESS);
  writeFileSync(join(home.workspace, 'slow.py'), SOURCE);
  writeFileSync(
    join(home.workspace, '.peagen.toml'),
    `[task_queue]\n${queue}\n[[llm.backends]]\nname = "a"\nmodel = "test-model"\nbase_url = "${llm.url}"\n`,
  );
  const client = await home.client();
  const request: RunRequest = {
    target: { root: home.workspace, path: 'slow.py', entry_fn: 'slow' },
    evaluator: { name: 'function', options: { inputs: INPUTS } },
    seed: 1,
    population: 2,
    mutator: 'rewrite',
    stop: { max_generations: 3 },
  };
  const { run } = await client.request(StartRun, { requestId: 'stopped-in-mid-answer', request });
  await until(() => llm.active === 2 && llm.charged > 0, 'answers under way');
  const info = async () => (await client.request(ListRuns, {})).find((each) => each.run === run);
  const spent = async () => {
    await until(async () => (await info())?.state === 'finished', 'the run to end', 60_000);
    return (await info())?.tokens;
  };
  return { client, request, run, spent };
}

async function stopsInMidAnswer(queue: string): Promise<void> {
  await using home = new Home();
  const llm = await startTestLlm();
  try {
    const { client, run, spent } = await begin(home, llm, queue);
    await client.request(StopRun, { run });
    await until(() => llm.active === 0, 'the answers to be broken off');
    const tokens = await spent();
    assert.ok(tokens !== undefined && tokens.prompt > 100 && tokens.completion > 0, JSON.stringify(tokens));
    assert.equal(llm.requests.length, 2);
  } finally {
    await llm.close();
  }
}

function childrenOf(parent: number): number[] {
  const stat = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8');
    } catch {
      return '';
    }
  };
  // Behind the name, which may hold anything: the state, then the parent.
  const isChild = (pid: string) => stat(pid).split(') ').at(-1)?.split(' ')[1] === String(parent);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number);
}

describe('a run that is stopped in mid-answer', () => {
  it('has what the answers have cost so far in its record', () => stopsInMidAnswer('provider = "stub"'));

  it('has the most that they can have cost, of workers that do not answer any more', async function () {
    if (process.platform !== 'linux') return this.skip();
    await using home = new Home();
    const llm = await startTestLlm();
    let workers: number[] = [];
    try {
      const { client, request, run, spent } = await begin(
        home,
        llm,
        'provider = "stub"\n[worker.defaults]\nisolation = "process"',
      );
      workers = home.daemons().flatMap(childrenOf);
      for (const pid of workers) process.kill(pid, 'SIGSTOP');
      await client.request(StopRun, { run });
      const { worst_case: worst } = await client.request(PlanRun, request);
      const each = (worst.prompt_tokens + worst.completion_tokens) / (worst.candidates * ATTEMPTS);
      const tokens = await spent();
      assert.equal((tokens?.prompt ?? 0) + (tokens?.completion ?? 0), 2 * each);
    } finally {
      for (const pid of workers.filter(isAlive)) process.kill(pid, 'SIGCONT');
      await llm.close();
    }
  });

  it('has it as well when its workers are on a cluster', async function () {
    requireRedis(this);
    const redis = await RedisServer.start({});
    try {
      await stopsInMidAnswer(`provider = "redis"\nurl = "${redis.url}"`);
    } finally {
      await redis.stop();
    }
  });
});
