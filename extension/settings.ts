/** The user's settings, read once at the edge and typed behind it. Values of a wrong type count as not set. */
import * as vscode from 'vscode';

export interface Settings {
  /** Node that runs the daemon; default: the one of VS Code. */
  readonly nodePath: string | undefined;
  /** At most this many generations; default: from `.peagen.toml`, else its default. */
  readonly generations: number | undefined;
  readonly mutator: string | undefined;
  readonly backend: string | undefined;
}

export function settings(scope?: vscode.Uri): Settings {
  return from(vscode.workspace.getConfiguration('peagen', scope));
}

/** Takes anything with `get`, so that it can be tried without an editor. */
export function from(source: { get(key: string): unknown }): Settings {
  const generations = source.get('generations');
  return {
    nodePath: text(source.get('nodePath')),
    generations: typeof generations === 'number' && Number.isInteger(generations) && generations > 0 ? generations : undefined,
    mutator: text(source.get('mutator')),
    backend: text(source.get('backend')),
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
