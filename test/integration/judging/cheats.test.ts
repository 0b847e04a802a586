/**
 * Reward hacking: every cheat of the corpus that can be refused without measuring is refused by its rule. The rules that
 * measure are in `npm run bench -- forgery`, which prints how often they are right.
 */
import assert from 'node:assert/strict';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import { cheats, isExact, judgedBy, original } from '../../forgery/cheats.ts';
import { honest } from '../../forgery/honest.ts';
import { judgeText, prepareText } from './judging.ts';

/** Behaviour is compared alike whatever the speed is measured by, and counting takes no time to settle. */
const counted = { deterministic: true };

describe('candidates that cheat', () => {
  const evaluator = createFunctionEvaluator();

  it('are at least twenty-five', () => {
    assert.ok(cheats.length >= 25, `${cheats.length}`);
    assert.equal(new Set(cheats.map(({ name }) => name)).size, cheats.length);
  });

  for (const language of ['python', 'javascript'] as const) {
    describe(`in ${language}`, () => {
      let basis: Awaited<ReturnType<typeof prepareText>>['basis'];
      before(async () => {
        ({ basis } = await prepareText(evaluator, language, original[language], 'sort', judgedBy, counted));
      });

      for (const { what, code } of honest.filter((one) => one.language === language))
        it(`are distinguished from an honest one that ${what}`, async () => {
          const { outcome } = await judgeText(evaluator, language, code, basis, counted);
          assert.equal(outcome.kind, 'correct', outcome.detail);
        });

      for (const { name, code, rule } of cheats.filter((cheat) => cheat.language === language && isExact(cheat)))
        it(`are caught: one that ${name}`, async () => {
          const { outcome } = await judgeText(evaluator, language, code, basis, counted);
          assert.match(`${outcome.kind}: ${outcome.detail}`, rule instanceof RegExp ? rule : /never/);
        });
    });
  }
});
