/** The evidence for an elite in Markdown: what was measured of it, where it came from, what it was run on and what came out. */
import * as vscode from 'vscode';
import { type Call, CommandOptions, type EvaluatorSpec, FunctionOptions, isCorrect } from '../../shared/judging.ts';
import { nicheLabel } from '../../shared/niche-label.ts';
import { type CallOutput, type CallOutputs, MOST_OUTPUTS } from '../../shared/protocol/runs.ts';
import type { EliteDetail, RunInfo } from '../../shared/run.ts';
import { metricsLine, targetName } from '../words.ts';

/** Text of the program or of a model appears only as JSON strings, or in lines of its own. */
export function evidence(
  info: RunInfo,
  { elite, origin, outcome, changes, judged_by }: EliteDetail,
  outputs: CallOutputs,
): string {
  const metrics = Object.entries(elite.metrics).sort(([a], [b]) => a.localeCompare(b));
  const maker = origin.backend === undefined ? origin.mutator : `${origin.mutator}, ${origin.backend}`;
  return [
    `# ${targetName(info)}: ${metricsLine(elite)}`,
    '',
    vscode.l10n.t('- Outcome: {0}', outcome.detail === '' ? outcome.kind : `${outcome.kind}, ${JSON.stringify(outcome.detail)}`),
    vscode.l10n.t('- Made by: {0}, in generation {1}', maker, elite.generation),
    vscode.l10n.t('- What was done: {0}', JSON.stringify(origin.summary)),
    vscode.l10n.t('- Niche: {0}', nicheLabel(elite.niche, info.axes)),
    vscode.l10n.t('- Files changed: {0}', changes.map(({ path }) => path).join(', ')),
    vscode.l10n.t('- Program: {0}', elite.sha256),
    ...origin.parents.map((parent) => vscode.l10n.t('- Parent: {0}', parent)),
    vscode.l10n.t('- Run: {0}, started {1}', info.run, info.started_at),
    '',
    `## ${vscode.l10n.t('Measurements')}`,
    '',
    vscode.l10n.t('| measured | value |'),
    '| --- | ---: |',
    ...metrics.map(([name, value]) => `| ${name} | ${Number(value.toPrecision(6))} |`),
    '',
    ...judgedOn(judged_by, isCorrect(outcome), outputs),
  ].join('\n');
}

/** What it was run on, and what came of it. */
function judgedOn(judged: EvaluatorSpec | undefined, right: boolean, outputs: CallOutputs): string[] {
  const { calls = [], heldout = [] } =
    FunctionOptions.safeParse(judged?.name === 'function' ? judged.options : undefined).data ?? {};
  const command = CommandOptions.safeParse(judged?.name === 'command' ? judged.options : undefined).data?.command;
  if (command !== undefined) {
    const came = right ? vscode.l10n.t('It exited with status 0.') : vscode.l10n.t('It did not pass.');
    return [`## ${vscode.l10n.t('Command')}`, '', `    ${command}`, '', came, ''];
  }
  if (calls.length === 0) return [];
  const same = right
    ? vscode.l10n.t('Each of these calls returned, or raised, what the original does:')
    : vscode.l10n.t('Not each of these calls returned, or raised, what the original does:');
  const unseen = vscode.l10n.t('The search never saw these:');
  return [
    ...[`## ${vscode.l10n.t('Inputs and outputs')}`, '', same, '', ...listed(calls, outputs.calls), ''],
    ...(heldout.length === 0 ? [] : [unseen, '', ...listed(heldout, outputs.heldout), '']),
  ];
}

/** Of a value, in characters. */
const LONGEST = 400;

/** An indented block: nothing in an argument ends it. */
function listed(calls: readonly Call[], outputs: readonly CallOutput[]): string[] {
  const lines = calls.slice(0, MOST_OUTPUTS).flatMap((call, index) => {
    const output = outputs[index];
    return output === undefined ? [`    ${inputOf(call)}`] : [`    ${inputOf(call)}`, `      → ${outputOf(output)}`];
  });
  const more = calls.length - MOST_OUTPUTS;
  return more <= 0 ? lines : [...lines, `    ${vscode.l10n.t('… {0} more', more)}`];
}

function inputOf({ args, kwargs, init }: Call): string {
  const plain = Object.keys(kwargs).length === 0 && init === undefined;
  return line(JSON.stringify(plain ? args : { ...(init === undefined ? {} : { init }), args, kwargs }));
}

function outputOf({ returned, raised, args }: CallOutput): string {
  const came = raised === undefined ? (returned ?? '') : vscode.l10n.t('raises {0}', raised);
  return line(args === undefined ? came : vscode.l10n.t('{0}, and leaves its arguments as {1}', came, args));
}

/** In one line, whatever is in it, and cut to size. */
function line(text: string): string {
  const flat = text.replaceAll(/\s*\n\s*/g, ' ');
  return flat.length > LONGEST ? `${flat.slice(0, LONGEST)}…` : flat;
}
