/** The lenses above functions and the actions on them: evolve, mutate, apply the best that a run has found. */
import { join } from 'node:path';
import { type CodeAction, CodeActionKind, type CodeLens, type Command, type Range } from 'vscode-languageserver';
import { isVerified } from '../../../shared/confidence.ts';
import { plainGain } from '../../../shared/gain.ts';
import type { FunctionInfo } from '../../../shared/protocol/targets.ts';
import type { RunInfo } from '../../../shared/run.ts';
import type { Daemon } from '../server.ts';
import { pathOf } from './documents.ts';

/** Best run of each function, by its name. */
type BestRuns = ReadonlyMap<string, RunInfo>;

/** What a run offers to apply, in words: what it announced, or while it goes on, what it has found so far. */
export function bestOf(info: RunInfo): string | undefined {
  const gain = plainGain(info);
  const { confidence } = info;
  return gain === undefined || confidence === undefined || isVerified(confidence)
    ? gain
    : `${gain}, matches on the calls we have; add inputs`;
}

/**
 * The newest of the runs on this file for each function, of those that go on or found something. A daemon in trouble knows of
 * none.
 */
export async function bestRuns(daemon: Daemon, uri: string): Promise<BestRuns> {
  const path = pathOf(uri);
  const best = new Map<string, RunInfo>();
  const runs = await daemon
    .openEngine()
    .then((engine) => engine.runs())
    .catch(() => []);
  for (const info of runs) {
    const fn = info.target.entry_fn;
    if (fn === undefined || best.has(fn) || (info.state !== 'running' && bestOf(info) === undefined)) continue;
    if (join(info.target.root, info.target.path) === path) best.set(fn, info);
  }
  return best;
}

export function lensesFor(uri: string, functions: FunctionInfo[], best: BestRuns): CodeLens[] {
  return functions.flatMap((fn) => {
    const at: Range = { start: { line: fn.start_line, character: 0 }, end: { line: fn.start_line, character: 0 } };
    return commandsFor(uri, fn, best)
      .filter(({ command }) => command !== 'peagen.mutate')
      .map((command): CodeLens => ({ range: at, command }));
  });
}

/** On the innermost function that holds the start of the range. */
export function actionsFor(uri: string, range: Range, functions: FunctionInfo[], best: BestRuns): CodeAction[] {
  const { line } = range.start;
  const [fn] = functions
    .filter((candidate) => candidate.start_line <= line && line <= candidate.end_line)
    .sort((a, b) => a.end_line - a.start_line - (b.end_line - b.start_line));
  if (fn === undefined) return [];
  return commandsFor(uri, fn, best).map((command) => ({
    title: `Peagen: ${command.title} (${fn.name})`,
    kind: CodeActionKind.RefactorRewrite,
    command,
  }));
}

function commandsFor(uri: string, { name }: FunctionInfo, best: BestRuns): Command[] {
  const found = best.get(name);
  const offered = found === undefined ? undefined : bestOf(found);
  const target = { uri, fn: name };
  return [
    { title: 'Evolve', command: 'peagen.evolve', arguments: [target] },
    { title: 'Mutate once', command: 'peagen.mutate', arguments: [{ ...target, apply: true }] },
    ...(offered === undefined
      ? []
      : [{ title: `Apply best: ${offered}`, command: 'peagen.apply', arguments: [{ uri, run: found?.run }] }]),
    ...(found?.state === 'running' ? [{ title: 'Stop', command: 'peagen.stop', arguments: [{ run: found.run }] }] : []),
  ];
}
