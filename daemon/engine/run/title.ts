/**
 * Who has to be measured again before a candidate may take a title: that of a niche, or of the best of the run. A challenger must
 * win twice, and a champion defends its title until it is known well. Where scores vary, both are evaluated again until their
 * intervals lie apart, as a sequential test does. Pure.
 */
import type { Sha256 } from '../../../shared/ids.ts';
import { fitnessOf } from '../../evolution/objectives.ts';
import { SETTLED } from '../../judging/timing/statistics/race.ts';
import { type ScoreInterval, scoreInterval } from '../../judging/timing/statistics/scores.ts';
import type { RunState } from './state/run-state.ts';

/**
 * Returns the challenger of the slot and the holders of the titles that it would take, as far as they are to be measured again.
 * Returns none where the result is clear.
 */
export function nextMatch(state: RunState, index: number): Sha256[] {
  const { evaluated, matched = [] } = state.open.get(index) ?? {};
  if (state.spec.deterministic || evaluated === undefined || evaluated.fitness === null) return [];
  const { sha256: challenger, fitness, features } = evaluated;
  const { archive, readings } = state;
  const holders = [archive.get(archive.geometry.place(features)), archive.best()].flatMap((elite) =>
    elite === undefined || elite.sha256 === challenger || elite.fitness >= fitness ? [] : [elite.sha256],
  );
  if (holders.length === 0) return [];
  const sides = [...new Set([challenger, ...holders])];
  const original = state.mended ?? state.original.sha256;
  if (state.isTimed && readings.of(challenger).length > 0) {
    // The original is what all are compared with: its ratio is 1 however often it is measured.
    return sides.filter((sha256) => {
      return sha256 !== original && !matched.includes(sha256) && readings.of(sha256).length < SETTLED;
    });
  }
  const most = state.spec.repeats ?? 1;
  const own = scoreOf(state, challenger);
  const open = holders.filter((sha256) => !isApart(own, scoreOf(state, sha256)));
  return open.length === 0 ? [] : [challenger, ...new Set(open)].filter((sha256) => readings.scores(sha256).length < most);
}

/** What all evaluations say of a program's fitness; undefined before there are two, which alone tell how much they vary. */
export function scoreOf({ readings, fitnessRule }: RunState, sha256: Sha256): ScoreInterval | undefined {
  const scores = readings.scores(sha256);
  return scores.length < 2 ? undefined : scoreInterval(scores.map((metrics) => fitnessOf(fitnessRule, metrics)));
}

function isApart(own: ScoreInterval | undefined, other: ScoreInterval | undefined): boolean {
  return own !== undefined && other !== undefined && own.low > other.high;
}
