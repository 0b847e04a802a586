/** Judges a candidate against an original, for the tests of effects. */
import assert from 'node:assert/strict';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import { judgeText, prepareText } from './judging.ts';

export const evaluator = createFunctionEvaluator();
export const twice = { calls: [{ args: [1] }, { args: [2] }] };
/** Effects are compared alike whatever the speed is measured by, and counting takes no time to settle. */
export const counted = { deterministic: true };

type Prepared = ReturnType<typeof prepareText>;
/** Many candidates are judged against the same original, which is prepared once. */
const prepared = new Map<string, Prepared>();

function prepareOnce(language: string, fn: string, original: string, options: Readonly<Record<string, unknown>>): Prepared {
  const key = JSON.stringify([language, fn, original, options]);
  const known = prepared.get(key) ?? prepareText(evaluator, language, original, fn, options, counted);
  prepared.set(key, known);
  return known;
}

/** The outcome of a candidate, as `kind: detail`. */
export async function judged(
  language: string,
  fn: string,
  original: string,
  candidate: string,
  options: Readonly<Record<string, unknown>> = twice,
) {
  const { basis } = await prepareOnce(language, fn, original, options);
  const { outcome } = await judgeText(evaluator, language, candidate, basis, counted);
  return { said: `${outcome.kind}: ${outcome.detail}`, outcome, basis };
}

export async function refuses(
  language: string,
  fn: string,
  original: string,
  candidate: string,
  pattern: RegExp,
  options: Readonly<Record<string, unknown>> = twice,
) {
  const { said } = await judged(language, fn, original, candidate, options);
  assert.match(said, pattern);
}

export async function accepts(
  language: string,
  fn: string,
  original: string,
  candidate: string,
  options: Readonly<Record<string, unknown>> = twice,
) {
  const { said } = await judged(language, fn, original, candidate, options);
  assert.equal(said, 'correct: ');
}
