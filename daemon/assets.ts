/**
 * Finds the files that travel next to the code: runners, Lua scripts, prompts, grammars, and our own entry points.
 * All bundles lie flat in dist/daemon, with assets under the same relative paths as in daemon/, so one rule serves both.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const fromSource = existsSync(join(here, 'assets.ts'));

/** Absolute path of an asset, given relative to daemon/, such as `executors/runners/runner.py`. */
export function assetPath(relative: string): string {
  return join(here, relative);
}

/** Absolute path of the shipped samples and of the grammars. */
export const samplesDir = fromSource ? join(here, '..', 'media', 'samples') : join(here, '..', '..', 'media', 'samples');
/** The template sets that come with Peagen. */
export const templateSetsDir = fromSource ? join(here, '..', 'media', 'template-sets') : join(here, 'template-sets');
export const grammarDir = fromSource
  ? join(here, '..', 'node_modules', '@vscode', 'tree-sitter-wasm', 'wasm')
  : join(here, 'grammars');
/** The WASM half of web-tree-sitter. The one that comes with the grammars belongs to another version of it. */
export const parserRuntime = fromSource
  ? join(here, '..', 'node_modules', 'web-tree-sitter', 'web-tree-sitter.wasm')
  : join(grammarDir, 'web-tree-sitter.wasm');

/** The template engine's WebAssembly module. */
export const jinjaWasm = fromSource
  ? join(here, '..', 'node_modules', 'minijinja-js', 'dist', 'web', 'minijinja_js_bg.wasm')
  : join(here, 'minijinja.wasm');

const entryPoints = {
  cli: 'cli/main.ts',
  daemon: 'server/main.ts',
  worker: 'worker/main.ts',
  thread: 'handlers/thread.ts',
} as const;

/** The script to pass to Node for one of our own processes. */
export function entryPoint(name: keyof typeof entryPoints): string {
  return fromSource ? join(here, entryPoints[name]) : join(here, `${name}.js`);
}
