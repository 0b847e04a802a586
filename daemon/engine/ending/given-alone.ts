/**
 * How fast a program is on the given calls alone, where longer ones that were made from them are timed with them: a program that
 * is slower there gains by the longer ones only, and a user has to know.
 */
import { PeagenError } from '../../../shared/errors.ts';
import { FunctionOptions } from '../../../shared/judging.ts';
import type { Program } from '../../../shared/program.ts';
import type { Best } from '../../../shared/run.ts';
import { isCandidatesFault } from '../faults.ts';
import { type Confirmer, execute } from './confirm.ts';

/** Only the direction of the difference matters here; the whole pass is measured with care elsewhere. */
const PAIRS = 4;

/** Returns nothing where no longer calls were made, or where the program fails. */
export async function givenAlone(confirmer: Confirmer, name: string, program: Program): Promise<Pick<Best, 'given'>> {
  const { evaluator } = confirmer.basis;
  const options = FunctionOptions.safeParse(evaluator.options);
  if (evaluator.name !== 'function' || !options.success || options.data.longer.length === 0) return {};
  const basis = { ...confirmer.basis, evaluator: { ...evaluator, options: { ...evaluator.options, longer: [] } } };
  try {
    const how = { deterministic: false, effort: 'quick', role: 'newcomer', pairs: PAIRS } as const;
    const { execution } = await execute({ ...confirmer, basis }, `given/${name}`, program, how);
    const { speedup: ratio, speedup_low: low, speedup_high: high } = execution.metrics;
    return ratio === undefined || low === undefined || high === undefined ? {} : { given: { ratio, low, high } };
  } catch (caught) {
    const error = PeagenError.from(caught);
    if (!isCandidatesFault(error)) throw error;
    return {};
  }
}
