/**
 * Where our processes keep their compiled code between starts: in the user's own cache folder, since anyone who writes there
 * runs code.
 */
import { mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** What this process imports from here on is compiled once for all its like. */
export function useCompileCache(): void {
  const folder = compileCache(process.env);
  if (folder !== undefined) enableCompileCache(folder);
}

/** Undefined when there is no such folder: processes then start a little slower. */
export function compileCache(env: NodeJS.ProcessEnv): string | undefined {
  const folder = join(cacheHome(env), 'peagen', 'compiled');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return folder;
  } catch {
    return undefined;
  }
}

function cacheHome(env: NodeJS.ProcessEnv): string {
  if (process.platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches');
  return env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
}
