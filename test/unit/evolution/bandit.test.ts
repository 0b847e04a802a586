import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Bandit, type Trial } from '../../../daemon/evolution/bandit.ts';
import { createRandom, type Random } from '../../../daemon/random.ts';
import { PeagenError } from '../../../shared/errors.ts';

interface World {
  /** Chance of a gain, its size, and what a trial costs. */
  readonly [arm: string]: { rate: number; gain: number; tokens: number; seconds: number };
}

function trialIn(world: World, arm: string, random: Random): Trial {
  const { rate, gain, tokens, seconds } = world[arm] ?? { rate: 0, gain: 0, tokens: 0, seconds: 0 };
  const noise = () => 0.5 + random.next();
  return { gain: random.next() < rate ? gain * noise() : 0, tokens: tokens * noise(), seconds: seconds * noise() };
}

/** Share of the work that each arm gets over the last half of the rounds, averaged over ten seeds. */
function shares(arms: string[], rounds: number, worldAt: (round: number) => World): Record<string, number> {
  const counts: Record<string, number> = Object.fromEntries(arms.map((arm) => [arm, 0]));
  const seeds = 10;
  for (let seed = 0; seed < seeds; seed++) {
    const bandit = new Bandit(arms);
    const [choices, world] = [createRandom('choices', seed), createRandom('world', seed)];
    for (let round = 0; round < rounds; round++) {
      const arm = bandit.choose(choices);
      bandit.record(arm, trialIn(worldAt(round), arm, world));
      if (round >= rounds / 2) counts[arm] = (counts[arm] ?? Number.NaN) + 2 / rounds / seeds;
    }
  }
  return counts;
}

const arms = ['patch@small', 'patch@large', 'rewrite@large'];
const same = { rate: 0.2, gain: 0.1, tokens: 3000, seconds: 5 };

describe('bandit', () => {
  it('divides work evenly among equal arms', () => {
    const even = shares(arms, 600, () => ({ [arms[0] ?? '']: same, [arms[1] ?? '']: same, [arms[2] ?? '']: same }));
    for (const share of Object.values(even)) assert.ok(share > 0.15 && share < 0.55, JSON.stringify(even));
  });

  it('gives most of it to the arm that gains more often, or more at a time, at the same cost', () => {
    const often = shares(arms, 600, () => ({
      'patch@small': same,
      'patch@large': { ...same, rate: 0.5 },
      'rewrite@large': same,
    }));
    assert.ok((often['patch@large'] ?? 0) > 0.7, JSON.stringify(often));
    const more = shares(arms, 600, () => ({ 'patch@small': same, 'patch@large': { ...same, gain: 0.4 }, 'rewrite@large': same }));
    assert.ok((more['patch@large'] ?? 0) > 0.7, JSON.stringify(more));
  });

  it('prefers the cheaper of two that gain the same, in tokens as in seconds', () => {
    for (const cheap of [
      { ...same, tokens: 300 },
      { ...same, seconds: 0.5 },
    ]) {
      const found = shares(arms, 600, () => ({ 'patch@small': cheap, 'patch@large': same, 'rewrite@large': same }));
      assert.ok((found['patch@small'] ?? 0) > 0.5, JSON.stringify(found));
    }
  });

  it('pays for a costly arm that is worth it, and not for a free one that gains nothing', () => {
    const found = shares(['structural', 'patch@large'], 600, () => ({
      structural: { rate: 0, gain: 0, tokens: 0, seconds: 1 },
      'patch@large': { rate: 0.3, gain: 0.2, tokens: 4000, seconds: 10 },
    }));
    assert.ok((found['patch@large'] ?? 0) > 0.6, JSON.stringify(found));
  });

  it('never gives up on an arm for good', () => {
    const found = shares(arms, 2000, () => ({
      'patch@small': same,
      'patch@large': { ...same, rate: 0.4 },
      'rewrite@large': { ...same, rate: 0.01 },
    }));
    assert.ok((found['rewrite@large'] ?? 0) > 0.003, JSON.stringify(found));
  });

  it('goes over to another arm when the first is exhausted', () => {
    const worldAt = (round: number): World => ({
      'patch@small': { ...same, rate: round < 300 ? 0.5 : 0 },
      'patch@large': { ...same, rate: 0.15 },
      'rewrite@large': { ...same, rate: 0.02 },
    });
    const found = shares(arms, 1400, worldAt);
    assert.ok((found['patch@large'] ?? 0) > 0.6, JSON.stringify(found));
    assert.ok((found['patch@small'] ?? 0) < 0.2, JSON.stringify(found));
  });

  it('chooses the same whatever the unit of fitness, tokens and seconds', () => {
    const play = (scale: number) => {
      const bandit = new Bandit(arms);
      const [choices, world] = [createRandom('unit'), createRandom('unit world')];
      return Array.from({ length: 200 }, () => {
        const arm = bandit.choose(choices);
        const { gain, tokens, seconds } = trialIn({ 'patch@small': same, 'patch@large': same }, arm, world);
        bandit.record(arm, { gain: gain * scale, tokens: tokens * scale, seconds: seconds * scale });
        return arm;
      });
    };
    assert.deepEqual(play(1), play(1024));
  });

  it('repeats itself after the same trials, choices in between or not', () => {
    const anyTrials = fc.array(
      fc.record({
        arm: fc.constantFrom(...arms),
        gain: fc.double({ min: 0, max: 5, noNaN: true }),
        tokens: fc.nat(9000),
        seconds: fc.nat(60),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(anyTrials, (trials) => {
        const [one, other] = [new Bandit(arms), new Bandit(arms)];
        for (const { arm, ...trial } of trials) {
          one.choose(createRandom('between'));
          one.record(arm, trial);
          other.record(arm, trial);
        }
        for (let i = 0; i < 10; i++) assert.equal(one.choose(createRandom(i)), other.choose(createRandom(i)));
        assert.deepEqual(one.report(), other.report());
        assert.equal(
          one.report().reduce((sum, { trials: count }) => sum + count, 0),
          trials.length,
        );
      }),
    );
  });

  it('refuses arms and numbers that make no sense', () => {
    const bandit = new Bandit(arms);
    const fine = { gain: 0, tokens: 0, seconds: 0 };
    const bad: (() => unknown)[] = [
      () => new Bandit([]),
      () => new Bandit(['a', 'a']),
      () => bandit.record('nobody', fine),
      () => bandit.record('patch@small', { ...fine, gain: -1 }),
      () => bandit.record('patch@small', { ...fine, tokens: Number.NaN }),
    ];
    for (const act of bad) assert.throws(act, (error) => error instanceof PeagenError && error.code === 'invalid_input');
  });
});
