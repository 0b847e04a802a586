/**
 * How often the rules against forged measurements are right: `node test/bench/forgery.ts [--repeats 3] [--docker] [--only honest|cheats]`
 * judges the honest corpus and the cheats that only measuring can catch, and prints a row for each rule with 95 % intervals.
 * Nothing here gates anything.
 */
import { parseArgs } from 'node:util';
import { createDockerTier } from '../../daemon/executors/docker/docker.ts';
import { defaultLimits } from '../../daemon/executors/sandbox.ts';
import type { EvaluatorContext } from '../../daemon/judging/evaluator.ts';
import { createFunctionEvaluator } from '../../daemon/judging/function/function.ts';
import { type Cheat, cheats, isExact, judgedBy, original } from '../forgery/cheats.ts';
import { honest } from '../forgery/honest.ts';
import { judgeText, prepareText } from '../integration/judging/judging.ts';

/** A candidate that hides nothing of its work is reported with at most this speed-up. */
const NO_GAIN = 1.2;

const originals = {
  ...original,
  typescript: original.javascript
    .replace('function sort(items)', 'export function sort(items: number[]): number[]')
    .replace('result = []', 'result: number[] = []'),
};

interface Rate {
  wrong: number;
  of: number;
}

/** Wilson's interval for a proportion at 95 %: E. B. Wilson, "Probable inference", 1927. */
export function interval({ wrong, of }: Rate): [low: number, high: number] {
  if (of === 0) return [0, 1];
  const z = 1.96;
  const share = wrong / of;
  const middle = (share + (z * z) / (2 * of)) / (1 + (z * z) / of);
  const half = (z / (1 + (z * z) / of)) * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
}

/** The sentence that an accusation begins with, numbers left out, so that accusations by one rule are counted together. */
const ruleOf = (detail: string): string => (detail.split('\n')[0] ?? '').replaceAll(/[\d.,]+/g, 'N').slice(0, 70);

function escaped({ rule }: Cheat, kind: string, detail: string, low: number): boolean {
  if (rule instanceof RegExp) return !rule.test(`${kind}: ${detail}`);
  return kind === 'correct' && low >= NO_GAIN;
}

function row(name: string, rate: Rate): string {
  const [low, high] = interval(rate).map((share) => (share * 100).toFixed(1));
  return `| ${name.replaceAll('|', '\\|')} | ${rate.wrong} of ${rate.of} | ${low} to ${high} % |`;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { repeats: { type: 'string', default: '3' }, docker: { type: 'boolean', default: false }, only: { type: 'string' } },
  });
  const repeats = Number(values.repeats);
  const more: Partial<EvaluatorContext> = values.docker
    ? { sandboxes: { tier: createDockerTier(), warning: undefined, limits: defaultLimits } }
    : {};
  const evaluator = createFunctionEvaluator();
  const accusing = new Map<string, Rate>();
  const accused: Rate = { wrong: 0, of: 0 };
  const missed = new Map<string, Rate>();
  for (const language of ['python', 'javascript', 'typescript'] as const) {
    const { basis } = await prepareText(evaluator, language, originals[language], 'sort', judgedBy, more);
    for (let repeat = 0; repeat < repeats; repeat++) {
      for (const { code } of honest.filter((one) => one.language === language && values.only !== 'cheats')) {
        const { outcome } = await judgeText(evaluator, language, code, basis, more);
        accused.of++;
        if (outcome.kind === 'correct') continue;
        accused.wrong++;
        const rule = `${outcome.kind}: ${ruleOf(outcome.detail)}`;
        accusing.set(rule, { wrong: (accusing.get(rule)?.wrong ?? 0) + 1, of: 0 });
      }
      for (const cheat of cheats.filter((one) => one.language === language && !isExact(one) && values.only !== 'honest')) {
        const { outcome, metrics } = await judgeText(evaluator, language, cheat.code, basis, more);
        const rate = missed.get(cheat.name) ?? { wrong: 0, of: 0 };
        rate.of++;
        if (escaped(cheat, outcome.kind, outcome.detail, metrics['speedup_low'] ?? 0)) rate.wrong++;
        missed.set(cheat.name, rate);
      }
    }
  }
  console.log('\n| honest candidates accused | how many | 95 % interval |\n| --- | --- | --- |');
  console.log(row('in all', accused));
  for (const [rule, { wrong }] of accusing) console.log(row(rule, { wrong, of: accused.of }));
  console.log('\n| cheats that gain by their trick | how many | 95 % interval |\n| --- | --- | --- |');
  const all = [...missed.values()];
  const total = (key: keyof Rate): number => all.reduce((sum, rate) => sum + rate[key], 0);
  console.log(row('in all', { wrong: total('wrong'), of: total('of') }));
  for (const [name, rate] of missed) console.log(row(name, rate));
}
