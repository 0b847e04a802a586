/** A folder with a target to search in, from the command line: real queue, workers and sandboxes. */
import assert from 'node:assert/strict';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { RunEvent, RunSummary } from '../../../shared/run.ts';
import { runPeagen } from '../../peagen.ts';
import { writeCountedTarget } from './counted-target.ts';

export const sample = join(import.meta.dirname, '..', '..', '..', 'media', 'samples', 'bad_sort');

export class SearchFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** With the Python sample as it ships, which is measured. */
  static async make(): Promise<SearchFolder> {
    const folder = await SearchFolder.empty();
    await cp(sample, folder.target, { recursive: true });
    return folder;
  }

  /** With a target whose lines are counted. */
  static async counted(): Promise<SearchFolder> {
    const folder = await SearchFolder.empty();
    writeCountedTarget(folder.target);
    return folder;
  }

  private static async empty(): Promise<SearchFolder> {
    const folder = new SearchFolder(await mkdtemp(join(tmpdir(), 'peagen-search-')));
    await mkdir(folder.target);
    return folder;
  }

  private get target(): string {
    return join(this.path, 'target');
  }

  /** Evolves the target with `settings` after its own, as TOML. */
  async evolve(settings: string, ...args: string[]): Promise<{ json: unknown; summary: RunSummary }> {
    const file = join(this.target, '.peagen.toml');
    await writeFile(file, `${await readFile(file, 'utf8')}\n${settings}`);
    const command = ['evolve', 'run', this.target, '--seed', '4', '--sync', '--json', '--yes', ...args];
    const { status, lastJson, stderr } = await runPeagen(command, this.path);
    assert.equal(status, 0, stderr);
    return { json: lastJson, summary: RunSummary.parse(lastJson) };
  }

  events(run: string): Promise<RunEvent[]> {
    return eventsOf(this.path, run);
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true, force: true });
  }
}

/** What the journal of a run holds, in the folder that the run was started in. */
export async function eventsOf(folder: string, run: string): Promise<RunEvent[]> {
  const text = await readFile(join(folder, '.peagen', 'runs', run, 'journal.jsonl'), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => RunEvent.parse(JSON.parse(line)));
}

const Replayed = z.looseObject({ candidates: z.number(), identical: z.number() });

/**
 * How many candidates of each of these generations a replay makes again, all of them identical. That of the best would
 * have it measured until it settles.
 */
export async function madeAgain(folder: string, run: string, generations: readonly number[]): Promise<number[]> {
  const made: number[] = [];
  for (const generation of generations) {
    const command = ['evolve', 'replay', run, '--generation', String(generation), '--sync', '--json'];
    const { status, lastJson, stderr } = await runPeagen(command, folder);
    assert.equal(status, 0, stderr);
    const { candidates, identical } = Replayed.parse(lastJson);
    assert.equal(identical, candidates);
    made.push(identical);
  }
  return made;
}
