/**
 * Counts what a JavaScript candidate executes, without time: V8's precise block coverage counts how often each block ran;
 * a block weighs as many tokens as stand in it. A second thread watches, so that an endless loop is cut by its count too.
 */
import inspector from 'node:inspector';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';

const token = /[\p{ID_Start}$_][\p{ID_Continue}$]*|\d[\w.]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[-+*/%=<>!&|^?]+|[^\s\w]/gu;

/** Number of tokens before each offset of the text. */
function tokenCounts(text) {
  // Comments cost nothing: blanked, with their length kept.
  const blank = text.replace(/\/\*[\s\S]*?\*\/|(?<![:'"`\\])\/\/[^\n]*/g, (comment) => comment.replace(/[^\n]/g, ' '));
  const counts = new Uint32Array(text.length + 1);
  for (const match of blank.matchAll(token)) counts[match.index + 1] += 1;
  for (let at = 1; at <= text.length; at++) counts[at] += counts[at - 1];
  return counts;
}

/** Sum over all blocks of how often it ran × its own tokens, without those of the blocks inside it. */
function weigh(scripts, weights) {
  let cost = 0;
  for (const script of scripts) {
    const counts = weights.get(script.url);
    if (counts === undefined) continue;
    const tokens = (range) =>
      (counts[Math.min(range.endOffset, counts.length - 1)] ?? 0) - (counts[Math.min(range.startOffset, counts.length - 1)] ?? 0);
    for (const fn of script.functions) {
      // Ranges of a function nest; each follows the one that holds it.
      const open = [];
      for (const range of fn.ranges) {
        while (open.length > 0 && open.at(-1).endOffset <= range.startOffset) open.pop();
        const own = tokens(range);
        cost += own * range.count;
        if (open.length > 0) cost -= own * open.at(-1).count;
        open.push(range);
      }
    }
  }
  return cost;
}

/** Coverage of this isolate (or, from the watcher, of the main one), read and reset at once. */
export function openCoverage(files) {
  const weights = new Map(files.map((file) => [pathToFileURL(join(process.cwd(), file.path)).href, tokenCounts(file.text)]));
  return (answer) => weigh(answer.result, weights);
}

export async function createCounter(order) {
  // Optimised code does not count how often a function is called.
  v8.setFlagsFromString('--no-opt');
  v8.setFlagsFromString('--no-maglev');
  const session = new inspector.Session();
  session.connect();
  const post = (method, params) => {
    let answer;
    session.post(method, params, (error, result) => {
      if (error !== null) throw new Error(error.message);
      answer = result;
    });
    return answer;
  };
  // 0: what the watcher has read of the current call, 1: its limit, 2: 1 while a call runs, 3: 1 while it reads.
  const shared = new Float64Array(new SharedArrayBuffer(32));
  const read = openCoverage(order.files);
  const watcher = new Worker(new URL('./watcher.mjs', import.meta.url), { workerData: { files: order.files, shared } });
  await new Promise((resolve, reject) => watcher.once('message', resolve).once('error', reject));
  watcher.unref();
  post('Profiler.enable');
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  return {
    start: (limit) => {
      post('Profiler.takePreciseCoverage');
      shared[0] = 0;
      shared[1] = limit;
      shared[2] = 1;
    },
    stop: () => {
      shared[2] = 0;
      // What it is reading right now would be lost; a loop, so that V8 can serve it in between.
      while (shared[3] === 1);
      return read(post('Profiler.takePreciseCoverage')) + shared[0];
    },
  };
}
