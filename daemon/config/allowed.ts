/**
 * What this user has allowed workspaces to do: which environment variable goes to which server, which folders of other users
 * count, and which plugin packages run. Kept in the user's own configuration folder, which no workspace can write.
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';

/** An environment variable and the origin of a URL that it may be sent to. */
interface KeyPair {
  readonly variable: string;
  readonly origin: string;
}

/** A package as it was when the user confirmed it. */
interface ConfirmedPlugin {
  readonly name: string;
  readonly version: string;
  /** See integrityOf in plugins/integrity.ts. */
  readonly integrity: string;
}

const Allowed = z.object({
  keys: z.array(z.object({ variable: z.string(), origin: z.string() })).default([]),
  /** Real paths. */
  folders: z.array(z.string()).default([]),
  plugins: z.array(z.object({ name: z.string(), version: z.string(), integrity: z.string() })).default([]),
});
export type Allowed = z.infer<typeof Allowed>;

/** The same for a session: `NAME=https://host` with commas between, and folders as in PATH. */
const KEYS = 'PEAGEN_LLM_ALLOW';
const FOLDERS = 'PEAGEN_ALLOW_FOLDERS';

/** Where this user's own settings are kept. */
export function userFolder(env: NodeJS.ProcessEnv): string {
  const home = env['HOME'] || homedir();
  const base = process.platform === 'win32' ? env['APPDATA'] : env['XDG_CONFIG_HOME'];
  return join(base || join(home, '.config'), 'peagen');
}

function allowedFile(env: NodeJS.ProcessEnv): string {
  return join(userFolder(env), 'allowed.json');
}

/** What the file and the environment allow. Throws `invalid_config` for a damaged file. */
export function readAllowed(env: NodeJS.ProcessEnv): Allowed {
  const kept = readFile(allowedFile(env));
  const pairs = (env[KEYS] ?? '').split(',').flatMap((text) => {
    const [variable = '', ...origin] = text.trim().split('=');
    return variable === '' ? [] : [{ variable, origin: origin.join('=') }];
  });
  const folders = (env[FOLDERS] ?? '').split(process.platform === 'win32' ? ';' : ':').filter((folder) => folder !== '');
  return { ...kept, keys: [...kept.keys, ...pairs], folders: [...kept.folders, ...folders] };
}

export function allowKey(pair: KeyPair, env: NodeJS.ProcessEnv): string {
  return change(env, (kept) => ({ ...kept, keys: [...kept.keys.filter((one) => !same(one, pair)), pair] }));
}

export function allowFolder(folder: string, env: NodeJS.ProcessEnv): string {
  return change(env, (kept) => ({ ...kept, folders: [...new Set([...kept.folders, folder])] }));
}

/** In place of another version of the same package. */
export function allowPlugin(plugin: ConfirmedPlugin, env: NodeJS.ProcessEnv): string {
  const { name, version, integrity } = plugin;
  return change(env, (kept) => ({
    ...kept,
    plugins: [...kept.plugins.filter((one) => one.name !== name), { name, version, integrity }],
  }));
}

/** Throws `untrusted` for a package that the user has not confirmed, or that has other files than then. */
export function requireAllowedPlugin(plugin: ConfirmedPlugin, { plugins }: Allowed): void {
  const { name, version, integrity } = plugin;
  const known = plugins.find((one) => one.name === name);
  if (known?.integrity === integrity) return;
  const why =
    known === undefined ? 'has not been confirmed' : `has other files than version ${known.version} had when it was confirmed`;
  throw new PeagenError('untrusted', `The plugin ${name}@${version} ${why}, so it does not run.`, {
    hint: `If you trust it, run "peagen plugin allow ${name}".`,
  });
}

function allowsKey({ keys }: Allowed, pair: KeyPair): boolean {
  return keys.some((one) => same(one, pair));
}

/** Throws `untrusted` for a pair that the user has not confirmed. `name` is that of the back end. */
export function requireAllowedKey(name: string, file: string, pair: KeyPair, allowed: Allowed): void {
  if (allowsKey(allowed, pair)) return;
  throw new PeagenError('untrusted', `llm.backends "${name}" in ${file} would send ${pair.variable} to ${pair.origin}.`, {
    hint: `If that server may have this key, run "peagen llm allow ${name}", or set ${KEYS}="${pair.variable}=${pair.origin}".`,
  });
}

function same(one: KeyPair, other: KeyPair): boolean {
  return one.variable === other.variable && one.origin === other.origin;
}

function readFile(path: string): Allowed {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return Allowed.parse({});
  }
  try {
    return Allowed.parse(JSON.parse(text));
  } catch (cause) {
    throw new PeagenError('invalid_config', `${path} is damaged.`, { hint: 'Delete it and allow again what you need.', cause });
  }
}

/** Returns the path of the file. */
function change(env: NodeJS.ProcessEnv, how: (kept: Allowed) => Allowed): string {
  const path = allowedFile(env);
  const changed = how(readFile(path));
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fresh = `${path}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(changed, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, path);
  return path;
}
