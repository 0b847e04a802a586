/** The evidence for an elite in Markdown: what was measured of it, where it came from, what it was run on and what came out. */
import * as vscode from 'vscode';
import { asAnnounced } from '../../shared/gain.ts';
import {
  type Call,
  CommandOptions,
  type EvaluatorSpec,
  FolderOptions,
  FunctionOptions,
  isCorrect,
  type Outcome,
} from '../../shared/judging.ts';
import { type CallOutput, type CallOutputs, MOST_OUTPUTS } from '../../shared/protocol/runs.ts';
import type { EliteDetail, RunInfo } from '../../shared/run.ts';
import { describeConfidence } from '../../shared/words/confidence-words.ts';
import { nicheLabel } from '../../shared/words/niche-label.ts';
import { metricsInWords } from '../metric-words.ts';
import { makerName, outcomeName } from '../origin-words.ts';
import { counterexampleText } from '../outcome.ts';
import { literal } from '../pages.ts';
import { metricsLine, targetName } from '../words.ts';
import { axisInWords, rangeTexts } from './ranges.ts';

/** Text of the program or of a model appears only as JSON strings, or in lines of its own. */
export function evidence(
  info: RunInfo,
  { elite: found, origin, outcome, changes, judged_by, confidence, artifacts = {} }: EliteDetail,
  outputs: CallOutputs,
): string {
  const elite = asAnnounced(found, info);
  return [
    `# ${targetName(info)}: ${metricsLine(elite)}`,
    '',
    vscode.l10n.t('- Outcome: {0}', outcomeText(outcome)),
    ...(confidence === undefined
      ? []
      : [vscode.l10n.t('- Confidence: {0}', describeConfidence(confidence)), ...confidence.limits.map((limit) => `- ${limit}`)]),
    vscode.l10n.t('- Made by: {0}, in generation {1}', literal(makerName(origin)), elite.generation),
    vscode.l10n.t('- What was done: {0}', literal(JSON.stringify(origin.summary))),
    vscode.l10n.t(
      '- Niche, the group of similar candidates of which it is the best: {0}',
      nicheLabel(elite.niche, info.axes.map(axisInWords), rangeTexts()),
    ),
    vscode.l10n.t('- Files changed: {0}', literal(changes.map(({ path }) => path).join(', '))),
    vscode.l10n.t('- Program: {0}', elite.sha256),
    ...origin.parents.map((parent) => vscode.l10n.t('- Parent: {0}', parent)),
    vscode.l10n.t('- Run: {0}, started {1}', info.run, new Date(info.started_at).toLocaleString(vscode.env.language)),
    '',
    `## ${vscode.l10n.t('Measurements')}`,
    '',
    vscode.l10n.t('| measured | value |'),
    '| --- | ---: |',
    ...metricsInWords(elite.metrics).map(([name, value]) => `| ${literal(name)} | ${value} |`),
    '',
    ...judgedOn(judged_by, isCorrect(outcome), outputs),
    ...written(artifacts),
  ].join('\n');
}

/** Text that comes from a program is a JSON string. */
function outcomeText({ kind, detail, counterexample }: Outcome): string {
  const shown = counterexample === undefined ? detail : counterexampleText(counterexample);
  return shown === '' ? outcomeName(kind) : `${outcomeName(kind)}, ${literal(JSON.stringify(shown))}`;
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
  if (judged !== undefined && judged.name !== 'function') return evaluatorOf(judged, right);
  if (calls.length === 0) return [];
  const same = right
    ? vscode.l10n.t('Each of these calls returned, or raised, what the original does:')
    : vscode.l10n.t('Some of these calls differ from the original:');
  const unseen = vscode.l10n.t('The search never saw these:');
  return [
    ...[`## ${vscode.l10n.t('Inputs and outputs')}`, '', same, '', ...listed(calls, outputs.calls), ''],
    ...(heldout.length === 0 ? [] : [unseen, '', ...listed(heldout, outputs.heldout), '']),
  ];
}

/** An evaluator that calls the program itself, or that a plugin brings. */
function evaluatorOf({ name, options }: EvaluatorSpec, right: boolean): string[] {
  const { root, file } = FolderOptions.safeParse(options).data ?? {};
  const came = right ? vscode.l10n.t('It gave the candidate a score.') : vscode.l10n.t('It gave the candidate no score.');
  const of = root === undefined ? [] : ['', `    ${line([root, file].filter((part) => part !== undefined).join(': '))}`];
  return [`## ${vscode.l10n.t('Evaluator {0}', literal(name))}`, ...of, '', came, ''];
}

/** The limit of what an evaluation wrote under one name, in characters. */
const LONGEST_TEXT = 8000;

function written(artifacts: Readonly<Record<string, string>>): string[] {
  return Object.entries(artifacts).flatMap(([name, text]) => {
    const cut = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
    const lines = cut.trimEnd().split(/\r?\n/);
    return [`## ${vscode.l10n.t('Written: {0}', literal(JSON.stringify(name)))}`, '', ...lines.map((each) => `    ${each}`), ''];
  });
}

/** The limit of a value, in characters. */
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

function inputOf({ args, kwargs, init, before }: Call): string {
  const plain = Object.keys(kwargs).length === 0 && init === undefined;
  return line(JSON.stringify(plain ? args : { ...(init === undefined ? {} : { init, before }), args, kwargs }));
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
