/**
 * How soon the best of `bad_sort` is found, and what a percent of its gain costs in tokens: whole searches as they ship, on the queue
 * in memory and with workers on a Redis, offline and with a model on loopback, whose answers are as good and as bad as real ones.
 * `npm run bench -- evolve/time-to-best [--workers 32] [--hosts 4] [--candidates 160] [--only redis]`, after a build.
 */
import { once } from 'node:events';
import { appendFileSync, chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { RunSummary } from '../../../shared/run.ts';
import { eventsOf, sample } from '../../integration/evolve/search-folder.ts';
import { startTestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';
import { startHost } from '../../redis/host.ts';
import { RedisServer } from '../../redis/server.ts';

const { values: given } = parseArgs({
  options: {
    workers: { type: 'string', default: '32' },
    hosts: { type: 'string', default: '4' },
    candidates: { type: 'string', default: '160' },
    only: { type: 'string', default: '' },
  },
});
const [workers, hostCount] = [Number(given.workers), Number(given.hosts)];
const home = mkdtempSync(join(tmpdir(), 'peagen-best-'));
// The users of sandboxes reach the temporary folders of the hosts in it.
chmodSync(home, 0o755);
const redis = await RedisServer.start({ appendOnly: true });
const model = await startTestLlm({ script: 'corpus' });
const queue = { url: redis.url, workspace: 'bench/best' };
// Without one, the daemon would judge the original and the winner by itself.
const key = { PEAGEN_QUEUE_KEY: 'k'.repeat(64) };
// Only the hosts judge: a daemon with no other tags than these asks the model.
const shared = `[task_queue]\nprovider = "redis"\nurl = "${queue.url}"\nworkspace = "${queue.workspace}"\n[worker.defaults]\ncaps_only = ["cpu", "llm"]\n`;
const asked = `[[llm.backends]]\nname = "scripted"\nmodel = "test-model"\nbase_url = "${model.url}"\n`;

/** As many candidates, however many are under way at a time. */
const sized = (population: number) => [
  ...['--population', String(population)],
  ...['--generations', String(Math.ceil(Number(given.candidates) / population))],
];

async function search(name: string, settings: string, args: readonly string[]): Promise<void> {
  const folder = join(home, name.replaceAll(/\W+/g, '-'));
  cpSync(sample, folder, { recursive: true });
  appendFileSync(join(folder, '.peagen.toml'), settings);
  const began = Date.now();
  const all = ['evolve', 'run', '--seed', '1', '--json', '--yes', ...args];
  const { status, stderr, lastJson } = await runPeagen(all, folder, { ...process.env, ...key, HOME: home });
  if (status !== 0) throw new Error(stderr);
  const wall = (Date.now() - began) / 1000;
  const { run, best, candidates, tokens } = RunSummary.parse(lastJson);
  const events = await eventsOf(folder, run);
  const found = events.findLast((event) => event.type === 'inserted' && event.sha256 === best?.sha256);
  const last = events.findLast(({ type }) => type === 'inserted');
  const seconds = (at: string | undefined) => (at === undefined ? '' : ((Date.parse(at) - began) / 1000).toFixed(1));
  const spent = tokens.prompt + tokens.completion;
  const perPercent = best === null || spent === 0 ? '' : Math.round(spent / (100 * (best.speedup - 1)));
  const cells = [name, candidates, best?.speedup.toFixed(2), seconds(found?.at), seconds(last?.at), wall.toFixed(1), perPercent];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

process.stdout.write(
  `| search | candidates | best | found after s | searched for s | command took s | tokens for 1 % |\n| --- |${' --- |'.repeat(6)}\n`,
);
const started = [];
try {
  const wanted = (name: string) => name.includes(given.only);
  if (wanted('memory')) await search('memory, offline', '', ['--sync', ...sized(8)]);
  if (wanted('memory')) await search('memory, model', asked, ['--sync', ...sized(8)]);
  if (wanted('redis')) {
    const options = { args: ['--concurrency', String(workers / hostCount)], env: key };
    for (let at = 0; at < hostCount; at++) started.push(await startHost(queue, join(home, `host-${at}`), options));
    const population = sized(workers);
    await search(`redis, offline, ${workers} workers`, shared, population);
    await search(`redis, model, ${workers} workers`, shared + asked, population);
  }
} finally {
  for (const host of started) if (host.kill('SIGTERM')) await once(host, 'exit');
  await model.close();
  await redis.stop();
  rmSync(home, { recursive: true, force: true });
}
process.stdout.write(`${availableParallelism()} cores, load ${Math.round(loadavg()[0] ?? 0)} at the end\n`);
