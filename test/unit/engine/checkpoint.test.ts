import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../../daemon/config/load.ts';
import { selectorOf } from '../../../daemon/engine/mutate/selector.ts';
import { CHECKPOINT } from '../../../daemon/engine/records/checkpoint.ts';
import { RunRecords } from '../../../daemon/engine/records/run-records.ts';
import { extensionOf } from '../../../daemon/engine/target/reuse.ts';
import type { Log } from '../../../daemon/telemetry/log.ts';
import type { RunId } from '../../../shared/ids.ts';
import type { RunRequest } from '../../../shared/protocol/runs.ts';
import { openScene, registry, request, summaryOf } from './scene.ts';

const config = parseConfig({ text: '', file: '.peagen.toml', env: {}, flags: {} });

describe('the checkpoint of a run', () => {
  let folder: string;
  let warnings: string[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-checkpoint-'));
    warnings = [];
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const warn = (fields: unknown, message?: string) => void warnings.push(message ?? String(fields));
  const log: Log = { debug: warn, info: warn, warn, error: warn, child: () => log };
  const recordsOf = (home: string, build = '') => new RunRecords(home, log, (spec) => selectorOf(spec, config, registry), build);
  const fileOf = (home: string, run: string, name: string) => join(home, '.peagen', 'runs', run, name);

  /** A copy of the run's workspace with only the first lines of its journal. */
  async function cut(run: RunId, lines: number): Promise<string> {
    const home = join(folder, `first-${lines}`);
    await cp(join(folder, '.peagen'), join(home, '.peagen'), { recursive: true });
    await rm(fileOf(home, run, CHECKPOINT), { force: true });
    const text = await readFile(fileOf(folder, run, 'journal.jsonl'), 'utf8');
    await writeFile(fileOf(home, run, 'journal.jsonl'), text.trimEnd().split('\n').slice(0, lines).join('\n').concat('\n'));
    return home;
  }

  const best = (metric: string) => `{ metric = "${metric}", direction = "max" }`;
  const front = `[evaluate.objectives]\ncombine = "weighted"\nof = [${best('speedup')}, ${best('number')}]\n`;
  const settings: Record<string, [asked: Partial<RunRequest>, toml?: string]> = {
    'one archive': [{ mutator: 'auto', population: 4 }],
    'islands, and selectors that learn': [
      { selector: 'ucb', deterministic: false, islands: { count: 2, interval: 1, migrants: 1 } },
    ],
    'a Pareto front': [{}, front],
    'niches whose borders move': [{ axes: [{ name: 'size', bin: 4, unit: '', scale: 'quantile' }] }],
    'niches spread over the space': [{ selector: 'thompson' }, '[evolve.archive]\nkind = "cvt"\nniches = 32\n'],
  };
  for (const [name, [asked, toml = '']] of Object.entries(settings)) {
    it(`gives the state that the journal alone gives, wherever it was written (${name})`, async () => {
      const { run } = await summaryOf(
        await openScene(folder, request({ ...asked, stop: { max_generations: 4 } }), 2, { settings: toml }),
      );
      const journal = await readFile(fileOf(folder, run, 'journal.jsonl'));
      const whole = await recordsOf(await cut(run, 10_000)).folded(run);
      const lines = journal.toString().trimEnd().split('\n').length;
      for (let kept = 1; kept < lines; kept += 5) {
        const home = await cut(run, kept);
        await recordsOf(home).checkpoint(run);
        await writeFile(fileOf(home, run, 'journal.jsonl'), journal);
        const folded = await recordsOf(home).folded(run);
        assert.deepEqual(folded.state, whole.state, `after ${kept} lines`);
        assert.deepEqual(folded.mark, whole.mark);
      }
      assert.deepEqual(warnings, []);
    });
  }

  it('is written when a generation or the run has ended, and is used', async () => {
    const { run } = await summaryOf(await openScene(folder, request({ stop: { max_generations: 3 } })));
    const { size } = await stat(fileOf(folder, run, CHECKPOINT));
    assert.ok(size > 1000, `${size}`);
    const { state } = await recordsOf(folder).folded(run);
    assert.equal(state.stopped?.reason, 'max_generations');
  });

  it('is left aside with a warning when it is damaged, or of another journal, and silently when another build wrote it', async () => {
    const { run } = await summaryOf(await openScene(folder, request({ stop: { max_generations: 2 } })));
    const whole = await recordsOf(await cut(run, 10_000)).folded(run);
    const path = fileOf(folder, run, CHECKPOINT);
    const good = await readFile(path);
    const flipped = Buffer.from(good);
    flipped.writeUInt8((flipped[flipped.length - 9] ?? 0) ^ 1, flipped.length - 9);
    for (const bad of [flipped, good.subarray(0, 500), Buffer.from('{}'), Buffer.alloc(0)]) {
      await writeFile(path, bad);
      warnings = [];
      const read = await recordsOf(folder).folded(run);
      assert.deepEqual(read.state, whole.state);
      assert.deepEqual(read.warnings, warnings);
      assert.match(warnings.join('\n'), /^The checkpoint .* is damaged: .*read from its journal/);
    }
    assert.equal(await recordsOf(folder).ofCheckpoint(path), run);
    const elsewhere = join(folder, 'copy');
    await writeFile(elsewhere, 'damaged');
    await assert.rejects(recordsOf(folder).ofCheckpoint(elsewhere), /is damaged/);
    await writeFile(path, good);
    warnings = [];
    assert.deepEqual((await recordsOf(folder, 'other').folded(run)).state, whole.state);
    assert.deepEqual(warnings, []);
    const journal = fileOf(folder, run, 'journal.jsonl');
    await writeFile(journal, (await readFile(journal, 'utf8')).replace('"generation":1', '"generation":9'));
    await assert.rejects(recordsOf(folder).folded(run), /the line was changed/);
    assert.match(warnings.join('\n'), /is not of the journal next to it/);
  });

  it('does not keep the ending of a run that was extended', async () => {
    const { run } = await summaryOf(await openScene(folder, request({ stop: { max_generations: 2 } })));
    await summaryOf(await openScene(folder, run, 1, { extend: 1 }));
    const { state } = await recordsOf(folder).folded(run);
    assert.deepEqual(state, (await recordsOf(await cut(run, 10_000)).folded(run)).state);
    assert.equal(state.generations.done, 3);
  });

  it('grants a run that is extended again what it was given, not what it came to', async () => {
    const stop = { max_generations: 1, budget_tokens: 1000 };
    const { run } = await summaryOf(await openScene(folder, request({ stop })));
    const { state } = await recordsOf(folder).folded(run);
    const { stopped } = state;
    for (const total of [1400, 1800, 2200]) {
      state.spending.add({ prompt: 300, completion: 100 });
      state.stopped = stopped;
      const extended = extensionOf(state, { generations: 1 });
      assert.equal(extended.stop.budget_tokens, total);
      state.apply({ ...extended, at: new Date().toISOString() });
    }
  });
});
