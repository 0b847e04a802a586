/** The command line as it ships, killed with SIGKILL again and again, at moments that nobody chose. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createRandom } from '../../daemon/evolution/random.ts';
import { RunSummary } from '../../shared/run.ts';
import { builtScript } from '../built.ts';
import { writeCountedTarget } from '../integration/counted-target.ts';
import { runPeagen } from '../peagen.ts';

const how = ['--sync', '--deterministic', '--json'];
const begin = ['evolve', 'run', '--generations', '3', '--population', '4', '--seed', '3', '--mutator', 'structural', ...how];

describe('chaos: the command', function () {
  this.timeout(400_000);
  let folder: string;
  let whole: RunSummary;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'peagen-chaos-'));
    whole = summaryOf(await runPeagen(begin, place('whole')));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function place(name: string): string {
    const path = join(folder, name);
    mkdirSync(path);
    writeCountedTarget(path);
    return path;
  }

  it('comes to the same candidates, each evaluated once, however often it is killed', async () => {
    const home = place('any-moment');
    const random = createRandom(11);
    // Each may live for longer than the last, so that there is an end.
    const kills = await killUntilDone(home, (child, nth) => killAfter(child, 200 + nth * 150 + random.next() * 1500));
    assert.ok(kills >= 3, `${kills} kills`);
  });

  it('comes to them also when it is killed while a result is being written', async () => {
    const home = place('while-writing');
    const incoming = join(home, '.peagen', 'results', '.incoming');
    mkdirSync(incoming, { recursive: true });
    // The nth process at its nth file, so that there is an end.
    const kills = await killUntilDone(home, (child, nth) => {
      let files = 0;
      const watcher = watch(incoming, () => {
        if (++files > nth * 2) child.kill('SIGKILL');
      });
      child.once('exit', () => watcher.close());
    });
    assert.ok(kills >= 3, `${kills} kills`);
  });

  /** Answers how many of the processes were killed before one came to the end. */
  async function killUntilDone(home: string, arm: (child: ChildProcess, nth: number) => void): Promise<number> {
    for (let kills = 0; ; kills++) {
      const runs = join(home, '.peagen', 'runs');
      const isBegun = existsSync(runs) && readdirSync(runs).some((run) => existsSync(join(runs, run, 'journal.jsonl')));
      const args = isBegun ? ['evolve', 'run', '--resume', ...how] : begin;
      const child = spawn(process.execPath, [builtScript('cli'), ...args], { cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
      arm(child, kills);
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      const [stdout, stderr, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
      if (status === null) continue;
      const summary = summaryOf({ status, stderr, lastJson: JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') });
      assert.equal(summary.candidates_digest, whole.candidates_digest);
      const evaluated = evaluatedIn(join(runs, summary.run));
      assert.equal(new Set(evaluated).size, evaluated.length, 'something was evaluated twice');
      assert.equal(summary.evaluated, whole.evaluated);
      return kills;
    }
  }
});

function summaryOf({ status, stderr, lastJson }: { status: number | null; stderr: string; lastJson: unknown }): RunSummary {
  assert.equal(status, 0, stderr);
  return RunSummary.parse(lastJson);
}

function killAfter(child: ChildProcess, ms: number): void {
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  child.once('exit', () => clearTimeout(timer));
}

/** Slots with an evaluation in the journal of this run. */
function evaluatedIn(run: string): string[] {
  return readFileSync(join(run, 'journal.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"evaluated"'))
    .map((line) => JSON.stringify(JSON.parse(line).slot));
}
