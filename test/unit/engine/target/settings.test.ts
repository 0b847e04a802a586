import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '../../../../daemon/config/load.ts';
import { RunRecords } from '../../../../daemon/engine/records/run-records.ts';
import { resolveRequest } from '../../../../daemon/engine/target/resolve.ts';
import { createLog } from '../../../../daemon/telemetry/log.ts';
import { RunRequest } from '../../../../shared/protocol/runs.ts';
import { nicheLabel } from '../../../../shared/words/niche-label.ts';
import { openScene, registry, request, summaryOf } from '../scene.ts';

describe('settings of a run', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-settings-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('keep a CVT archive, when asked for, also when the journal is read back', async () => {
    const asked = request({ mutator: 'scripted', population: 6, stop: { max_generations: 6 } });
    const scene = await openScene(folder, asked, 4, { settings: '[evolve.archive]\nkind = "cvt"\nniches = 12\n' });
    const { run, coverage } = await summaryOf(scene);
    const { archive } = scene.run.state;
    assert.equal(archive.geometry.kind, 'cvt');
    assert.ok(coverage > 1 && coverage <= 12);
    const records = new RunRecords(folder, createLog({ level: 'silent' }), async () => scene.run.state.selectors.of(0));
    assert.deepEqual((await records.load(run)).archive.champions(), archive.champions());
    for (const { niche } of archive.champions()) assert.equal(nicheLabel(niche, archive.axes), `niche ${niche}`);
  });

  it('make fitness of several objectives, and announce the best by them', async () => {
    const settings = `[evaluate.objectives]
combine = "lexicographic"
of = [{ metric = "baseline_ms", direction = "max" }, { metric = "speed_ms", direction = "min" }]
`;
    const scene = await openScene(folder, request({ mutator: 'scripted', population: 6 }), 4, { settings });
    const { best } = await summaryOf(scene);
    const [baseline] = scene.events.filter((event) => event.type === 'baseline');
    assert.ok(baseline !== undefined && best !== null);
    assert.equal(Math.floor(baseline.fitness), baseline.metrics['baseline_ms']);
    const [minimised] = scene.events.filter((event) => event.type === 'minimised');
    const found = minimised?.from ?? best.sha256;
    assert.equal(
      found,
      [...scene.run.state.archive.champions()].filter(({ index }) => index >= 0).sort((a, b) => b.fitness - a.fitness)[0]?.sha256,
    );
    assert.ok(best.score !== undefined && best.score.fitness > best.score.original);
    assert.equal(best.score.original, baseline.fitness);
  });

  it('announce the best by the metric that the user names, whatever its speed', async () => {
    for (const [direction, seed] of [
      ['max', 1],
      ['max', 2],
      ['min', 3],
      ['min', 4],
    ] as const) {
      // As the configuration says it, or, in its place, the request.
      const configured = seed % 2 === 0 ? direction : 'max';
      const settings = `[evaluate.objectives]\ncombine = "weighted"\nof = [{ metric = "number", direction = "${configured}" }]\n`;
      const objectives = { combine: 'weighted' as const, of: [{ metric: 'number', direction }] };
      const home = join(folder, `${direction}-${seed}`);
      const asked = request({ mutator: 'scripted', population: 6, seed, ...(configured === direction ? {} : { objectives }) });
      const scene = await openScene(home, asked, 4, { settings });
      const { best } = await summaryOf(scene);
      const all = scene.events.flatMap((event) => (event.type === 'evaluated' ? [event.metrics['number'] ?? 0] : []));
      // The original has none.
      const wanted = direction === 'max' ? Math.max(...all) : undefined;
      assert.equal(best === null ? undefined : best.score?.fitness, wanted);
    }
  });

  it('refuse what does not meet a bound of an objective', async () => {
    const settings =
      '[evaluate.objectives]\ncombine = "weighted"\nof = [{ metric = "number", direction = "max", limit = 5000000 }]\n';
    const asked = request({ mutator: 'scripted', population: 6 });
    await assert.rejects(
      summaryOf(await openScene(folder, asked, 4, { settings })),
      /The original does not meet the objectives: number is 0, below 5000000/,
    );
    const other = settings.replace('direction = "max", limit = 5000000', 'direction = "min", limit = 5000000');
    const scene = await openScene(join(folder, 'other'), asked, 4, { settings: other });
    await summaryOf(scene);
    for (const event of scene.events) {
      if (event.type !== 'evaluated' || event.outcome.kind === 'correct') continue;
      assert.match(event.outcome.detail, /^number is \d+, above 5000000, the limit of this objective/);
      assert.equal(event.outcome.kind, 'wrong');
    }
    const refused = scene.events.filter((event) => event.type === 'evaluated' && event.fitness === null);
    const kept = scene.run.state.archive.champions();
    assert.ok(refused.length > 0 && kept.every(({ metrics }) => (metrics['number'] ?? 0) <= 5_000_000));
  });

  it('bound how many candidates are in flight, no matter who asks for more', async () => {
    const config = parseConfig({ text: '', file: '.peagen.toml', env: {}, flags: {} });
    assert.equal((await resolveRequest(request({ population: 1024 }), config, registry)).spec.population, 1024);
    const tooMany = request({ population: 5000 });
    const why = /A generation has at most 1024 candidates, not 5000: ask for fewer, in more generations/;
    await assert.rejects(resolveRequest(tooMany, config, registry), why);
    assert.match(RunRequest.safeParse(tooMany).error?.message ?? '', why);
    const text = '[evolve]\npopulation = 5000\n';
    assert.throws(
      () => parseConfig({ text, file: '.peagen.toml', env: {}, flags: {} }),
      (error: Error) => {
        assert.match(error.message, why);
        assert.doesNotMatch(error.message, /\.\./);
        return true;
      },
    );
  });

  it('refuses objectives of a metric that the evaluator does not give, before there is a run', async () => {
    const config = parseConfig({ text: '', file: '.peagen.toml', env: {}, flags: {} });
    const evaluator = { name: 'function', options: { inputs: '[[[1, 2, 3]]]' } };
    const by = (metric: string): RunRequest['objectives'] => ({
      combine: 'weighted',
      of: [{ metric, direction: 'max', weight: 1 }],
    });
    const asked = (metric: string) => resolveRequest(request({ evaluator, objectives: by(metric) }), config, registry);
    await assert.rejects(asked('speedupp'), /There is no metric "speedupp".*/);
    assert.deepEqual((await asked('speedup')).spec.objectives, by('speedup'));
  });

  it('refuse options of the selector that are wrong before anything begins', async () => {
    const text = '[selector.ucb]\nexploration = -5\n';
    const config = parseConfig({ text, file: '.peagen.toml', env: {}, flags: {} });
    await assert.rejects(resolveRequest(request({ selector: 'ucb' }), config, registry), /selector\.ucb\.exploration: Too small/);
    const own = request({ selector: 'tournament', selector_options: { size: 0 } });
    await assert.rejects(resolveRequest(own, config, registry), /selector\.tournament\.size: Too small/);
    assert.equal((await resolveRequest(request({ selector: 'tournament' }), config, registry)).spec.selector, 'tournament');
  });

  it('divide the slots among back ends when several can be asked, whether the mutator is fixed or not', async () => {
    const llm = ['near', 'far'].map((name) => `[[llm.backends]]\nname = "${name}"\nmodel = "m"\npreset = "ollama"\n`).join('');
    const armsOf = async (mutator: string, settings: string, backend?: string) => {
      const config = parseConfig({ text: settings + llm, file: '.peagen.toml', env: {}, flags: {} });
      const asked = request({ mutator, ...(backend === undefined ? {} : { backend }) });
      return (await resolveRequest(asked, config, registry)).spec.mutators;
    };
    const plain = '[evolve]\nroles = []\n';
    assert.deepEqual(await armsOf('patch', plain), ['patch@near', 'patch@far']);
    const all = (await armsOf('auto', '')) ?? [];
    for (const arm of ['rewrite@far', 'patch#algorithm@near', 'patch#simplify@far', 'structural', 'crossover-tree'])
      assert.ok(all.includes(arm), arm);
    assert.equal(await armsOf('structural', ''), undefined);
    for (const backend of ['near', 'near,far', 'weighted', 'all']) assert.equal(await armsOf('patch', plain, backend), undefined);
    assert.equal(await armsOf('patch', `${plain}[llm]\ndefault_backend = "far"\n`), undefined);
    assert.ok((await armsOf('auto', plain, 'near'))?.includes('patch'));
  });

  it("hand a user's instructions on, those of the request before those of the file", async () => {
    const config = parseConfig({ text: '[mutate]\ninstructions = "keep it short"\n', file: '.peagen.toml', env: {}, flags: {} });
    const told = async (asked: Partial<RunRequest>) => (await resolveRequest(request(asked), config, registry)).spec.instructions;
    assert.equal(await told({}), 'keep it short');
    assert.equal(await told({ instructions: 'use a heap' }), 'use a heap');
  });

  it('name a number of niches that cannot be had', () => {
    const settings = '[evolve.archive]\nkind = "cvt"\nniches = 1\n';
    assert.throws(
      () => parseConfig({ text: settings, file: '.peagen.toml', env: {}, flags: {} }),
      /evolve\.archive\.niches \(\.peagen\.toml:3\) = 1/,
    );
  });
});
