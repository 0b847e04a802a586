/**
 * One real run, recorded once for all journeys that are not about the search itself: its process is killed under way, so that
 * a journey shows it as it is, or resumes it and has a live run with elites at once.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { calm } from './editor.ts';
import { cache, cli, project, staged, typedInputs } from './parts.ts';

/** Niches that the run has filled when it is killed, that of the original counted. */
const NICHES = 5;
/** It took 47 s at a load of 15 on two processors, and had no generation after two minutes at a load of 35. */
const LIMIT_MS = 300_000;
/** More generations than a journey lasts: with its mutator, the run ends by no other reason than that it is stopped. */
const RECORDED_GENERATIONS = 100_000;
/** For the daemon of every editor that goes on with the run, or starts another one with the mutator `endless`. */
export const endless = {
  PEAGEN_PLUGINS: join(import.meta.dirname, '..'),
  PEAGEN__PLUGINS__PACKAGES: JSON.stringify([join(import.meta.dirname, '..', 'endless')]),
};

/** The folder that holds the run, recorded when this build has none. */
export async function recordedRun(): Promise<string> {
  const build = readFileSync(staged('dist', 'build-id'), 'utf8').trim();
  const folder = join(cache, 'recorded', build);
  if (!existsSync(folder)) {
    const part = `${folder}.part`;
    rmSync(join(cache, 'recorded'), { recursive: true, force: true });
    await record(part);
    renameSync(part, folder);
  }
  return folder;
}

async function record(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  cpSync(join(project, 'media', 'samples', 'bad_sort', 'bad_sort.py'), join(folder, 'bad_sort.py'));
  writeFileSync(join(folder, 'inputs.json'), typedInputs);
  // The folder lies within the checkout, whose configuration is not that of the run.
  writeFileSync(join(folder, '.peagen.toml'), '');
  const target = ['--target-file', 'bad_sort.py', '--entry-fn', 'bad_sort', '--inputs', 'inputs.json', '--mutator', 'endless'];
  const size = ['--generations', String(RECORDED_GENERATIONS), '--seed', '1', '--sync'];
  const child = spawn(process.execPath, [cli(), 'evolve', 'run', ...target, ...size], {
    cwd: folder,
    env: { ...process.env, ...calm, ...endless, PEAGEN__WORKER__DEFAULTS__MAX_PARALLEL: '2' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: Buffer[] = [];
  child.stderr.on('data', (piece: Buffer) => said.push(piece));
  const ended = once(child, 'exit');
  const found = () => Number(/.*\b(\d+) niches/s.exec(String(Buffer.concat(said)))?.[1] ?? 0);
  try {
    for (const deadline = Date.now() + LIMIT_MS; found() < NICHES; ) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline)
        throw new Error(`The run to record filled ${found()} of ${NICHES} niches:\n${Buffer.concat(said)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Puts the recorded run into a journey's folder, as if it had been made, and with `paused` been paused, there. */
export function copyRecordedRun(recorded: string, folder: string, { paused = false } = {}): void {
  cpSync(join(recorded, '.peagen'), join(folder, '.peagen'), { recursive: true });
  const runs = join(folder, '.peagen', 'runs');
  for (const run of readdirSync(join(recorded, '.peagen', 'runs'))) {
    // No two folders have a run of the same name.
    const name = run.replace(/[0-9a-f]+$/, (digits) => randomBytes(digits.length).toString('hex').slice(0, digits.length));
    renameSync(join(runs, run), join(runs, name));
    // Its paths are those of the folder where it was recorded, and of the name that the folder had then.
    const file = join(runs, name, 'journal.jsonl');
    const text = readFileSync(file, 'utf8').replaceAll(`${recorded}.part`, folder).replaceAll(recorded, folder);
    // The lines' checksums are of the names that they had. A journal without any is as version 0.1 wrote it.
    const lines = text.replaceAll(run, name).replaceAll(/,"sum":"[0-9a-f]+"\}$/gm, '}');
    // The line that was being written when the process was killed has no end.
    const whole = lines.slice(0, lines.lastIndexOf('\n') + 1);
    const pause = JSON.stringify({ type: 'paused', at: new Date().toISOString() });
    writeFileSync(file, paused ? `${whole}${pause}\n` : whole);
  }
}
