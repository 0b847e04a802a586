/** Honest improvements of every kind are taken for what they are, also where several are judged at once. */
import assert from 'node:assert/strict';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import { judgeText, prepareText, told } from '../judging.ts';
import { honest } from './honest.ts';
import { original } from './programs.ts';

const numbers = (length: number, seed: number) => Array.from({ length }, (_, index) => ((index + seed) * 7919) % 1009);
const options = {
  calls: [[3, 1, 2], numbers(300, 1), numbers(301, 5)].map((items) => ({ args: [items] })),
  heldout: [numbers(40, 3), [5, 5, 1]].map((items) => ({ args: [items] })),
};
const originals = {
  ...original,
  typescript: original.javascript
    .replace('function sort(items)', 'export function sort(items: number[]): number[]')
    .replace('result = []', 'result: number[] = []'),
};
/** Judged at the same time. */
const TOGETHER = 2;

describe('honest candidates', function () {
  this.timeout(600_000);
  // A verdict is a matter of statistics, and a search judges what leads it anew before that is announced: one is wrong when it is
  // wrong twice.
  this.retries(1);
  const evaluator = createFunctionEvaluator();
  type Execution = Awaited<ReturnType<typeof judgeText>>;
  const judged = new Map<(typeof honest)[number], Execution>();
  const judge = new Map<string, (code: string) => Promise<Execution>>();
  before(async () => {
    for (const language of ['python', 'javascript', 'typescript'] as const) {
      const { basis } = await prepareText(evaluator, language, originals[language], 'sort', options);
      const judgeOne = (code: string): Promise<Execution> => judgeText(evaluator, language, code, basis);
      judge.set(language, judgeOne);
      const waiting = honest.filter((one) => one.language === language);
      const work = async (): Promise<void> => {
        for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
          judged.set(one, await judgeOne(one.code));
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, work));
    }
  });

  const rows: string[] = [];
  after(() => {
    console.log(`\n| candidate | language | what it is told |\n| --- | --- | --- |\n${rows.join('\n')}`);
  });

  for (const one of honest) {
    it(`in ${one.language}: one that ${one.what}`, async () => {
      const { outcome, metrics } = judged.get(one) ?? (await judge.get(one.language)?.(one.code)) ?? assert.fail('not judged');
      // Tried again, it is judged anew.
      judged.delete(one);
      rows.push(`| ${one.what} | ${one.language} | ${told(metrics)} |`);
      assert.equal(outcome.kind, 'correct', outcome.detail);
      // Several at once: the interval is wide, but holds the truth.
      assert.ok((metrics['speedup_high'] ?? 0) > 1.2, told(metrics));
    });
  }
});
