import assert from 'node:assert/strict';
import { EvaluateHandler } from '../../../daemon/handlers/evaluate.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { OutcomeKind } from '../../../shared/judging.ts';
import { EvaluateData, type EvaluatePayload } from '../../../shared/payloads.ts';

function payloadOf(
  kind: OutcomeKind,
  metrics: Record<string, number>,
  more: Partial<EvaluatePayload['scoring']> = {},
): EvaluatePayload {
  return {
    execution: { outcome: { kind, detail: 'as it was' }, metrics, artifacts: { stderr: 'text' } },
    program: { language: 'python', files: [{ path: 'a.py', text: 'x = 1\n' }], spans: [{ path: 'a.py', start: 0, end: 6 }] },
    scoring: {
      axes: [
        { name: 'speed', bin: 5, unit: 'ms' },
        { name: 'accuracy', bin: 0.1, unit: '' },
      ],
      metric: 'speedup',
      generation: 3,
      ...more,
    },
  };
}

async function handle(payload: unknown) {
  const registry = builtinRegistry();
  registry.register('feature', 'double', async () => () => ({
    name: 'double',
    unit: '',
    value: ({ metrics }) => (metrics['speedup'] ?? 0) * 2,
  }));
  const context = {
    workerId: 'w',
    signal: new AbortController().signal,
    log: createLog({ level: 'silent' }),
    config: Config.parse({}),
    registry,
  };
  const created_at = new Date().toISOString();
  const task = { kind: 'evaluate' as const, id: newTaskId(), payload, requires: ['cpu'], attempts: 0, created_at, schema_v: 1 };
  const handled = await new EvaluateHandler().handle(task, context);
  assert.ok(handled.status === 'ok');
  return EvaluateData.parse(handled.data);
}

describe('evaluate handler', () => {
  it('makes fitness of the metric and features of the axes, and keeps the execution', async () => {
    const data = await handle(payloadOf('correct', { speedup: 1.5, speed_ms: 7, accuracy: 0.75 }));
    assert.deepEqual(data, {
      outcome: { kind: 'correct', detail: 'as it was' },
      metrics: { speedup: 1.5, speed_ms: 7, accuracy: 0.75 },
      artifacts: { stderr: 'text' },
      fitness: 1.5,
      features: [7, 0.75],
    });
  });

  it('gives neither to what is not correct, however good its numbers', async () => {
    for (const kind of ['wrong', 'crashed', 'timeout', 'memory', 'invalid', 'forged'] as const) {
      const data = await handle(payloadOf(kind, { speedup: 1000, speed_ms: 0.001, accuracy: 1 }));
      assert.deepEqual([data.fitness, data.features, data.outcome.kind], [null, [], kind]);
    }
  });

  it('takes a candidate that is correct but slow', async () => {
    assert.equal((await handle(payloadOf('slow', { speedup: 0.4, speed_ms: 20, accuracy: 0 }))).fitness, 0.4);
  });

  it('uses features of plugins', async () => {
    const axes = [{ name: 'double', bin: 1, unit: '' }];
    assert.deepEqual((await handle(payloadOf('correct', { speedup: 2 }, { axes }))).features, [4]);
  });

  it('counts a number that only this candidate lacks as a crash of the candidate', async () => {
    const noFitness = await handle(payloadOf('correct', { accuracy: 1 }));
    assert.deepEqual([noFitness.fitness, noFitness.outcome.kind], [null, 'crashed']);
    assert.match(noFitness.outcome.detail, /"speedup"/);
    const noFeature = await handle(payloadOf('correct', { speedup: 1 }));
    assert.deepEqual([noFeature.fitness, noFeature.outcome.kind], [null, 'crashed']);
    assert.match(noFeature.outcome.detail, /"accuracy"/);
  });

  it('names what the original lacks as a fault of the configuration', async () => {
    for (const payload of [
      payloadOf('correct', { accuracy: 1 }, { generation: 0 }),
      payloadOf('correct', { speedup: 1 }, { generation: 0 }),
    ]) {
      await assert.rejects(handle(payload), (error) => error instanceof PeagenError && error.code === 'invalid_input');
    }
  });

  it('refuses a malformed payload, also numbers that are none', async () => {
    for (const payload of [null, {}, payloadOf('correct', { speedup: Number.NaN, accuracy: 1 })]) {
      await assert.rejects(handle(payload), (error) => error instanceof PeagenError && error.code === 'invalid_input');
    }
  });
});
