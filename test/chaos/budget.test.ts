import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { Budget } from '../../daemon/llm/cost/budget.ts';
import { MAX_PAID } from '../../daemon/llm/cost/limits.ts';
import { requestTokens } from '../../daemon/llm/cost/tokens.ts';
import { openEnsemble } from '../../daemon/llm/ensemble.ts';
import { BackendFailure } from '../../daemon/llm/failure.ts';
import { provideTraffic } from '../../daemon/llm/traffic.ts';
import { builtinRegistry } from '../../daemon/plugins/builtin.ts';
import { createRandom } from '../../daemon/random.ts';
import { createLog } from '../../daemon/telemetry/log.ts';
import type { TokenUse } from '../../shared/asking.ts';
import { question } from '../conformance/backend.ts';
import { llmConfig } from '../llm/config.ts';
import { startTestLlm } from '../llm/server.ts';
import type { Step } from '../llm/steps.ts';

const sum = ({ prompt, completion }: TokenUse) => prompt + completion;

const WORKERS = 50;
const QUESTIONS = 400;

describe('a budget under 50 workers that crash, over a model that fails', () => {
  it('is never passed by what the provider charges, and accounts for all of it', async () => {
    const random = createRandom('chaos', 7);
    const llm = await startTestLlm({ plainText: 'four words of answer' });
    const steps: (() => Step)[] = [
      () => ({ type: 'answer', text: 'word '.repeat(random.int(400)) }),
      () => ({ type: 'answer', text: 'word '.repeat(random.int(60)), pieceMs: 1, usage: 'none' }),
      () => ({ type: 'cut', text: 'cut in the middle', after: random.int(17) }),
      () => ({ type: 'cut', after: -1 }),
      () => ({ type: 'status', status: random.pick([429, 500, 503]), retryAfter: '0' }),
      () => ({ type: 'refusal' }),
      () => ({ type: 'malformed' }),
      () => ({ type: 'silent' }),
    ];
    llm.script(...Array.from({ length: QUESTIONS }, () => random.pick(steps)()));
    const config = llmConfig([{ base_url: llm.url, first_token_ms: 300, timeout_ms: 2000 }]);
    // A circuit breaker would keep all of them waiting for up to half a minute, and questions from the provider.
    const nothing = async () => undefined;
    provideTraffic(
      { enter: async () => 0, take: async () => 0, leave: nothing, settle: nothing, close: () => undefined },
      config,
    );
    const ensemble = await openEnsemble(config, {
      registry: builtinRegistry(),
      log: createLog({ level: 'silent' }),
      env: {},
    });
    const worst = MAX_PAID * ((await requestTokens(question)) + question.maxTokens);
    const limit = worst * 60;
    const budget = new Budget(limit);
    let next = 0;
    let refused = 0;
    let crashed = 0;

    /** One attempt at a question, by a worker that may die at any moment. */
    async function attempt(id: string): Promise<'done' | 'crashed' | 'refused'> {
      if (!budget.reserve(id, worst)) return 'refused';
      const life = new AbortController();
      const dies = random.next() < 0.15;
      const dying = dies ? setTimeout(() => life.abort(), random.int(60)) : undefined;
      try {
        budget.settle(id, sum((await ensemble.ask(question, { signal: life.signal })).tokens));
      } catch (caught) {
        if (life.signal.aborted) {
          // The dead give no account, even of what they knew.
          budget.forfeit(id);
          return 'crashed';
        }
        assert.ok(caught instanceof BackendFailure);
        budget.settle(id, sum(caught.tokens));
      } finally {
        clearTimeout(dying);
      }
      return 'done';
    }

    async function worker(): Promise<void> {
      while (next < QUESTIONS && refused < WORKERS) {
        const id = `task-${next++}`;
        for (let attempts = 0; attempts < 3; attempts++) {
          const outcome = await attempt(id);
          assert.ok(budget.spent + budget.reserved <= limit, `${budget.spent} + ${budget.reserved} > ${limit}`);
          assert.ok(llm.charged <= limit);
          if (outcome === 'refused') refused++;
          if (outcome === 'crashed') crashed++;
          if (outcome !== 'crashed') break;
        }
      }
    }

    await Promise.all(Array.from({ length: WORKERS }, worker));
    while (llm.active > 0) await turn();
    assert.equal(budget.reserved, 0);
    assert.ok(llm.charged <= budget.spent, `charged ${llm.charged}, accounted ${budget.spent}`);
    assert.ok(refused > 0 && crashed > 0 && llm.charged > 0, JSON.stringify({ refused, crashed, charged: llm.charged }));
    ensemble.close();
    await llm.close();
  });
});
