/**
 * Who has to be measured again before a candidate may take a title: that of a niche, or of the best of the run. A challenger must
 * win twice, and a champion defends its title until it is known well. Pure.
 */
import type { Sha256 } from '../../../shared/ids.ts';
import { SETTLED } from '../../judging/timing/statistics/race.ts';
import type { RunState } from './run-state.ts';

/** The challenger of the slot and those whose titles it would take, without those that this challenge has measured; empty: none. */
export function nextMatch(state: RunState, index: number): Sha256[] {
  const open = state.open.get(index);
  const { evaluated, matched = [] } = open ?? {};
  if (state.spec.deterministic || evaluated === undefined || evaluated.fitness === null) return [];
  const { sha256: challenger, fitness, features } = evaluated;
  // Where nothing repeats itself exactly, there are readings.
  if (state.readings.of(challenger).length === 0) return [];
  const { archive } = state;
  const holders = [archive.get(archive.geometry.place(features)), archive.best()].flatMap((elite) =>
    elite === undefined || elite.sha256 === challenger || elite.fitness >= fitness ? [] : [elite.sha256],
  );
  if (holders.length === 0) return [];
  // The original is what all are compared with: its ratio is 1 however often it is measured.
  const original = state.mended ?? state.original.sha256;
  return [...new Set([challenger, ...holders])].filter((sha256) => {
    return sha256 !== original && !matched.includes(sha256) && state.readings.of(sha256).length < SETTLED;
  });
}
