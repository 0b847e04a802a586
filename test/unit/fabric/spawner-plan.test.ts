/** How many workers to launch: claims that hold for every state. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { backOffMs, type ClassState, planSpawns, type SpawnLimits } from '../../../daemon/fabric/spawner/spawn-plan.ts';

const small = fc.integer({ min: 0, max: 12 });
const NOW = 1000;

const classState: fc.Arbitrary<ClassState> = fc
  .record({
    pending: small,
    starting: small,
    idle: small,
    busy: small,
    ending: small,
    parallel: fc.integer({ min: 1, max: 12 }),
    probing: fc.boolean(),
  })
  .chain((state) => fc.constantFrom(0, NOW - 1, NOW + 1).map((backOffUntil) => ({ ...state, backOffUntil })));
const classes = fc.array(classState, { minLength: 1, maxLength: 4 });
const limits: fc.Arbitrary<SpawnLimits> = fc.record({
  warmPool: fc.integer({ min: 0, max: 4 }),
  maxParallel: fc.integer({ min: 1, max: 30 }),
});

const calm: ClassState = { pending: 0, starting: 0, idle: 0, busy: 0, ending: 0, parallel: 4, backOffUntil: 0, probing: false };
const roomy: SpawnLimits = { warmPool: 2, maxParallel: 50 };
const liveOf = (state: ClassState) => state.starting + state.idle + state.busy + state.ending;
const sum = (numbers: readonly number[]) => numbers.reduce((total, n) => total + n, 0);
const holds = (claim: (states: ClassState[], limit: SpawnLimits) => void) => fc.assert(fc.property(classes, limits, claim));

describe('the plan of the spawner', () => {
  it('never lets more workers live than max_parallel', () => {
    holds((states, limit) => {
      const live = sum(states.map(liveOf));
      const launched = sum(planSpawns(states, limit, NOW).map((step) => step.launch));
      assert.ok(launched <= Math.max(0, limit.maxParallel - live));
    });
  });

  it('launches nothing for a class without demand', () => {
    holds((states, limit) => {
      for (const [i, step] of planSpawns(states, limit, NOW).entries()) {
        if (states[i]?.pending === 0 && states[i]?.busy === 0) assert.equal(step.launch, 0);
      }
    });
  });

  it('launches nothing for a class that backs off', () => {
    holds((states, limit) => {
      for (const [i, step] of planSpawns(states, limit, NOW).entries()) {
        if ((states[i]?.backOffUntil ?? 0) > NOW) assert.equal(step.launch, 0);
      }
    });
  });

  it('launches one worker at a time for a class whose last launches failed', () => {
    holds((states, limit) => {
      for (const [i, step] of planSpawns(states, limit, NOW).entries()) {
        const state = states[i];
        if (state?.probing === true && step.launch > 0) assert.ok(step.launch === 1 && state.starting === 0);
      }
    });
  });

  it('never has more ready than the tasks that may run, and the warm pool', () => {
    holds((states, limit) => {
      for (const [i, step] of planSpawns(states, limit, NOW).entries()) {
        const { pending, parallel, busy, starting, idle } = states[i] ?? calm;
        if (step.launch === 0) continue;
        assert.ok(starting + idle + step.launch <= Math.max(0, Math.min(pending, parallel - busy)) + limit.warmPool);
      }
    });
  });

  it('gets one ready for each task that may run, as far as there is room', () => {
    holds((states, limit) => {
      const steps = planSpawns(states, limit, NOW);
      const room = limit.maxParallel - sum(states.map(liveOf)) - sum(steps.map((step) => step.launch));
      if (room <= 0) return;
      for (const [i, { launch }] of steps.entries()) {
        const { pending, parallel, busy, starting, idle, backOffUntil } = states[i] ?? calm;
        if (backOffUntil > NOW || states[i]?.probing === true) continue;
        assert.ok(starting + idle + launch >= Math.min(pending, parallel - busy));
      }
    });
  });

  it('asks for nothing more once its steps are taken', () => {
    holds((states, limit) => {
      const steps = planSpawns(states, limit, NOW);
      const after = states.map((state, i) => ({ ...state, starting: state.starting + (steps[i]?.launch ?? 0) }));
      assert.ok(planSpawns(after, limit, NOW).every((step) => step.launch === 0));
    });
  });

  it('retires no more than are idle, and only when another class lacks a place', () => {
    holds((states, limit) => {
      const steps = planSpawns(states, limit, NOW);
      for (const [i, step] of steps.entries()) assert.ok(step.retire <= (states[i]?.idle ?? 0));
      const lacking = states.some(
        (state, i) =>
          state.starting + state.idle + (steps[i]?.launch ?? 0) < Math.min(state.pending, state.parallel - state.busy),
      );
      if (!lacking) assert.equal(sum(steps.map((step) => step.retire)), 0);
    });
  });

  it('gives each class with waiting tasks a place before any class gets warm workers', () => {
    const waiting = { ...calm, pending: 1 };
    assert.deepEqual(
      planSpawns([waiting, waiting], { warmPool: 2, maxParallel: 2 }, NOW).map((step) => step.launch),
      [1, 1],
    );
  });

  it('ends an idle worker of one class for a task of another when all places are taken', () => {
    const steps = planSpawns(
      [
        { ...calm, idle: 2 },
        { ...calm, pending: 1 },
      ],
      { warmPool: 2, maxParallel: 2 },
      NOW,
    );
    assert.deepEqual(steps, [
      { launch: 0, retire: 1 },
      { launch: 0, retire: 0 },
    ]);
  });

  it('keeps the warm pool ahead while tasks run', () => {
    assert.equal(planSpawns([{ ...calm, busy: 1 }], roomy, NOW)[0]?.launch, 2);
  });

  it('backs off twice as long each time, up to half a minute', () => {
    assert.deepEqual([0, 1, 2, 3, 20].map(backOffMs), [0, 500, 1000, 2000, 30_000]);
  });
});
