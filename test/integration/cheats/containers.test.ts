/**
 * Cheats on the clock in containers: the same rules catch them there, by the same account of the kernel. A handful of the
 * corpus; all of it with CHEATS=all.
 */
import assert from 'node:assert/strict';
import { createDockerTier } from '../../../daemon/executors/docker.ts';
import { defaultLimits } from '../../../daemon/executors/sandbox.ts';
import type { EvaluatorContext } from '../../../daemon/judging/evaluator.ts';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import { type Engine, requireEngine } from '../../conformance/launcher-engine.ts';
import { judgeText, prepareText } from '../judging.ts';
import { honest } from './honest.ts';
import { type Cheat, cheats, original } from './programs.ts';

const numbers = (length: number, seed: number) => Array.from({ length }, (_, index) => ((index + seed) * 7919) % 1009);
const options = {
  calls: [[3, 1, 2], numbers(300, 1), numbers(301, 5), numbers(302, 9)].map((items) => ({ args: [items] })),
  heldout: [numbers(40, 3), [5, 5, 1]].map((items) => ({ args: [items] })),
};
const usual = [
  'says that it waited for a processor all the time',
  'walks up the frames and replaces the writer of outputs',
  'fills its answer as soon as nobody looks',
];
const chosen = cheats.filter(({ name }) => process.env['CHEATS'] === 'all' || usual.includes(name));

describe('candidates that cheat in a container', function () {
  this.timeout(process.env['CHEATS'] === 'all' ? 3_600_000 : 240_000);
  // A verdict is a matter of statistics, and a search judges what leads it anew before that is announced: one is wrong when it is
  // wrong twice.
  this.retries(1);
  const evaluator = createFunctionEvaluator();
  let engine: Engine;
  let more: Partial<EvaluatorContext>;
  before(async function () {
    engine = await requireEngine(this);
    more = { sandboxes: { tier: createDockerTier(engine.docker), warning: undefined, limits: defaultLimits } };
  });
  after(async () => await engine?.stop());

  for (const language of ['python', 'javascript'] as const) {
    describe(`in ${language}`, () => {
      let basis: Awaited<ReturnType<typeof prepareText>>['basis'];
      before(async () => {
        ({ basis } = await prepareText(evaluator, language, original[language], 'sort', options, more));
      });

      it('are told from an honest one', async () => {
        const { code } = honest.find((one) => one.language === language) ?? assert.fail('there is none');
        const { outcome, metrics } = await judgeText(evaluator, language, code, basis, more);
        assert.equal(outcome.kind, 'correct', outcome.detail);
        assert.ok((metrics['speedup'] ?? 0) > 1.2, JSON.stringify(metrics));
      });

      for (const { name, code, rule } of chosen.filter((cheat) => cheat.language === language)) {
        it(`are caught: one that ${name}`, async () => {
          const { outcome, metrics } = await judgeText(evaluator, language, code, basis, more);
          became(rule, `${outcome.kind}: ${outcome.detail}`, metrics['speedup_low'] ?? 0);
        });
      }
    });
  }
});

function became(rule: Cheat['rule'], what: string, speedupLow: number): void {
  if (rule instanceof RegExp) {
    assert.match(what, rule, `a speed-up of at least ${speedupLow}`);
    return;
  }
  if (rule === 'forged or truth' && what.startsWith('forged')) return;
  assert.match(what, /^correct/);
  assert.ok(speedupLow < 1.2, `a speed-up of at least ${speedupLow}`);
}
