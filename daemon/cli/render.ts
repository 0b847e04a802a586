/** `peagen render`: the files of a project from its templates. */
import { dirname, resolve } from 'node:path';
import { Command } from 'commander';
import type { RenderAnswer } from '../engine/render.ts';
import { action, printResult, say, withCommonOptions } from './output.ts';
import { openSession, type SessionOptions } from './session.ts';

interface RenderOptions extends SessionOptions {
  project: string;
  out: string;
  force?: boolean;
  check?: boolean;
}

export function renderCommand(): Command {
  return withCommonOptions(new Command('render'))
    .description('render a project from its templates')
    .requiredOption('--project <file>', 'the payload: projects, packages and modules, in YAML')
    .requiredOption('--out <dir>', 'where the files go')
    .option('--force', 'replace files that differ')
    .option('--check', 'change nothing; fail when a file is missing or differs')
    .option('--sync', 'in this process, with the in-memory queue')
    .option('--queue', 'through the queue of the configuration (default)')
    .action(action(render));
}

async function render(options: RenderOptions): Promise<void> {
  const session = await openSession(options, dirname(resolve(options.project)));
  const ending = new AbortController();
  const end = () => ending.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    const compareOnly = options.check === true || options.dryRun === true;
    const request = { project: options.project, out: options.out, force: options.force === true, compareOnly };
    const answer = await session.engine.render(request, ending.signal);
    for (const warning of answer.warnings) say(`warning: ${warning}`);
    printResult(options, answer, summary(answer, compareOnly));
    const stale = answer.files.some(({ state }) => state !== 'same');
    if (options.check === true && stale) process.exitCode = 1;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await session.engine.close();
  }
}

function summary({ files }: RenderAnswer, compareOnly: boolean): string {
  const count = (wanted: string) => files.filter(({ state }) => state === wanted).length;
  const lines = files.filter(({ state }) => state !== 'same').map(({ path, state }) => `${state.padEnd(8)}${path}`);
  const verb = compareOnly ? 'would be ' : '';
  return [...lines, `${count('new')} ${verb}new, ${count('changed')} ${verb}changed, ${count('same')} the same`].join('\n');
}
