import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Run } from '../../../daemon/engine/run/run.ts';
import { RunState } from '../../../daemon/engine/run/state/run-state.ts';
import { Journal } from '../../../daemon/evolution/journal.ts';
import type { RunEvent } from '../../../shared/run.ts';
import { openScene, recordsOf, request, type Scene, summaryOf, text } from './scene.ts';

/** What events change, in a form that can be compared. */
function digest(state: RunState): unknown {
  const { archive, population, counts, nextIndex, paused, improvedAt, generations, shas, spending } = state;
  return JSON.parse(
    JSON.stringify({
      archive: archive.niches(),
      islands: population.each().map((island) => island.niches()),
      pins: population.pins(),
      open: [...state.open.keys()],
      pending: [...state.pending.keys()],
      wish: state.wishes.next(0) ?? null,
      done: [generations.done, generations.closable ?? null],
      ...{ counts, nextIndex, paused, improvedAt, shas, spent: spending.sum },
    }),
  );
}

const ISLANDS = '[evolve]\nselector = "island"\n[evolve.islands]\ncount = 2\ninterval = 2\nmigrants = 1\n';

describe('the one way to write', () => {
  const { append } = Journal.prototype;
  const { apply } = RunState.prototype;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-write-'));
  });
  afterEach(() => {
    Journal.prototype.append = append;
    RunState.prototype.apply = apply;
    return rm(folder, { recursive: true, force: true });
  });

  it('changes the state of a run by nothing but events that are in its journal', async () => {
    const durable = new Set<RunEvent>();
    const applied: RunEvent[] = [];
    const looked = new Set<RunEvent['type']>();
    let scene: Scene | undefined;
    const live = () => scene?.run.state;
    Journal.prototype.append = async function (event) {
      const state = live();
      if (state !== undefined) {
        const replayed = await recordsOf(folder).begin(state.run, applied[0]);
        // After the last wait: what follows is one step.
        for (const before of applied.slice(1)) apply.call(replayed, before);
        assert.deepEqual(digest(state), digest(replayed), `before "${event.type}" is written`);
        looked.add(event.type);
      }
      await append.call(this, event);
      durable.add(event);
      if (event.type === 'started') applied.push(event);
    };
    RunState.prototype.apply = function (event) {
      if (scene === undefined || this === live()) {
        assert.ok(durable.has(event), `"${event.type}" is applied before it is written`);
        applied.push(event);
      }
      return apply.call(this, event);
    };
    const user = async (run: Run) => {
      await run.pause(true);
      await run.pause(false);
      await run.steer(run.state.original.sha256);
      await run.submit(text.replace('        total = total - 0\n', ''), undefined);
    };
    const asked = request({ mutator: 'scripted', population: 2, deterministic: false, stop: { max_generations: 30 } });
    let acted: Promise<void> | undefined;
    scene = await openScene(folder, asked, 2, {
      settings: ISLANDS,
      hear: (event, run) => {
        if (event.type === 'generation' && run !== undefined) acted ??= user(run);
      },
    });
    await summaryOf(scene);
    await acted;
    for (const type of ['selected', 'mutated', 'evaluated', 'inserted', 'generation', 'judged', 'steered', 'confirmed'] as const)
      assert.ok(looked.has(type), `"${type}" was never written`);
    assert.deepEqual(await recordsOf(folder).events(scene.run.id), JSON.parse(JSON.stringify(applied)));
  });
});
