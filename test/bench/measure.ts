/**
 * How well a measurement repeats: the same pair of programs is measured several times with full effort, and the spread
 * of the ratio is printed, with the true ratio where it is known to be 1. Run: `node test/bench/measure.ts [repeats]`.
 */
import { loadavg } from 'node:os';
import { createFunctionEvaluator } from '../../daemon/handlers/evaluators/function.ts';
import { judgeText, prepareText } from '../integration/judging.ts';

const repeats = Number(process.argv[2] ?? 5);
const slow = `
def sort(items):
    result = []
    for item in items:
        at = 0
        while at < len(result) and result[at] <= item:
            at += 1
        result = result[:at] + [item] + result[at:]
    return result
`;
const candidates = {
  'the same program': slow,
  'a faster one': slow
    .replace('result = result[:at] + [item] + result[at:]', 'result.insert(at, item)')
    .replace('    result = []', '    result = []\n    n = len'),
};
const numbers = Array.from({ length: 300 }, (_, index) => (index * 7919) % 1009);
const evaluator = createFunctionEvaluator();
const { basis } = await prepareText(evaluator, 'python', slow, 'sort', { calls: [{ args: [numbers] }] });

console.log('| candidate | effort | speed-up of each measurement | spread ± % | seconds each |');
console.log('| --- | --- | --- | --- | --- |');
for (const [name, text] of Object.entries(candidates)) {
  for (const effort of ['quick', 'final'] as const) {
    const ratios: number[] = [];
    const start = performance.now();
    for (let round = 0; round < repeats; round++) {
      const { metrics, outcome } = await judgeText(evaluator, 'python', text, basis, { effort });
      if (outcome.kind !== 'correct') throw new Error(outcome.detail);
      ratios.push(metrics['speedup'] ?? Number.NaN);
    }
    const middle = (Math.max(...ratios) + Math.min(...ratios)) / 2;
    const spread = ((Math.max(...ratios) - Math.min(...ratios)) / 2 / middle) * 100;
    const seconds = (performance.now() - start) / 1000 / repeats;
    console.log(
      `| ${name} | ${effort} | ${ratios.map((ratio) => ratio.toFixed(3)).join(' ')} | ${spread.toFixed(2)} | ${seconds.toFixed(1)} |`,
    );
  }
}
console.log(`\nload ${loadavg()[0]?.toFixed(1)} at the end`);
