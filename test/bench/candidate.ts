/**
 * What a candidate costs next to the bare cost of running it once in a fresh process: processor time and wall time, for each
 * way of judging, with a model on loopback that answers at once and the queue in memory, and right after over a Redis of its
 * own, with a daemon and `peagen worker start`. Also how long the event loop of the host was blocked (loop-probe.ts). Run:
 * `npm run bench -- candidate [candidates] [part of a case's name] [--peer PATH]`; with `--peer` folders run under that checkout
 * of OpenEvolve too.
 */
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import * as z from 'zod';
import { builtScript } from '../built.ts';
import { startTestLlm } from '../llm/server.ts';
import { missingRedis, RedisServer } from '../redis/server.ts';
import { startTree } from './candidate/account.ts';
import { type Case, cases, interpreter } from './candidate/cases.ts';
import { cpuSeconds } from './evolve/cpu.ts';

const { values: options, positionals } = parseArgs({ options: { peer: { type: 'string' } }, allowPositionals: true });
const candidates = Number(positionals[0] ?? 100);
const wanted = positionals[1] ?? '';
const WIDTH = availableParallelism();
const BARE_RUNS = 20;
const SHORT_PEER = 20;
const probe = pathToFileURL(join(import.meta.dirname, 'candidate', 'loop-probe.ts')).href;
const Loop = z.object({ p99: z.number(), max: z.number(), longest: z.number() });

function bareMs(each: Case, folder: string): { cpu: number; wall: number } {
  const [cpu, at] = [cpuSeconds(), performance.now()];
  for (let i = 0; i < BARE_RUNS; i++) each.bare(folder);
  return { cpu: (1000 * (cpuSeconds() - cpu)) / BARE_RUNS, wall: (performance.now() - at) / BARE_RUNS };
}

/**
 * The shell starts a worker for what follows it, and stops it when that has ended, and the daemon. Processes in the background
 * get no SIGINT of a terminal, so that it is handed on.
 */
const OVER_REDIS = `
NODE_OPTIONS="--import $PROBE" "$0" "$1" worker start & worker=$!
PEAGEN_LOOP_FILE= "$0" "$@" & run=$!
trap 'kill -INT $run' INT
wait $run; wait $run
kill -TERM $worker; wait $worker
"$0" "$1" daemon stop
`;

/** `redis`: the address of the queue; undefined: in memory, in the process of the command. */
async function measure(each: Case, url: string, redis: string | undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'peagen-bench-'));
  // The daemon's log does not belong to what is judged: a folder that changes is sent to the hosts again.
  const runtime = await mkdtemp(join(tmpdir(), 'peagen-bench-run-'));
  try {
    await writeFile(join(folder, each.file), each.text(0));
    const { args, settings } = each.prepare(folder);
    const model = `[[llm.backends]]\nname = "scripted"\nmodel = "test-model"\nbase_url = "${url}"\n`;
    const queue = redis === undefined ? '' : `[task_queue]\nprovider = "redis"\nurl = "${redis}"\n`;
    await writeFile(join(folder, '.peagen.toml'), `${settings}${queue}${model}`);
    const bare = bareMs(each, folder);
    const generations = Math.ceil(candidates / WIDTH);
    // More than are counted: the command must still be at work when it is asked to stop.
    const flags = ['--mutator', 'rewrite', '--population', String(WIDTH), '--generations', String(2 * generations)];
    const loopFile = join(folder, 'loop.json');
    const command = [builtScript('cli'), 'evolve', 'run', '--target-file', each.file, ...args, ...flags];
    const ending = ['--no-improve', String(2 * generations), '--yes', '--json'];
    const [program, ...words] =
      redis === undefined
        ? [process.execPath, '--import', probe, ...command, ...ending, '--sync']
        : ['sh', '-c', OVER_REDIS, process.execPath, ...command, ...ending];
    const env = { ...process.env, PEAGEN_LOOP_FILE: loopFile, PROBE: probe, XDG_RUNTIME_DIR: runtime };
    const tree = startTree(program, words, { cwd: folder, env });
    const ended = new Promise((resolve) => tree.child.once('exit', resolve));
    const marks: { at: number; cpu: number; count: number }[] = [];
    const evaluated = evaluatedSoFar(folder);
    // The careful measurement of the best at the end is not a candidate's.
    while (tree.child.exitCode === null && (marks.at(-1)?.count ?? 0) < generations * WIDTH) {
      const count = await evaluated();
      if (count > (marks.at(-1)?.count ?? 0)) marks.push({ at: performance.now(), cpu: 1000 * tree.cpu(), count });
      await Promise.race([delay(20), ended]);
    }
    const [first, last] = [marks[0], marks.at(-1)];
    tree.child.kill('SIGINT');
    await ended;
    tree.dispose();
    if (first === undefined || last === undefined || last.count === first.count) throw new Error(`${each.name} ended early.`);
    const done = last.count - first.count;
    const loop = Loop.parse(JSON.parse(await readFile(loopFile, 'utf8')));
    return { bare, cpu: (last.cpu - first.cpu) / done, wall: (last.at - first.at) / done, loop, whole: tree.whole, done };
  } finally {
    for (const place of [folder, runtime]) await rm(place, { recursive: true, force: true });
  }
}

