/**
 * What a run wants, as a model reads it: each objective by name and direction, with the values of the original, of the
 * program shown and of the best so far. Also chooses which measurements are worth showing. Pure.
 */
import type { Metrics, Objective, Objectives } from '../../../shared/judging.ts';
import type { Scoring, Standing } from '../../../shared/payloads.ts';

export interface PromptGoal {
  /** `speed`: results must stay the same. `score`: an evaluator decides what is good. */
  readonly kind: 'speed' | 'score';
  /** One objective each, in one sentence. */
  readonly lines: readonly string[];
  /** How several objectives are weighed; empty for one. */
  readonly combined: string;
  /** The one metric that counts; empty for speed and for several. */
  readonly metric: string;
  /** All metrics that count. */
  readonly metrics: readonly string[];
}

/** Metrics whose names say little, in words. */
const words: Readonly<Record<string, { readonly name: string; readonly unit: string }>> = {
  speed_ms: { name: 'running time', unit: ' ms' },
  cost: { name: 'executed operations', unit: '' },
  peak_kb: { name: 'peak memory', unit: ' KB' },
  size_ch: { name: 'size of the code', unit: ' characters' },
  program_share: { name: "share of the command's time that the program takes", unit: '' },
  test_ms: { name: 'time of the tests', unit: ' ms' },
};
/** Derived from others, or not about the program. */
const hidden: ReadonlySet<string> = new Set([
  ...['speedup', 'speedup_low', 'speedup_high', 'baseline_ms', 'baseline_cost', 'samples', 'instructions'],
  ...['baseline_instructions', 'speed_p10_ms', 'size_ch', 'unverified'],
]);
/** Taken from one run of an evaluator, which does not measure the program. */
const clocks: ReadonlySet<string> = new Set(['speed_ms', 'peak_kb']);

interface GoalInput {
  readonly next?:
    | { readonly scoring?: Pick<Scoring, 'metric' | 'objectives'> | undefined; readonly deterministic?: boolean }
    | undefined;
  readonly standing?: Standing | undefined;
  readonly parent: { readonly metrics: Metrics };
}

export function goalOf({ next, standing, parent }: GoalInput): PromptGoal {
  const { metric = 'speedup', objectives } = next?.scoring ?? {};
  const values = { original: standing?.original, program: parent.metrics, best: standing?.best };
  if (objectives !== undefined) {
    const only = objectives.of.length === 1 ? (objectives.of[0]?.metric ?? '') : '';
    const metrics = objectives.of.map((one) => one.metric);
    const lines = objectives.of.map((one) => lineOf(one.metric, one.direction, values));
    return { kind: 'score', lines, combined: objectives.of.length > 1 ? combinedText(objectives) : '', metric: only, metrics };
  }
  if (!metric.startsWith('speedup'))
    return { kind: 'score', lines: [lineOf(metric, 'max', values)], combined: '', metric, metrics: [metric] };
  // Where operations are counted, times are made of them.
  const shown = next?.deterministic === true ? 'cost' : 'speed_ms';
  const target = standing?.target_ms === undefined ? '' : ` The target is ${standing.target_ms} ms.`;
  return { kind: 'speed', lines: [`${lineOf(shown, 'min', values)}${target}`], combined: '', metric: '', metrics: [shown] };
}

interface Values {
  readonly original: Metrics | undefined;
  readonly program: Metrics;
  readonly best: Metrics | undefined;
}

/** `running time: lower is better. Original 3.2 ms, this program 2.1 ms (1.52 times as fast), best so far 0.9 ms.` */
function lineOf(metric: string, direction: Objective['direction'], { original, program, best }: Values): string {
  const known = words[metric];
  const name = known === undefined ? `\`${metric}\`` : known.name;
  const at = (label: string, metrics: Metrics | undefined): string[] => {
    const value = metrics?.[metric];
    if (value === undefined) return [];
    const speedup = metric === 'speed_ms' || metric === 'cost' ? metrics?.['speedup'] : undefined;
    const times =
      speedup === undefined || speedup === 1 || label === 'original' ? '' : ` (${short(speedup)} times as fast as the original)`;
    return [`${label} ${short(value)}${known?.unit ?? ''}${times}`];
  };
  const isBest = program[metric] !== undefined && program[metric] === best?.[metric];
  const last = isBest ? ['which is the best so far'] : at('best so far', best);
  const values = [...at('original', original), ...at('this program', program), ...last].join(', ');
  const wish = `${name}: ${direction === 'max' ? 'higher' : 'lower'} is better`;
  return values === '' ? `${wish}.` : `${wish}. ${values.charAt(0).toUpperCase()}${values.slice(1)}.`;
}

function combinedText({ combine, of }: Objectives): string {
  if (combine === 'lexicographic')
    return 'The first objective decides. A later one counts only between programs that are equal in the earlier ones.';
  const weights = of.map(
    ({ metric, weight = 1, step = 1 }) =>
      `a difference of ${short(step)}${words[metric]?.unit ?? ''} in ${words[metric]?.name ?? `\`${metric}\``} counts ${short(weight)}`,
  );
  return `The objectives are added up: ${weights.join(', ')}.`;
}

/** The measurements of a program that are worth showing next to the goal, in words; no others than its parent has. */
export function measured(metrics: Metrics, goal: PromptGoal, parent: Metrics = {}): string {
  const speed = goal.kind === 'speed';
  const parts = Object.entries(metrics).flatMap(([name, value]) => {
    if (hidden.has(name) || (!speed && clocks.has(name)) || (clocks.has(name) && value === 0)) return [];
    const before = parent[name];
    if (before !== undefined && short(before) === short(value) && !goal.metrics.includes(name)) return [];
    const known = words[name];
    return [known === undefined ? `${name} ${short(value)}` : `${known.name} ${short(value)}${known.unit}`];
  });
  const speedup = metrics['speedup'];
  const times = speed && speedup !== undefined && speedup !== 1 ? [`${short(speedup)} times as fast as the original`] : [];
  return [...times, ...parts].join(', ');
}

export const short = (value: number): string => String(Number(value.toPrecision(4)));
