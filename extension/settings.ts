/** The user's settings, read once at the edge and typed behind it. Values of a wrong type count as not set. */
import * as vscode from 'vscode';

export interface Settings {
  /** Node that runs the daemon; default: the one of VS Code. */
  readonly nodePath: string | undefined;
  /** At most this many generations; default: from `.peagen.toml`, else its default. */
  readonly generations: number | undefined;
  /** Candidates per generation; default: from `.peagen.toml`, else its default. */
  readonly population: number | undefined;
  readonly selector: string | undefined;
  /** What a run may take unless the user says otherwise when it starts; undefined: as configured. */
  readonly minutes: number | undefined;
  readonly tokens: number | undefined;
  /** For daemons that start from now on; undefined: as configured. */
  readonly sandbox: string | undefined;
  readonly parallel: number | undefined;
  /** Those that stay when old runs are removed. */
  readonly keepRuns: number;
  readonly mutator: string | undefined;
  readonly backend: string | undefined;
}

const KEEP_RUNS = 20;

export function settings(scope?: vscode.Uri): Settings {
  return from(vscode.workspace.getConfiguration('peagen', scope));
}

/** Takes anything with `get`, so that it can be tried without an editor. */
function from(source: { get(key: string): unknown }): Settings {
  const count = (key: string) => whole(source.get(key));
  return {
    nodePath: text(source.get('nodePath')),
    generations: count('generations'),
    population: count('population'),
    selector: text(source.get('selector')),
    minutes: count('limit.minutes'),
    tokens: count('limit.tokens'),
    sandbox: text(source.get('sandbox')),
    parallel: count('parallel'),
    keepRuns: count('keepRuns') ?? KEEP_RUNS,
    mutator: text(source.get('mutator')),
    backend: text(source.get('backend')),
  };
}

function whole(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}
