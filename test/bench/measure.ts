/**
 * How well a measurement repeats: the same pair of programs is measured several times, and the spread of the ratio is
 * printed, with the true ratio where it is known to be 1, and how often the interval of a measurement holds the middle of
 * all. Run: `node test/bench/measure.ts [--repeats 5] [--load 8] [--effort final] [--language javascript]`; `--load`
 * keeps that many busy loops running next to it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { createFunctionEvaluator } from '../../daemon/judging/function/function.ts';
import { original } from '../forgery/cheats.ts';
import { judgeText, prepareText } from '../integration/judging/judging.ts';

const { values: given } = parseArgs({
  options: {
    repeats: { type: 'string', default: '5' },
    load: { type: 'string', default: '0' },
    effort: { type: 'string', multiple: true, default: ['quick', 'final'] },
    language: { type: 'string', multiple: true, default: ['python', 'javascript'] },
  },
});
const repeats = Number(given.repeats);

const better = {
  python: original.python.replace('result = result[:at] + [item] + result[at:]', 'result.insert(at, item)'),
  javascript: original.javascript.replace(
    'result = [...result.slice(0, at), item, ...result.slice(at)]',
    'result.splice(at, 0, item)',
  ),
} as const;
const numbers = Array.from({ length: 300 }, (_, index) => (index * 7919) % 1009);
const evaluator = createFunctionEvaluator();

/** Busy loops of two kinds: one that only counts, and one that walks through memory and so takes the caches too. */
function startLoad(count: number): ChildProcess[] {
  const loops = ['for (;;);', 'const a = new Float64Array(1 << 22); for (let i = 0; ; i = (i + 8191) & 0x3fffff) a[i] += 1;'];
  return Array.from({ length: count }, (_, index) =>
    spawn(process.execPath, ['-e', loops[index % loops.length] ?? ''], { stdio: 'ignore' }),
  );
}

async function measure(language: 'python' | 'javascript', effort: 'quick' | 'final'): Promise<void> {
  const { basis } = await prepareText(evaluator, language, original[language], 'sort', { calls: [{ args: [numbers] }] });
  for (const [name, text] of [
    ['the same program', original[language]],
    ['a faster one', better[language]],
  ] as const) {
    const answers: { ratio: number; low: number; high: number }[] = [];
    const start = performance.now();
    for (let round = 0; round < repeats; round++) {
      const { metrics, outcome } = await judgeText(evaluator, language, text, basis, { effort });
      if (outcome.kind !== 'correct') throw new Error(outcome.detail);
      const [ratio = 0, low = 0, high = 0] = ['speedup', 'speedup_low', 'speedup_high'].map((key) => metrics[key]);
      answers.push({ ratio, low, high });
    }
    const ratios = answers.map(({ ratio }) => ratio);
    const middle = name === 'the same program' ? 1 : (Math.max(...ratios) + Math.min(...ratios)) / 2;
    const worst = Math.max(...ratios.map((ratio) => Math.abs(ratio / middle - 1))) * 100;
    const held = answers.filter(({ low, high }) => low <= middle && middle <= high).length;
    const width = answers.reduce((sum, { ratio, low, high }) => sum + (high - low) / 2 / ratio, 0) / repeats;
    const seconds = (performance.now() - start) / 1000 / repeats;
    console.log(
      `| ${language} | ${name} | ${effort} | ${ratios.map((ratio) => ratio.toFixed(3)).join(' ')} | ${worst.toFixed(2)} | ±${(width * 100).toFixed(2)}, ${held}/${repeats} | ${seconds.toFixed(1)} |`,
    );
  }
}

const load = startLoad(Number(given.load));
process.once('exit', () => {
  for (const loop of load) loop.kill('SIGKILL');
});
console.log(`${cpus().length} processors, ${load.length} busy loops\n`);
console.log(
  '| language | candidate | effort | speed-up of each measurement | off by at most % | interval, holds the truth | seconds each |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const language of ['python', 'javascript'] as const) {
  if (!given.language.includes(language)) continue;
  for (const effort of ['quick', 'final'] as const) if (given.effort.includes(effort)) await measure(language, effort);
}
process.exit(0);
