/** The evidence for an elite: what was measured of it, where it came from and how it was judged, as one document. */
import { type Call, CommandOptions, type EvaluatorSpec, FunctionOptions } from '../../shared/judging.ts';
import { nicheLabel } from '../../shared/niche-label.ts';
import type { EliteDetail, RunInfo } from '../../shared/run.ts';
import { metricsLine, targetName } from '../words.ts';

/** Markdown; candidate text appears only as JSON strings or in lines of its own. */
export function evidence(info: RunInfo, { elite, origin, outcome, changes, judged_by }: EliteDetail): string {
  const metrics = Object.entries(elite.metrics).sort(([a], [b]) => a.localeCompare(b));
  return [
    `# ${targetName(info)}: ${metricsLine(elite)}`,
    '',
    `- Outcome: ${outcome.kind}${outcome.detail === '' ? '' : `, ${JSON.stringify(outcome.detail)}`}`,
    `- Made by: ${origin.mutator}${origin.backend === undefined ? '' : ` with ${origin.backend}`}, in generation ${elite.generation}`,
    `- What was done: ${JSON.stringify(origin.summary)}`,
    `- Niche: ${nicheLabel(elite.niche, info.axes)}`,
    `- Files changed: ${changes.map(({ path }) => path).join(', ')}`,
    `- Program: ${elite.sha256}`,
    ...origin.parents.map((parent) => `- Parent: ${parent}`),
    `- Run: ${info.run}, started ${info.started_at}`,
    '',
    '| measured | value |',
    '| --- | ---: |',
    ...metrics.map(([name, value]) => `| ${name} | ${Number(value.toPrecision(6))} |`),
    '',
    ...judgedOn(judged_by, outcome.kind === 'correct' || outcome.kind === 'slow'),
  ].join('\n');
}

/** Calls that are listed; a longer list says how many more there were. */
const LISTED = 50;

/** What it was run on, and what came of it. */
function judgedOn(judged: EvaluatorSpec | undefined, right: boolean): string[] {
  const { calls = [], heldout = [] } =
    FunctionOptions.safeParse(judged?.name === 'function' ? judged.options : undefined).data ?? {};
  const command = CommandOptions.safeParse(judged?.name === 'command' ? judged.options : undefined).data?.command;
  if (command !== undefined) {
    return ['## Command', '', `    ${command}`, '', right ? 'It exited with status 0.' : 'It did not pass.', ''];
  }
  if (calls.length === 0) return [];
  const outputs = right
    ? 'Each of these calls returned, or raised, what the original does.'
    : 'Not each of these calls returned, or raised, what the original does.';
  return [
    ...['## Inputs and outputs', '', outputs, '', ...listed(calls), ''],
    ...(heldout.length === 0 ? [] : ['The search never saw these:', '', ...listed(heldout), '']),
  ];
}

/** An indented block: nothing in an argument ends it. */
function listed(calls: readonly Call[]): string[] {
  const lines = calls.slice(0, LISTED).map(({ args, kwargs }) => {
    const text = Object.keys(kwargs).length === 0 ? JSON.stringify(args) : JSON.stringify({ args, kwargs });
    return `    ${text.length > 400 ? `${text.slice(0, 400)}…` : text}`;
  });
  return calls.length > LISTED ? [...lines, `    … ${calls.length - LISTED} more`] : lines;
}
