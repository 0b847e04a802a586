/**
 * The interpreters and compilers a command may call that live outside /usr, as mounts, a PATH and variables. Nothing of the
 * user's home next to them: no settings, no credentials.
 */
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { findInterpreter } from '../../executors/interpreters.ts';
import type { Mount } from '../../executors/sandbox.ts';

interface Toolchain {
  readonly mounts: readonly Mount[];
  readonly env: Readonly<Record<string, string>>;
}

export async function toolchain(): Promise<Toolchain> {
  const mounts = new Map<string, Mount>();
  const show = (from: string, at = from): void => {
    if (existsSync(from)) mounts.set(at, { from, at });
  };
  const folders: string[] = [];
  for (const runtime of ['python', 'node'] as const) {
    // A command in another language needs none of them.
    const interpreter = await findInterpreter(runtime).catch(() => undefined);
    if (interpreter === undefined) continue;
    for (const prefix of interpreter.prefixes) show(prefix);
    if (interpreter.prefixes.length > 0) folders.push(dirname(interpreter.path));
  }
  const env = { ...rust(show, folders), ...go(show, folders) };
  return { mounts: [...mounts.values()], env: { ...env, PATH: [...new Set([...folders, ...usual])].join(delimiter) } };
}

type Show = (from: string, at?: string) => void;

const usual = ['/usr/local/bin', '/usr/bin', '/bin'];

/** The folder of a program on the PATH when it lies outside of what every sandbox sees. */
function elsewhere(program: string): string | undefined {
  const folder = (process.env['PATH'] ?? '').split(delimiter).find((each) => existsSync(join(each, program)));
  return folder === undefined || folder.startsWith('/usr/') || folder === '/bin' ? undefined : folder;
}

/** What was downloaded is read; what cargo writes next to it goes into the sandbox's own folder. */
function rust(show: Show, folders: string[]): Record<string, string> {
  const folder = elsewhere('cargo');
  if (folder === undefined) return {};
  const toolchains = process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup');
  const home = process.env['CARGO_HOME'] ?? join(homedir(), '.cargo');
  show(folder);
  show(toolchains);
  show(join(home, 'registry'), '/tmp/.cargo/registry');
  folders.push(folder);
  return { RUSTUP_HOME: toolchains, CARGO_HOME: '/tmp/.cargo' };
}

function go(show: Show, folders: string[]): Record<string, string> {
  const modules = process.env['GOMODCACHE'] ?? join(process.env['GOPATH'] ?? join(homedir(), 'go'), 'pkg', 'mod');
  const cache = { GOCACHE: '/tmp/.go-build', GOPATH: '/tmp/.go', ...(existsSync(modules) ? { GOMODCACHE: modules } : {}) };
  show(modules);
  const folder = elsewhere('go');
  if (folder === undefined) return cache;
  show(dirname(dirname(realpathSync(join(folder, 'go')))));
  show(folder);
  folders.push(folder);
  return cache;
}
