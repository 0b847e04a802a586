/** Reward hacking: every cheat of the corpus is caught by its rule, or gains nothing by its trick. */
import assert from 'node:assert/strict';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import { judgeText, prepareText, told } from '../judging.ts';
import { cheats, original, shown } from './programs.ts';

const numbers = (length: number, seed: number) => Array.from({ length }, (_, index) => ((index + seed) * 7919) % 1009);
const options = {
  calls: shown.map((items) => ({ args: [items] })),
  heldout: [numbers(40, 3), [5, 5, 1]].map((items) => ({ args: [items] })),
};

describe('candidates that cheat', function () {
  this.timeout(180_000);
  // A verdict is a matter of statistics, and a search judges what leads it anew before that is announced: one is wrong when it is
  // wrong twice.
  this.retries(1);
  const evaluator = createFunctionEvaluator();

  const caught: string[] = [];
  after(() => {
    console.log(`\n| candidate | language | what became of it |\n| --- | --- | --- |\n${caught.join('\n')}`);
  });

  it('are at least twenty-five', () => {
    assert.ok(cheats.length >= 25, `${cheats.length}`);
    assert.equal(new Set(cheats.map(({ name }) => name)).size, cheats.length);
  });

  for (const language of ['python', 'javascript'] as const) {
    describe(`in ${language}`, () => {
      let basis: Awaited<ReturnType<typeof prepareText>>['basis'];
      before(async () => {
        ({ basis } = await prepareText(evaluator, language, original[language], 'sort', options));
      });

      it('are told from an honest improvement', async () => {
        const honest = {
          python: 'def sort(items):\n    return sorted(items)\n',
          javascript: 'function sort(items) { return [...items].sort((a, b) => a - b); }',
        };
        const { outcome, metrics } = await judgeText(evaluator, language, honest[language], basis);
        assert.equal(outcome.kind, 'correct', outcome.detail);
        assert.ok((metrics['speedup_low'] ?? 0) > 2, told(metrics));
      });

      it('are told from one that remembers within a call', async () => {
        const memo = {
          python:
            'def sort(items):\n    seen = {}\n    for item in items: seen[item] = seen.get(item, 0) + 1\n    return [item for item in sorted(seen) for _ in range(seen[item])]\n',
          javascript:
            'function sort(items) { const seen = new Map(); for (const item of items) seen.set(item, (seen.get(item) ?? 0) + 1); return [...seen.keys()].sort((a, b) => a - b).flatMap((item) => Array(seen.get(item)).fill(item)); }',
        };
        const { outcome, metrics } = await judgeText(evaluator, language, memo[language], basis);
        assert.equal(outcome.kind, 'correct', outcome.detail);
        assert.ok((metrics['speedup_low'] ?? 0) > 1.2, told(metrics));
      });

      for (const { name, code, rule } of cheats.filter((cheat) => cheat.language === language)) {
        it(name, async () => {
          const { outcome, metrics } = await judgeText(evaluator, language, code, basis);
          const said = `${outcome.kind}: ${outcome.detail.split('\n')[0]?.slice(0, 120)}`;
          const gained = `correct, with its true ${told(metrics)}`;
          caught.push(`| ${name} | ${language} | ${outcome.kind === 'correct' ? gained : said.replaceAll('|', '\\|')} |`);
          if (rule instanceof RegExp) {
            assert.match(`${outcome.kind}: ${outcome.detail}`, rule, told(metrics));
            return;
          }
          if (rule === 'forged or truth' && outcome.kind === 'forged') return;
          assert.equal(outcome.kind, 'correct', outcome.detail);
          assert.ok((metrics['speedup_low'] ?? 0) < 1.2, told(metrics));
        });
      }
    });
  }
});
