/**
 * The one registry of everything pluggable. A registration is a name and a loader: the code behind it is imported when
 * it is first used, so that a worker loads only what it runs. Built-in parts register in builtin.ts like any other.
 */

import { nearest, PeagenError } from '../shared/errors.ts';

/**
 * What each kind of plugin makes, from what. Each room adds its own kind next to the contract, so that this file stands on
 * none of them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled where the contracts are
export interface PluginKinds {}

export type PluginKind = keyof PluginKinds;

interface PluginInfo {
  readonly kind: PluginKind;
  readonly name: string;
  /** `builtin`, or the package it came from with its version. */
  readonly source: string;
}

/** Why a package, or one of its parts, cannot be used. */
interface PluginProblem {
  /** As it is named in the configuration. */
  readonly package: string;
  readonly error: PeagenError;
}

export class Registry {
  private readonly found: PluginProblem[] = [];
  private readonly entries = new Map<string, { info: PluginInfo; load: () => Promise<unknown> }>();

  /** Throws `conflict` when the name is taken: a plugin never replaces another silently. */
  register<K extends PluginKind>(kind: K, name: string, load: () => Promise<PluginKinds[K]>, source = 'builtin'): void {
    const key = `${kind}:${name}`;
    const existing = this.entries.get(key);
    if (existing !== undefined) {
      throw new PeagenError('conflict', `The ${kind} "${name}" of ${source} is already provided by ${existing.info.source}.`);
    }
    this.entries.set(key, { info: { kind, name, source }, load });
  }

  /** The factory of a plugin. Throws `not_found` with the nearest name. */
  async load<K extends PluginKind>(kind: K, name: string): Promise<PluginKinds[K]> {
    this.require(kind, name);
    // The registration of this key was typed by `register`.
    return (await this.entries.get(`${kind}:${name}`)?.load()) as PluginKinds[K];
  }

  /** Throws `not_found`, naming the nearest name and all known ones. */
  require(kind: PluginKind, name: string): void {
    if (this.entries.has(`${kind}:${name}`)) return;
    const known = this.names(kind);
    const near = nearest(name, known);
    throw new PeagenError('not_found', `There is no ${kind} "${name}".`, {
      hint: `${near === undefined ? '' : `Did you mean "${near}"? `}Known: ${known.join(', ') || 'none'}.${this.told()}`,
    });
  }

  /** A package that cannot be used: said where one of its parts is asked for, and in the list of plugins. */
  report(name: string, error: PeagenError): void {
    this.found.push({ package: name, error });
  }

  get problems(): readonly PluginProblem[] {
    return this.found;
  }

  private told(): string {
    return this.found.map(({ error }) => ` Not in use: ${error.line}`).join('');
  }

  has(kind: PluginKind, name: string): boolean {
    return this.entries.has(`${kind}:${name}`);
  }

  /** `builtin`, or the package it came from; undefined for a name that nothing provides. */
  sourceOf(kind: PluginKind, name: string): string | undefined {
    return this.entries.get(`${kind}:${name}`)?.info.source;
  }

  names(kind: PluginKind): string[] {
    return this.list()
      .filter((info) => info.kind === kind)
      .map((info) => info.name);
  }

  list(): PluginInfo[] {
    return [...this.entries.values()].map((entry) => entry.info);
  }
}
