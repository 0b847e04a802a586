/**
 * Loads the configuration: flags over environment (`PEAGEN__TABLE__KEY`) over `.peagen.toml` over defaults, validated
 * as a whole. A mistake is one `invalid_config` error that names the key, the line, what was expected and the nearest name.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { foreignKey } from '../llm/presets.ts';
import { type Allowed, readAllowed, requireAllowedKey } from './allowed.ts';
import { explainIssue, type Location } from './explain.ts';
import { requireOwn } from './owner.ts';

export const CONFIG_FILE = '.peagen.toml';
const ENV_PREFIX = 'PEAGEN__';

export interface ConfigSources {
  /** Where to look for `.peagen.toml`: here, else in the nearest folder above. */
  cwd: string;
  /** An explicit file; must exist. */
  file?: string | undefined;
  /** Nested like the file, highest precedence. */
  flags?: Tree;
  env?: NodeJS.ProcessEnv;
  /** Where keys may go is not looked at: for the command that allows it. */
  anyKeys?: boolean;
}

export interface LoadedConfig {
  config: Config;
  /** The file that was read. */
  file?: string;
}

type Tree = { [key: string]: unknown };

export async function loadConfig(sources: ConfigSources): Promise<Config> {
  return (await readConfig(sources)).config;
}

export async function readConfig(sources: ConfigSources): Promise<LoadedConfig> {
  const file = sources.file === undefined ? findConfig(sources.cwd) : resolve(sources.cwd, sources.file);
  if (sources.file !== undefined && !existsSync(file ?? '')) {
    throw new PeagenError('not_found', `The configuration file ${file} does not exist.`, { hint: 'Check --config.' });
  }
  const { env = process.env, flags = {} } = sources;
  const allowed = readAllowed(env);
  // A file that is named on the command line was chosen by the user.
  if (file !== undefined && sources.file === undefined) requireOwn(file, allowed, env);
  const text = file === undefined ? '' : await readFile(file, 'utf8');
  const config = parseConfig({ text, file: file ?? CONFIG_FILE, env, flags });
  const byUser = [environmentTree(env), flags].some((tree) => isTree(tree['llm']) && tree['llm']['backends'] !== undefined);
  if (sources.anyKeys !== true && !byUser) requireKeys(config, file ?? CONFIG_FILE, allowed);
  return file === undefined ? { config } : { config, file };
}

/**
 * The nearest `.peagen.toml` at or above `folder`, not above the root of its repository nor above the user's home: what lies
 * there was not written for this workspace.
 */
export function findConfig(folder: string): string | undefined {
  const home = resolve(homedir());
  for (let at = resolve(folder); ; at = dirname(at)) {
    const file = join(at, CONFIG_FILE);
    if (existsSync(file)) return file;
    if (at === home || existsSync(join(at, '.git')) || dirname(at) === at) return undefined;
  }
}

/** Pure part: merges the sources and validates. */
export function parseConfig(sources: { text: string; file: string; env: NodeJS.ProcessEnv; flags: Tree }): Config {
  const fromFile = parseToml(sources.text, sources.file);
  const fromEnv = environmentTree(sources.env);
  const merged = [fromEnv, sources.flags].reduce<Tree>(merge, fromFile);
  useNewNames(merged);
  const parsed = Config.safeParse(merged);
  if (parsed.success) {
    refuseSecrets(parsed.data, sources.file);
    refusePlain(sources.file, fromFile, [fromEnv, sources.flags]);
    return parsed.data;
  }
  const { issues } = parsed.error;
  // A key that is misspelled is also one that is missing.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const where: Location = { file: sources.file, text: sources.text, fromFile, fromEnv, fromFlags: sources.flags };
  throw issue === undefined
    ? new PeagenError('invalid_config', `${sources.file} is invalid.`)
    : explainIssue(issue, where, Config);
}

function parseToml(text: string, file: string): Tree {
  try {
    return parse(text);
  } catch (caught) {
    if (!(caught instanceof TomlError)) throw caught;
    const [reason] = caught.message.replace('Invalid TOML document: ', '').split('\n');
    throw new PeagenError('invalid_config', `${file}:${caught.line}:${caught.column} is not valid TOML: ${reason}.`, {
      ...(/\.ya?ml$/.test(file) ? { hint: 'Leave --config out: the config.yaml of a folder is read without it.' } : {}),
    });
  }
}

/** `PEAGEN__EVOLVE__STOP__MAX_GENERATIONS=5` as a tree; a value that is JSON is taken as such, else as a string. */
function environmentTree(env: NodeJS.ProcessEnv): Tree {
  const tree: Tree = {};
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith(ENV_PREFIX) || value === undefined) continue;
    const path = name.slice(ENV_PREFIX.length).toLowerCase().split('__');
    const leaf = path.pop();
    if (leaf === undefined || leaf === '' || path.includes('')) continue;
    let at = tree;
    for (const part of path) {
      if (!isTree(at[part])) at[part] = {};
      at = at[part] as Tree;
    }
    at[leaf] = jsonOr(value);
  }
  return tree;
}

function jsonOr(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function merge(base: Tree, over: Tree): Tree {
  const result: Tree = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const existing = result[key];
    result[key] = isTree(value) && isTree(existing) ? merge(existing, value) : value;
  }
  return result;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** `idle_ms` is the older name of `lease_ms`. */
function useNewNames(tree: Tree): void {
  const queue = tree['task_queue'];
  if (!isTree(queue) || queue['idle_ms'] === undefined) return;
  const { idle_ms: old, ...rest } = queue;
  tree['task_queue'] = { lease_ms: old, ...rest };
}

/** A workspace brings its configuration along; whether its code runs without a sandbox is for the user alone to say. */
function refusePlain(file: string, fromFile: Tree, fromUser: readonly Tree[]): void {
  const named = (tree: Tree) => (isTree(tree['evaluate']) ? tree['evaluate']['sandbox'] : undefined);
  if (named(fromFile) !== 'plain' || fromUser.some((tree) => named(tree) !== undefined)) return;
  throw new PeagenError(
    'invalid_config',
    `evaluate.sandbox = "plain" in ${file} is refused: a file cannot switch the sandbox off.`,
    {
      hint: 'Remove it there, and set PEAGEN__EVALUATE__SANDBOX=plain, or pass --sandbox plain, to run code without a sandbox.',
    },
  );
}

/** A file cannot decide which environment variable goes to which server, except to a provider's own. */
function requireKeys({ llm }: Config, file: string, allowed: Allowed): void {
  for (const backend of llm.backends) {
    const pair = foreignKey(backend);
    if (pair !== undefined) requireAllowedKey(backend.name, file, pair, allowed);
  }
}

function refuseSecrets(config: Config, file: string): void {
  const { url } = config.task_queue;
  if (url !== undefined && URL.canParse(url) && new URL(url).password !== '' && file.endsWith('.toml')) {
    throw new PeagenError('invalid_config', `task_queue.url in ${file} holds a password.`, {
      hint: 'Remove it there and set PEAGEN_REDIS_PASSWORD instead.',
    });
  }
}
