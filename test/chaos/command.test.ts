/** The command line as it ships, killed with SIGKILL again and again, at moments that nobody chose. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createRandom } from '../../daemon/random.ts';
import { RunEvent, RunSummary } from '../../shared/run.ts';
import { builtScript } from '../built.ts';
import { writeCountedTarget } from '../integration/evolve/counted-target.ts';
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

  it('ends in silence when nobody reads its output any more', async () => {
    const child = spawn(process.execPath, [builtScript('cli'), '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
    assert.deepEqual([said, status], ['', 0]);
  });

  it('comes to the same candidates, each evaluated once, however often it is killed', async () => {
    const home = place('any-moment');
    const random = createRandom(11);
    // Each may get further than the last, so that there is an end, on a machine of any speed.
    const kills = await killUntilDone(home, (child, nth) =>
      killAfter(child, home, 1 + random.next() * (3 + 3 * nth), random.next() * 50),
    );
    assert.ok(kills >= 3, `${kills} kills`);
  });

  it('comes to them also when it is killed while a result is being written', async () => {
    const home = place('while-writing');
    const incoming = join(home, '.peagen', 'results', '.incoming');
    mkdirSync(incoming, { recursive: true });
    // The nth process at one of sixteen more changes of the folder, so that there is an end.
    const kills = await killUntilDone(home, (child, nth) => {
      let files = 0;
      const watcher = watch(incoming, () => {
        if (++files > nth * 16) child.kill('SIGKILL');
      });
      child.once('exit', () => watcher.close());
    });
    assert.ok(kills >= 3, `${kills} kills`);
  });

  /** Returns how many of the processes were killed before the run had ended. */
  async function killUntilDone(home: string, arm: (child: ChildProcess, nth: number) => void): Promise<number> {
    const runs = join(home, '.peagen', 'runs');
    for (let kills = 0; ; kills++) {
      const args = eventsIn(runs).length > 0 ? ['evolve', 'run', '--resume', '--sync', '--json'] : begin;
      const child = spawn(process.execPath, [builtScript('cli'), ...args], { cwd: home, stdio: ['ignore', 'ignore', 'pipe'] });
      arm(child, kills);
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      const [stderr, status] = await Promise.all([text(child.stderr), ended]);
      const events = eventsIn(runs);
      const last = events.at(-1);
      // Killed as well may be one whose run had just ended.
      if (last?.type !== 'stopped') {
        assert.equal(status, null, stderr);
        continue;
      }
      const evaluated = events.flatMap((event) => (event.type === 'evaluated' ? [event.slot.index] : []));
      assert.equal(new Set(evaluated).size, evaluated.length, 'something was evaluated twice');
      assert.equal(last.summary?.candidates_digest, whole.candidates_digest);
      assert.equal(last.summary?.evaluated, whole.evaluated);
      return kills;
    }
  }
});

function summaryOf({ status, stderr, lastJson }: { status: number | null; stderr: string; lastJson: unknown }): RunSummary {
  assert.equal(status, 0, stderr);
  return RunSummary.parse(lastJson);
}

/** Kills a process `ms` after it has written that number of events. */
function killAfter(child: ChildProcess, home: string, events: number, ms: number): void {
  const runs = join(home, '.peagen', 'runs');
  const before = eventsIn(runs).length;
  let killing: NodeJS.Timeout | undefined;
  const looking = setInterval(() => {
    if (killing === undefined && eventsIn(runs).length - before >= events) killing = setTimeout(() => child.kill('SIGKILL'), ms);
  }, 10);
  child.once('exit', () => {
    clearInterval(looking);
    clearTimeout(killing);
  });
}

/** What the journal of the only run holds, complete lines of it. One that was killed before its first has not begun. */
function eventsIn(runs: string): RunEvent[] {
  const journals = globSync('*/journal.jsonl', { cwd: runs }).map((path) => readFileSync(join(runs, path), 'utf8').split('\n'));
  const begun = journals.map((lines) => lines.slice(0, -1)).filter(({ length }) => length > 0);
  assert.ok(begun.length <= 1, 'one run');
  return begun.flat().map((line) => RunEvent.parse(JSON.parse(line)));
}
