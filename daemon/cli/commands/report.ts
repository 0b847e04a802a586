/** `peagen evolve report`: what a run spent, on what, and what it got for it. */
import { Command } from 'commander';
import { verdictOf } from '../../../shared/confidence.ts';
import { plainWorth } from '../../../shared/gain.ts';
import { describeCounterexample } from '../../../shared/judging.ts';
import { ReportRun, type RunReport, type Share } from '../../../shared/protocol/report.ts';
import type { RunSummary, Unconfirmed } from '../../../shared/run.ts';
import { action, printResult, withCommonOptions } from '../output.ts';
import { runOrNewest } from '../run-id.ts';
import { openSession, type SessionOptions } from '../session.ts';

export function reportCommand(): Command {
  return withCommonOptions(new Command('report'))
    .description('what a run spent by generation, mutator and back end, and what it got for it')
    .argument('[run]', 'id of the run (default: the newest)')
    .action(action(report));
}

async function report(text: string | undefined, options: SessionOptions): Promise<void> {
  const session = await openSession(options, process.cwd());
  try {
    const data = await session.client.request(ReportRun, { run: await runOrNewest(session, text) });
    printResult(options, data, reportText(data));
  } finally {
    await session.close();
  }
}

function reportText(data: RunReport): string {
  const section = (title: string, shares: Record<string, Share>) => [
    '',
    title,
    ...Object.entries(shares).map(([name, share]) => row(name, share)),
  ];
  const gain = data.gain_percent === null ? 'no confirmed gain' : `gain ${data.gain_percent.toFixed(0)} %`;
  const price =
    data.tokens_per_percent === null || data.tokens_per_percent === 0
      ? ''
      : `, ${Math.round(data.tokens_per_percent)} tokens per 1 %`;
  const each = data.cost_per_accepted;
  const cost = each === null || each === 0 ? '' : `, ${dollars(each)} per accepted candidate`;
  return [
    `${'attempts  made  accepted    tokens      cost'.padStart(64)}`,
    row('total', data.total),
    ...section('by generation', data.byGeneration),
    ...section('by mutator', data.byMutator),
    ...section('by back end', data.byBackend),
    '',
    `outcomes: ${
      Object.entries(data.outcomes)
        .map(([kind, n]) => `${n} ${kind}`)
        .join(', ') || 'none'
    }`,
    ...(Object.keys(data.rejections).length === 0 ? [] : [`answers without use: ${rejectionsText(data)}`]),
    archiveText('archive', data.archive, data),
    ...data.islands.map((island, i) => archiveText(`island ${i + 1}`, island, data)),
    ...(data.islands.length === 0 ? [] : [`${data.migrated} champions settled on another island`]),
    ...frontText(data),
    ...(data.confidence === null ? [] : [verdictOf(data.confidence)]),
    ...overfittedText(data, data.function ?? undefined),
    ...unconfirmedText(data.unconfirmed),
    ...steeringText(data),
    `${gain}${price}${cost}`,
  ].join('\n');
}

/** Reasons that are shown, the most frequent first. */
const REASONS = 4;

/** `12 the same program as an earlier candidate, 3 the answer is empty`. */
export function rejectionsText({ rejections }: Pick<RunReport, 'rejections'>): string {
  const all = Object.entries(rejections).sort(([, a], [, b]) => b - a);
  const rest = all.slice(REASONS).reduce((sum, [, times]) => sum + times, 0);
  const shown = all.slice(0, REASONS).map(([reason, times]) => `${times} ${reason.replace(/\.$/, '')}`);
  return [...shown, ...(rest === 0 ? [] : [`${rest} for other reasons`])].join(', ');
}

/** A fitness that is negated or combined of several metrics means nothing to a user: one metric is shown, else the front is. */
function archiveText(name: string, { coverage, qd_score, best }: RunReport['archive'], { objectives }: RunReport): string {
  const [goal, ...others] = objectives;
  const niches = `${name}: ${coverage} niches`;
  if (others.length > 0) return niches;
  if (goal !== undefined) return `${niches}, best ${best === null ? 'none' : plainWorth({ goal }, best)}`;
  return `${niches}, QD score ${qd_score.toFixed(2)}, best ${best === null ? 'none' : best.toFixed(2)}`;
}

/** Programs that no other beats in one objective without losing in another. */
function frontText({ front, objectives }: RunReport): string[] {
  if (front.length === 0) return [];
  const shown = [...front]
    .sort((a, b) => b.fitness - a.fitness)
    .map(({ sha256, metrics, summary }) => {
      const values = objectives.map(({ metric }) => `${metric} ${metrics[metric]?.toPrecision(4) ?? '?'}`);
      return `  ${sha256.slice(0, 12)}  ${values.join(', ')}  ${summary}`;
    });
  return [`Pareto front: ${front.length}`, ...shown];
}

/** Elites that are wrong on held-out inputs, and those that a fresh call refuted; nothing when all were right. */
export function overfittedText(
  { overfitted, refuted = [] }: Pick<RunSummary, 'overfitted' | 'refuted'>,
  fn: string | undefined,
): string[] {
  const named = new Set(refuted.map(({ sha256 }) => sha256));
  const names = overfitted.filter((sha256) => !named.has(sha256)).map((sha256) => sha256.slice(0, 12));
  return [
    ...(names.length === 0
      ? []
      : [`overfitted: ${names.join(', ')}: faster, but wrong on the held-out inputs, and so not offered`]),
    ...refuted.map(({ sha256, counterexample }) => {
      return `overfitted: ${sha256.slice(0, 12)}: wrong on a fresh call, and so not offered: ${describeCounterexample(counterexample, fn)}`;
    }),
  ];
}

/** What the search took for faster, and a careful measurement did not confirm. */
export function unconfirmedText(unconfirmed: readonly Unconfirmed[]): string[] {
  return unconfirmed.map(({ sha256, why }) => `not confirmed: ${sha256.slice(0, 12)}: ${why}`);
}

function steeringText({ steering, rebases }: RunReport): string[] {
  const parts = [...Object.entries(steering), ['rebased', rebases] as const].filter(([, count]) => count > 0);
  return parts.length === 0 ? [] : [`by you: ${parts.map(([what, count]) => `${count} ${what}`).join(', ')}`];
}

function row(name: string, { attempts, candidates, accepted, tokens, cost }: Share): string {
  const cells = [
    String(attempts).padStart(8),
    String(candidates).padStart(6),
    String(accepted).padStart(10),
    String(tokens).padStart(10),
    (cost === null ? '?' : cost === 0 ? '-' : dollars(cost)).padStart(10),
  ];
  return `${name.padEnd(20)}${cells.join('')}`;
}

const dollars = (amount: number) => `$${amount < 0.01 ? amount.toPrecision(2) : amount.toFixed(2)}`;
