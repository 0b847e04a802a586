/** One run of a command on a program, in a sandbox and a copy of the folder. */
import type { CommandOptions, Metrics, Outcome } from '../../../shared/judging.ts';
import type { Program } from '../../../shared/program.ts';
import type { SandboxSpec } from '../../executors/sandbox.ts';
import type { Base } from '../copies/base.ts';
import { COPY_AT, type Copy, copyOf, textIn } from '../copies/copy.ts';
import type { EvaluatorContext } from '../evaluator.ts';
import { outcomeOf } from './ending.ts';
import { excerptOf, metricsFrom, readable, unreported } from './report.ts';
import { toolchain } from './toolchain.ts';

export interface CommandRun {
  readonly outcome: Outcome;
  /** Exit status. */
  readonly code: number | null;
  /** The number that it reports, or the milliseconds that it took. */
  readonly ms: number;
  /** Milliseconds that it took by the clock outside of the sandbox. */
  readonly wallMs: number;
  readonly metrics: Metrics;
  /** Describes what a source of metrics lacks. */
  readonly unreported: string | undefined;
  /** An excerpt of what it wrote, and all of it. */
  readonly output: string;
  readonly whole: string;
  /** Text of the file that was to be read. */
  readonly read: string | undefined;
}

/**
 * In a copy of the folder that holds the program. Without a `base` of several runs it opens one for itself. `reading`: a file
 * of the copy, or a folder of files, to be read at the end.
 */
export async function runOnce(
  program: Program,
  options: CommandOptions,
  context: EvaluatorContext,
  base?: Base,
  reading?: string,
): Promise<CommandRun> {
  context.signal.throwIfAborted();
  const { tier } = context.sandboxes;
  await using copy = await copyOf(options.root, program, {
    tier,
    signal: context.signal,
    ...(base === undefined ? {} : { base }),
  });
  const tools = await toolchain();
  const spec: SandboxSpec = {
    runtime: 'command',
    argv: ['/bin/sh', '-c', options.command],
    cwd: COPY_AT,
    mounts: [...tools.mounts, ...copy.mounts],
    env: { ...tools.env, CI: 'true', ...(context.seed === undefined ? {} : { PEAGEN_SEED: String(context.seed) }) },
    limits: context.sandboxes.limits,
  };
  const sandbox = await tier.open(spec);
  const stop = (): void => sandbox.kill();
  context.signal.addEventListener('abort', stop);
  const lines: string[] = [];
  for (let line = await sandbox.receive(); line !== undefined; line = await sandbox.receive()) lines.push(line);
  const exit = await sandbox.exited;
  context.signal.removeEventListener('abort', stop);
  context.signal.throwIfAborted();
  const stdout = lines.join('\n');
  const files = await reports(copy, options);
  const metrics = metricsFrom(options.metrics, stdout, files);
  const whole = readable(`${stdout}\n${exit.stderr}`, [copy.folder, COPY_AT]).trim();
  const output = excerptOf(whole);
  const outcome = outcomeOf(exit, options.command, output, context.sandboxes.limits);
  const read = reading === undefined ? undefined : await textIn(copy, reading);
  const ms = metrics['speed_ms'] ?? exit.wallMs;
  const missing = unreported(options.metrics, stdout, files);
  return { outcome, code: exit.code, ms, wallMs: exit.wallMs, metrics, unreported: missing, output, whole, read };
}

/** The reports named in the options, from the copy. */
async function reports(copy: Copy, options: CommandOptions): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const source of options.metrics) {
    if (source.from !== 'junit') continue;
    const text = await textIn(copy, source.path);
    if (text !== undefined) found.set(source.path, text);
  }
  return found;
}
