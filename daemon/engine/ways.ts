/** Ways to judge candidates of a target, found in its folder: what a person is offered. Reads a few files and runs nothing. */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path/posix';
import { type Config, judgingCommand } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { EvaluatorSpec } from '../../shared/judging.ts';
import type { DetectJudgingRequest, FoundWays, WayToJudge } from '../../shared/protocol/judging.ts';
import { detectJudges } from '../judging/command/detect.ts';
import { folderRequest } from '../judging/folder/folder-request.ts';

/** The most specific first. */
export async function waysFor(request: DetectJudgingRequest, config: Config): Promise<FoundWays> {
  const { root, path, entry_fn: fn } = request;
  const warnings: string[] = [];
  const folder = await folderWay(root, config).catch((caught: unknown) => {
    // One that is broken or incomplete must not hide the other ways.
    warnings.push(PeagenError.from(caught).line);
    return [];
  });
  const inputs = path === undefined || fn === undefined ? [] : await inputWays(root, path);
  return { ways: [...configured(request, config), ...folder, ...inputs, ...(await commandWays(root))], warnings };
}

/** The same as flags of a command line, for a hint; empty when nothing was found. */
export async function waysAsFlags(request: DetectJudgingRequest, config: Config): Promise<string> {
  const { ways } = await waysFor(request, config);
  const flags = ways.flatMap(({ evaluator: { options } }) => [
    ...(typeof options['inputs'] === 'string' ? [`--inputs ${options['inputs']}`] : []),
    ...(typeof options['command'] === 'string' ? [`--command "${options['command']}"`] : []),
  ]);
  return flags.length === 0 ? '' : ` Found in ${request.root}: ${flags.join(', ')}.`;
}

/** How to judge when a request does not say: the one place where the configuration is read for it. `inputs` are read later. */
export function configuredEvaluator(config: Config): EvaluatorSpec {
  const { evaluator, inputs } = config.evaluate;
  const command = judgingCommand(config);
  if (command !== undefined) return { name: 'command', options: { command } };
  return { name: evaluator, options: evaluator !== 'function' || inputs === undefined ? {} : { inputs } };
}

const plain = { settings: {}, warnings: [] };

/** What the configuration says, when it is about this target. */
function configured({ path, entry_fn: fn }: DetectJudgingRequest, config: Config): WayToJudge[] {
  const { evaluate, mutate, evolve } = config;
  if (path === undefined || mutate.target_file !== path || fn !== (evolve.entry_fn ?? mutate.entry_fn)) return [];
  const detail = 'set under [evaluate] in .peagen.toml';
  const evaluator = configuredEvaluator(config);
  const { command } = evaluator.options;
  if (evaluator.name === 'command' && typeof command === 'string') {
    return [{ ...plain, kind: 'configured', label: command, detail, evaluator }];
  }
  if (evaluator.name !== 'function' || evaluate.inputs === undefined) return [];
  const { inputs, heldout } = evaluate;
  const label = inputs.trim().startsWith('[') ? 'The sample inputs of the configuration' : `Inputs from ${inputs}`;
  const settings = heldout === undefined ? {} : { heldout };
  return [{ kind: 'configured', label, detail, evaluator, settings, warnings: [] }];
}

/** A folder of somebody's own evaluator. */
async function folderWay(root: string, config: Config): Promise<WayToJudge[]> {
  const found = await folderRequest(root, config);
  if (found === undefined) return [];
  const { target, evaluator, ...settings } = found.request;
  return [
    {
      kind: 'folder',
      label: `The folder's own ${String(evaluator.options['file'])}`,
      detail: `Starts from ${target.path}; a higher score is better.`,
      evaluator,
      target,
      settings,
      warnings: [...found.warnings],
    },
  ];
}

const inputFile = /(^|[_.-])(input|call|case|sample)s?([_.-]|\d*\.)[^/]*$/i;
/** A function without parameters by one of these names makes inputs. */
const makers =
  /^(?:async +)?def +((?:make|generate)_(?:inputs|calls)) *\( *\)|^(?:export +)?(?:async +)?function *\*? *((?:make|generate)(?:Inputs|Calls)) *\( *\)/m;

/** Files named like inputs beside the target, and functions there that make some. */
async function inputWays(root: string, path: string): Promise<WayToJudge[]> {
  const folder = dirname(path);
  const names = (await readdir(join(root, folder)).catch(() => [])).sort();
  const detail = 'Calls the function with each; the original says what is right.';
  const way = (label: string, inputs: string): WayToJudge => ({
    ...plain,
    kind: 'inputs',
    label,
    detail,
    evaluator: { name: 'function', options: { inputs } },
  });
  const ways = names
    .filter((name) => name.endsWith('.json') && inputFile.test(name))
    .map((name) => way(`Inputs from ${name}`, join(folder, name)));
  const suffix = /\.[^.]+$/.exec(path)?.[0] ?? '';
  for (const name of names.filter((each) => each.endsWith(suffix)).slice(0, 50)) {
    const found = makers.exec(await readFile(join(root, folder, name), 'utf8').catch(() => ''));
    const fn = found?.[1] ?? found?.[2];
    if (fn !== undefined) ways.push(way(`Inputs made by ${fn} in ${name}`, `${join(folder, name)}:${fn}`));
  }
  return ways;
}

async function commandWays(root: string): Promise<WayToJudge[]> {
  return (await detectJudges(root)).map(({ command, because }) => ({
    ...plain,
    kind: 'command',
    label: command,
    detail: `Found by ${because}. Exit status 0 is correct, its time the speed.`,
    evaluator: commandSpec(command),
  }));
}

const commandSpec = (command: string) => ({ name: 'command', options: { command } });

/** Throws `not_found` when the folder is not there: an empty answer would say that nothing was found in it. */
export async function requireFolder(root: string): Promise<void> {
  await readdir(root).catch((cause: unknown) => {
    throw new PeagenError('not_found', `The folder ${root} cannot be read.`, { cause });
  });
}
