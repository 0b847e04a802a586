/**
 * Ways to judge candidates of a target: what a user is offered. Reads a few files of its folder; runs nothing but the original
 * on a few calls of an inputs file.
 */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path/posix';
import { type Config, judgingCommand } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { EvaluatorSpec } from '../../../shared/judging.ts';
import type { DetectJudgingRequest, FoundWays, WayToJudge } from '../../../shared/protocol/judging.ts';
import type { TargetSpec } from '../../../shared/run-spec.ts';
import { languageOf } from '../../evolution/syntax/languages.ts';
import { detectJudges } from '../../judging/command/detect.ts';
import { reaches } from '../../judging/command/reach.ts';
import { folderRequest } from '../../judging/folder/folder-request.ts';
import type { Registry } from '../../registry.ts';
import { acceptsInputs } from './inputs.ts';

/** Milliseconds for trying inputs that were found; what was not tried by then is not offered. */
const TRYING_MS = 4000;

/** The most specific first. Throws `not_found` when the folder is not there. */
export async function waysFor(request: DetectJudgingRequest, config: Config, registry: Registry): Promise<FoundWays> {
  const { root, path, entry_fn: fn } = request;
  await requireFolder(root);
  const warnings: string[] = [];
  const folder = await folderWay(root, config).catch((caught: unknown) => {
    // One that is broken or incomplete must not hide the other ways.
    warnings.push(PeagenError.from(caught).line);
    return [];
  });
  const found = path === undefined || fn === undefined ? [] : await inputWays(root, path);
  const inputs =
    path === undefined || fn === undefined ? [] : await accepted(found, { root, path, entry_fn: fn }, config, registry);
  const made = config.evaluate.derive ? madeWay(request) : [];
  const commands = await commandWays(root, path);
  return { ways: [...configured(request, config), ...made, ...folder, ...inputs, ...commands], warnings };
}

/** Those whose calls the original accepts: a file next to the target may belong to another function. */
async function accepted(ways: WayToJudge[], target: TargetSpec, config: Config, registry: Registry): Promise<WayToJudge[]> {
  if (ways.length === 0) return [];
  const signal = AbortSignal.timeout(TRYING_MS);
  const fits = await Promise.all(
    ways.map(({ evaluator: { options } }) =>
      typeof options['inputs'] === 'string' ? acceptsInputs(options['inputs'], target, { config, registry, signal }) : false,
    ),
  );
  return ways.filter((_, i) => fits[i] === true);
}

/** Calls that Peagen makes: for a function in a language that it can call. */
function madeWay({ path, entry_fn: fn }: DetectJudgingRequest): WayToJudge[] {
  if (path === undefined || fn === undefined || !callable.has(languageOf(path) ?? '')) return [];
  return [
    {
      ...plain,
      kind: 'made',
      label: 'Inputs made for you',
      detail: 'Calls are made from the function’s source and examples; results must match the original, and half are held out.',
      evaluator: { name: 'function', options: {} },
    },
  ];
}

const callable: ReadonlySet<string> = new Set(['python', 'javascript', 'typescript']);

/** The same as flags of a command line, for a hint; empty when nothing was found. */
export async function waysAsFlags(request: DetectJudgingRequest): Promise<string> {
  const { root, path, entry_fn: fn } = request;
  const ways = [
    ...(path === undefined || fn === undefined ? [] : await inputWays(root, path)),
    ...(await commandWays(root, path)),
  ];
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

/** Files named like inputs next to the target, and functions there that make some. */
async function inputWays(root: string, path: string): Promise<WayToJudge[]> {
  const folder = dirname(path);
  const names = (await readdir(join(root, folder)).catch(() => [])).sort();
  const detail = 'Calls the function with each; results must match the original.';
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

async function commandWays(root: string, path: string | undefined): Promise<WayToJudge[]> {
  const found = await detectJudges(root);
  const fits = await Promise.all(found.map(({ name }) => path === undefined || reaches(root, name, path)));
  return found
    .filter((_, i) => fits[i] === true)
    .map(({ command, because }) => ({
      ...plain,
      kind: 'command',
      label: command,
      detail: `Found by ${because}. Exit code 0 means correct; its run time is the speed.`,
      evaluator: commandSpec(command),
    }));
}

const commandSpec = (command: string) => ({ name: 'command', options: { command } });

/** An empty result would say that nothing was found in the folder. */
async function requireFolder(root: string): Promise<void> {
  await readdir(root).catch((cause: unknown) => {
    throw new PeagenError('not_found', `The folder ${root} cannot be read.`, { cause });
  });
}
