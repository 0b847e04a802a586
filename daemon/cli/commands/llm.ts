/** `peagen llm check`: whether each configured language model can be used, and which local servers could be. */
import { Command } from 'commander';
import { allowKey } from '../../config/allowed.ts';
import { loadConfig } from '../../config/load.ts';
import { type BackendReport, checkBackend, findLocalServers, type LocalServer } from '../../llm/check.ts';
import { backendConfig, foreignKey } from '../../llm/presets.ts';
import { openRegistry } from '../../plugins/packages.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from '../output.ts';
import { whileWaiting } from '../progress.ts';

export function llmCommand(): Command {
  const command = new Command('llm').description('look after the language models');
  command.addCommand(
    withCommonOptions(new Command('check'))
      .description(
        'for each back end: reachable, key present, model exists, latency, price (asks each one a few tokens; not with --dry-run)',
      )
      .argument('[name]', 'only this back end')
      .action(action(check)),
  );
  command.addCommand(
    withCommonOptions(new Command('allow'))
      .description(
        'let the key of a back end go to the server that .peagen.toml names for it; kept for you, not for the workspace',
      )
      .argument('<name>', 'the back end')
      .action(action(allow)),
  );
  return command;
}

async function allow(name: string, options: CommonOptions): Promise<void> {
  const config = await loadConfig({ cwd: process.cwd(), file: options.config, anyKeys: true });
  const pair = foreignKey(backendConfig(config, name));
  if (pair === undefined) return printResult(options, { allowed: null }, `${name} needs no permission.`);
  const what = `${pair.variable} may be sent to ${pair.origin}`;
  if (options.dryRun === true) return printResult(options, { allowed: pair }, `Would keep that ${what}.`);
  printResult(options, { allowed: pair }, `${what} (kept in ${allowKey(pair, process.env)})`);
}

async function check(name: string | undefined, options: CommonOptions): Promise<void> {
  const config = await loadConfig({ cwd: process.cwd(), file: options.config });
  const registry = await openRegistry(config, process.cwd());
  if (name !== undefined) backendConfig(config, name);
  const chosen = config.llm.backends.filter((backend) => name === undefined || backend.name === name);
  const checks = chosen.map((backend) =>
    checkBackend(backend, { config, registry, env: process.env, ask: options.dryRun !== true }),
  );
  const checking = Promise.all([Promise.all(checks), name === undefined ? findLocalServers(config) : []]);
  const [backends, found] = await whileWaiting('checking models', checking);
  printResult(
    options,
    { backends, found },
    [...backends.map(lineOf), ...found.map(offerOf), ...nothing(backends, found)].join('\n'),
  );
  if (backends.some((report) => report.problem !== null)) process.exitCode = 1;
}

function lineOf(report: BackendReport): string {
  const facts = [
    report.reachable ? 'reachable' : 'not reachable',
    `key ${report.key}`,
    report.model_exists === null ? undefined : `model ${report.model_exists ? 'exists' : 'does not exist'}`,
    report.latency_ms === null ? undefined : `${report.latency_ms} ms to the first token`,
    report.price === null ? 'price not configured' : `$${report.price.prompt} / $${report.price.completion} per million tokens`,
  ].filter((fact) => fact !== undefined);
  const head = `${report.problem === null ? '✓' : '✗'} ${report.name} (${report.model}): ${facts.join(', ')}`;
  return report.problem === null ? head : `${head}\n  ${report.problem}`;
}

function offerOf({ preset, base_url, models }: LocalServer): string {
  const model = models[0] ?? 'MODEL';
  return [
    `+ ${preset} answers at ${base_url}${models.length > 0 ? ` with ${models.slice(0, 5).join(', ')}` : ''}. To use it, add:`,
    '    [[llm.backends]]',
    `    name = "${preset}"`,
    `    preset = "${preset}"`,
    `    model = ${JSON.stringify(model)}`,
  ].join('\n');
}

function nothing(backends: readonly BackendReport[], found: readonly LocalServer[]): string[] {
  if (backends.length + found.length > 0) return [];
  return ['No language model is configured, and none was found on this machine. Add [[llm.backends]] to .peagen.toml.'];
}
