/** `peagen evolve report`: what a run spent, on what, and what it got for it. */
import { Command } from 'commander';
import type { RunReport, Share } from '../engine/report.ts';
import { action, printResult, withCommonOptions } from './output.ts';
import { runId } from './replay.ts';
import { openSession, type SessionOptions } from './session.ts';

export function reportCommand(): Command {
  return withCommonOptions(new Command('report'))
    .description('what a run spent by generation, mutator and back end, and what it got for it')
    .argument('<run>', 'id of the run')
    .action(action(report));
}

async function report(text: string, options: SessionOptions): Promise<void> {
  const session = await openSession(options, process.cwd());
  try {
    const data = await session.engine.report(runId(text));
    printResult(options, data, reportText(data));
  } finally {
    await session.engine.close();
  }
}

function reportText(data: RunReport): string {
  const section = (title: string, shares: Record<string, Share>) => [
    '',
    title,
    ...Object.entries(shares).map(([name, share]) => row(name, share)),
  ];
  const gain = data.gain_percent === null ? 'no confirmed gain' : `gain ${data.gain_percent.toFixed(0)} %`;
  const price = data.tokens_per_percent === null ? '' : `, ${Math.round(data.tokens_per_percent)} tokens per 1 %`;
  return [
    `${'attempts  made  accepted  tokens'.padStart(52)}`,
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
    `${gain}${price}`,
  ].join('\n');
}

function row(name: string, { attempts, candidates, accepted, tokens }: Share): string {
  const cells = [
    String(attempts).padStart(8),
    String(candidates).padStart(6),
    String(accepted).padStart(10),
    String(tokens).padStart(8),
  ];
  return `${name.padEnd(20)}${cells.join('')}`;
}
