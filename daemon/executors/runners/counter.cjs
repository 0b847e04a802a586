/**
 * Counts what a JavaScript candidate executes, without time: V8's precise block coverage counts how often each block ran;
 * a block weighs as many tokens as stand in it. Reading the coverage is slow and a second thread slower still, so that both
 * are only done where they are asked for.
 */
'use strict';

const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const v8 = require('node:v8');
const { openInspector } = require('./common.cjs');

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
function openCoverage(files) {
  const weights = new Map(files.map((file) => [pathToFileURL(join(process.cwd(), file.path)).href, tokenCounts(file.text)]));
  return (answer) => weigh(answer.result, weights);
}

/** Places in the memory that is shared with the watcher: what each of the two has read, the limit, whether a call runs, whether the watcher reads. */
const [MAIN, WATCHER, LIMIT, RUNS, READS] = [0, 1, 2, 3, 4];

/**
 * `order.limit`: operations that all calls together may take. With `order.watched` a second thread ends a call in which they
 * are passed; else one that does not end runs on.
 */
async function openCounter(order) {
  // Optimised code does not count how often a function is called.
  v8.setFlagsFromString('--no-opt');
  v8.setFlagsFromString('--no-maglev');
  const { ask } = openInspector();
  const shared = new Float64Array(new SharedArrayBuffer(5 * 8));
  shared[LIMIT] = order.limit;
  const read = openCoverage(order.files);
  if (order.watched === true) {
    const { Worker } = require('node:worker_threads');
    const watcher = new Worker(require.resolve('./watcher.cjs'), { workerData: { files: order.files, shared } });
    await new Promise((resolve, reject) => watcher.once('message', resolve).once('error', reject));
    watcher.unref();
  }
  ask('Profiler.enable');
  ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const spent = () => {
    shared[MAIN] += read(ask('Profiler.takePreciseCoverage'));
    return shared[MAIN] + shared[WATCHER];
  };
  let before = 0;
  let isRead = false;
  return {
    limit: order.limit,
    /** What ran until now belongs to no call. */
    loaded: () => {
      spent();
      shared[MAIN] = 0;
      isRead = true;
    },
    /** `alone`: what is counted until `stop` is wanted by itself. */
    start: (alone) => {
      if (alone && !isRead) before = spent();
      shared[RUNS] = 1;
    },
    stop: (alone) => {
      shared[RUNS] = 0;
      // What it is reading right now would be lost; a loop, so that V8 can serve it in between.
      while (shared[READS] === 1);
      isRead = alone;
      if (!alone) return undefined;
      const earlier = before;
      before = spent();
      return { cost: before - earlier, spent: before };
    },
    /** Operations of all calls so far. */
    spent,
  };
}

module.exports = { LIMIT, MAIN, READS, RUNS, WATCHER, openCounter, openCoverage };