/** The time of an iteration: what a long search takes beyond a short one. */
async function measurePeer(each: Case, checkout: string): Promise<{ cpu: number; wall: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'peagen-peer-'));
  try {
    await writeFile(join(folder, each.file), each.text(0));
    each.prepare(folder);
    const took = async (iterations: number): Promise<{ cpu: number; wall: number }> => {
      const script = join(import.meta.dirname, 'candidate', 'peer.py');
      const tree = startTree(interpreter, [script, checkout, folder, String(iterations), String(WIDTH)], { cwd: folder });
      await new Promise((resolve) => tree.child.once('exit', resolve));
      const cpu = 1000 * tree.cpu();
      tree.dispose();
      const { wall } = z.object({ wall: z.number() }).parse(JSON.parse(await readFile(join(folder, 'peer.json'), 'utf8')));
      await rm(join(folder, 'peer.json'));
      return { cpu, wall };
    };
    const [short, long] = [await took(SHORT_PEER), await took(SHORT_PEER + candidates)];
    return { cpu: (long.cpu - short.cpu) / candidates, wall: (long.wall - short.wall) / candidates };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How many candidates the journal of the run in `folder` holds; reads only what was added since the last time. */
function evaluatedSoFar(folder: string): () => Promise<number> {
  const sign = Buffer.from('"type":"evaluated"');
  const runs = join(folder, '.peagen', 'runs');
  let [count, read, rest] = [0, 0, Buffer.alloc(0)];
  return async () => {
    const [name] = await readdir(runs).catch(() => []);
    const file = name === undefined ? undefined : await open(join(runs, name, 'journal.jsonl')).catch(() => undefined);
    if (file === undefined) return 0;
    await using _ = file;
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(1 << 20), position: read });
    read += bytesRead;
    const text = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
    let at = -1;
    for (let next = text.indexOf(sign); next >= 0; next = text.indexOf(sign, at)) {
      count++;
      at = next + sign.length;
    }
    // A sign may be cut in two.
    rest = text.subarray(Math.max(at, text.length - sign.length + 1, 0));
    return count;
  };
}

const row = (...cells: readonly string[]) => process.stdout.write(`| ${cells.join(' | ')} |\n`);
const ms = (value: number) => value.toFixed(1);

// What building costs is not measured.
builtScript('cli');
row(
  'candidate',
  'candidates',
  'bare CPU ms',
  'CPU ms',
  'bare wall ms',
  'wall ms',
  'a second',
  'event loop p99 / max / longest ms',
);
row('---', '---', '---', '---', '---', '---', '---', '---');
let whole = true;
for (const each of cases.filter(({ name }) => name.includes(wanted))) {
  const model = await startTestLlm();
  const fence = '```';
  model.script(
    ...Array.from({ length: 8 * candidates }, (_, i) => ({
      type: 'answer' as const,
      // In one piece, as that of OpenEvolve answers here.
      pieces: 10_000,
      text: `Change: number ${i + 1}\n\n${fence}${each.fence}\n${each.text(i + 1)}${fence}`,
    })),
  );
  const redis = missingRedis() === undefined ? await RedisServer.start() : undefined;
  try {
    for (const address of redis === undefined ? [undefined] : [undefined, redis.url]) {
      const { bare, cpu, wall, loop, done, ...found } = await measure(each, model.url, address);
      whole &&= found.whole;
      const name = address === undefined ? each.name : `${each.name}, Redis`;
      row(
        name,
        String(done),
        ms(bare.cpu),
        ms(cpu),
        ms(bare.wall),
        ms(wall),
        (1000 / wall).toFixed(1),
        `${loop.p99} / ${loop.max} / ${loop.longest}`,
      );
    }
    if (options.peer === undefined || each.hasPeer !== true) continue;
    const peer = await measurePeer(each, options.peer);
    const name = 'the same under OpenEvolve, no sandbox';
    row(name, String(candidates), '', ms(peer.cpu), '', ms(peer.wall), (1000 / peer.wall).toFixed(1), '');
  } finally {
    await redis?.stop();
    await model.close();
  }
}
process.stdout.write(`\n${WIDTH} cores, load ${(loadavg()[0] ?? 0).toFixed(1)}.\n`);
if (!whole)
  process.stdout.write('Sandboxes that were killed are not in the processor time: that takes root and cgroup version 1.\n');
