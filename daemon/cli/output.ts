/**
 * How every command talks: results on standard output (with `--json`, the last line is one JSON object), everything
 * else on standard error, failures as one line and an exit status from the error table.
 */
import { Command } from 'commander';
import { errorTable, PeagenError } from '../../shared/errors.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { withoutSecrets } from '../telemetry/secrets.ts';
import { traced } from '../telemetry/trace.ts';
import { visible } from '../telemetry/visible.ts';
import { version } from '../version.ts';

/** Options that every command takes. */
export interface CommonOptions {
  config?: string;
  verbose?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

export function withCommonOptions(command: Command): Command {
  return command
    .option('--config <file>', 'configuration file (default: the nearest .peagen.toml)')
    .option('--verbose', 'log to standard error')
    .option('--dry-run', 'say what would be done, and do nothing')
    .option('--json', 'print one JSON object as the last line of standard output');
}

export function logFor(options: CommonOptions): Log {
  return createLog({ level: options.verbose === true ? 'debug' : 'silent' });
}

/** Prints a result: the object with `--json`, else the text. */
export function printResult(options: CommonOptions, data: unknown, text: string): void {
  process.stdout.write(`${visible(options.json === true ? JSON.stringify(data) : text)}\n`);
}

/** One line that says what is wrong (and one JSON object), and the exit status that goes with it. */
export function printFailure(error: PeagenError, json: boolean): void {
  say(`peagen: ${error.line}`);
  if (json) process.stdout.write(`${visible(withoutSecrets(JSON.stringify({ error })))}\n`);
  process.exitCode = errorTable[error.code].exit;
}

/** Prints a document, such as a diff or a table: byte for byte into a file or a pipe, and safe to look at on a terminal. */
export function printDocument(text: string): void {
  process.stdout.write(process.stdout.isTTY === true ? visible(text) : text);
}

export function say(message: string): void {
  process.stderr.write(`${visible(withoutSecrets(message))}\n`);
}

/** Runs a command's action; a failure becomes one line (or one JSON object) and a non-zero exit status. */
export function action<A extends unknown[]>(run: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  return async (...args) => {
    // Commander gives the options, and the command itself last.
    const options: CommonOptions = args.find((arg) => typeof arg === 'object' && arg !== null && !Array.isArray(arg)) ?? {};
    const log = logFor(options);
    const began = performance.now();
    log.debug({ version, node: process.version, folder: process.cwd() }, 'the command begins');
    try {
      await requireConfig(options);
      await inTrace(args, () => run(...args));
    } catch (caught) {
      const error = PeagenError.from(caught);
      log.debug({ err: caught }, 'the command failed');
      printFailure(error, options.json === true);
      if (error.code === 'internal' && process.env['PEAGEN_DEBUG'] !== undefined) say(String((caught as Error).stack));
    } finally {
      log.debug({ ms: Math.round(performance.now() - began) }, 'the command ends');
    }
  };
}

/** A wrong `--config` ends every command, also one that needs no configuration. */
async function requireConfig({ config: file }: CommonOptions): Promise<void> {
  if (file === undefined) return;
  const { readConfig } = await import('../config/load.ts');
  await readConfig({ cwd: process.cwd(), file, anyKeys: true });
}

/** A command is the root of its trace, or part of the one that TRACEPARENT names. */
async function inTrace(args: readonly unknown[], work: () => Promise<void>): Promise<void> {
  if (!process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) return await work();
  const { startExporter } = await import('../telemetry/otlp.ts');
  const name = nameOf(args.find((arg) => arg instanceof Command) ?? null);
  const exporter = startExporter(name === 'peagen worker start' ? 'peagen-host' : 'peagen-cli', say);
  try {
    await traced(name, { parent: process.env['TRACEPARENT'] }, work);
  } finally {
    await exporter?.close();
  }
}

function nameOf(command: Command | null): string {
  return command === null ? '' : `${nameOf(command.parent)} ${command.name()}`.trim();
}
