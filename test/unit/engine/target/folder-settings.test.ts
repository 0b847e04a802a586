/** What an evaluator folder's settings do to a run: each is asked for as a folder asks, and seen in what the run does. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderRequest } from '../../../../daemon/judging/folder/folder-request.ts';
import { Config } from '../../../../shared/config.ts';
import type { MutatePayload } from '../../../../shared/payloads.ts';
import type { RunRequest } from '../../../../shared/protocol/runs.ts';
import { listeners, openScene, registry, request, shortness, summaryOf } from '../scene.ts';

describe("an evaluator folder's settings", () => {
  let folder: string;
  let given: MutatePayload[];
  const hear = (payload: MutatePayload) => void given.push(payload);

  before(async () => {
    const telling = {
      ...shortness,
      name: 'telling',
      judge: async (...args: Parameters<typeof shortness.judge>) => ({
        ...(await shortness.judge(...args)),
        artifacts: { notes: 'twelve chars', more: 'nothing of this' },
      }),
    };
    registry.register('evaluator', 'telling', async () => () => telling, 'test');
    listeners.add(hear);
  });
  after(() => listeners.delete(hear));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-settings-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function settingsOf(config: string, name = 'config.yaml'): Promise<Partial<RunRequest>> {
    const shinka = name === 'shinka.yaml';
    await writeFile(join(folder, shinka ? 'evaluate.py' : 'evaluator.py'), '');
    await writeFile(join(folder, shinka ? 'initial.py' : 'initial_program.py'), '');
    await writeFile(join(folder, name), config);
    const found = await folderRequest(folder, Config.parse({}));
    assert.ok(found !== undefined);
    const { target: _, evaluator: __, ...settings } = found.request;
    return settings;
  }

  /** A run of the scripted mutator with these settings, and what the mutator was given. */
  async function runWith(settings: Partial<RunRequest>) {
    given = [];
    const stop = { max_generations: 6 };
    const asked = request({
      ...settings,
      evaluator: { name: 'telling', options: {} },
      mutator: 'scripted',
      population: 4,
      stop,
    });
    const scene = await openScene(folder, asked);
    await summaryOf(scene);
    const archive = scene.run.state.archive;
    return { given, archive, events: scene.events, state: scene.run.state };
  }

  it('population_size: that many programs are kept, and the best is one of them', async () => {
    const axes = [{ name: 'number', bin: 1, unit: '' }];
    const free = await runWith({ axes });
    assert.ok(free.archive.champions().length > 5);
    const bounded = await runWith({ axes, ...(await settingsOf('database: { population_size: 5 }')) });
    assert.equal(bounded.archive.champions().length, 5);
    const judged = bounded.events.flatMap((event) => (event.type === 'evaluated' ? [event.fitness ?? 0] : []));
    assert.equal(bounded.archive.best()?.fitness, Math.max(1, ...judged));
  });

  it('num_top_programs and num_diverse_programs: a mutator is shown that many, the best ones first', async () => {
    const axes = [{ name: 'number', bin: 1, unit: '' }];
    const shown = await settingsOf('prompt: { num_top_programs: 2, num_diverse_programs: 3 }');
    const { given, archive } = await runWith({ axes, ...shown });
    const last = given.at(-1);
    assert.equal(last?.inspirations.length, 5);
    const fitnesses = last.inspirations.map(({ sha256 }) => archive.find(sha256)?.fitness ?? 0);
    const [first = 0, second = 0, ...others] = fitnesses;
    assert.ok(first >= second && others.every((fitness) => fitness <= second), fitnesses.join());
    const none = await runWith({ axes, ...(await settingsOf('prompt: { num_top_programs: 0, num_diverse_programs: 0 }')) });
    assert.ok(none.given.every(({ inspirations }) => inspirations.length === 0));
  });

  it('exploitation_ratio 1 with an archive of one: every parent is the best of its time', async () => {
    const greedy = await settingsOf('database: { exploration_ratio: 0, exploitation_ratio: 1, archive_size: 1 }');
    assert.equal(greedy.selector, 'ratios');
    const { events } = await runWith({ axes: [{ name: 'number', bin: 1, unit: '' }], ...greedy });
    const fitness = new Map<string, number>();
    let best = 1;
    for (const event of events) {
      if (event.type === 'selected') assert.ok((fitness.get(event.parent) ?? 1) >= best - 1e-9);
      if (event.type === 'evaluated') fitness.set(event.sha256, event.fitness ?? 0);
      // A generation is selected from the archive as the one before left it.
      if (event.type === 'generation') best = Math.max(best, ...fitness.values());
    }
  });

  it('include_artifacts and max_artifact_bytes: what the evaluation of its parent wrote is shown to a mutator, cut to size', async () => {
    const { given, events } = await runWith(await settingsOf('prompt: { max_artifact_bytes: 6 }'));
    const shown = given.filter(({ artifacts }) => artifacts !== undefined);
    assert.ok(shown.length > 0);
    for (const { artifacts } of shown) assert.deepEqual(artifacts, { notes: 'twelve…' });
    assert.ok(events.some((event) => event.type === 'evaluated' && event.artifacts !== undefined));
    const without = await runWith(await settingsOf('prompt: { include_artifacts: false }'));
    assert.ok(without.given.every(({ artifacts }) => artifacts === undefined));
    assert.ok(without.events.every((event) => event.type !== 'evaluated' || event.artifacts === undefined));
  });

  it('max_code_length: a longer child is refused, with both lengths', async () => {
    const { events } = await runWith({ ...(await settingsOf('max_code_length: 100')) });
    const reasons = events.flatMap((event) => (event.type === 'rejected' ? [event.reason] : []));
    assert.match(reasons[0] ?? '', /busy\.py has \d+ characters; the run allows 100$/);
    assert.ok(events.every((event) => event.type !== 'mutated'));
  });

  it('llm and prompt settings reach all that ask a model', async () => {
    const settings = await settingsOf('llm: { temperature: 0.3, top_p: 0.8, max_tokens: 99 }\nprompt: { system_message: Pack. }');
    const { given } = await runWith(settings);
    assert.deepEqual(given[0]?.asking, { temperature: 0.3, top_p: 0.8, max_tokens: 99, system: 'Pack.', artifact_chars: 4000 });
  });

  it('of ShinkaEvolve do the same', async () => {
    const settings = await settingsOf(
      `evo_config:
  _target_: shinka.core.EvolutionConfig
  num_generations: 40
  max_parallel_jobs: 4
  task_sys_msg: Pack circles.
  llm_kwargs: { temperatures: [0.2, 0.9], max_tokens: 77 }
db_config: { num_islands: 2, archive_size: 20, exploitation_ratio: 0.3, num_top_k_inspirations: 1, num_archive_inspirations: 2, migration_rate: 0.1 }
`,
      'shinka.yaml',
    );
    assert.deepEqual(settings, {
      population: 4,
      selector: 'ratios',
      selector_options: { archive: 20, exploration: 0.7, exploitation: 0.3 },
      examples: { best: 1, others: 2 },
      asking: { temperature: [0.2, 0.9], max_tokens: 77, system: 'Pack circles.', artifact_chars: 4000 },
      islands: { count: 2, interval: 5, migrants: 1 },
      stop: { max_generations: 10 },
    });
    const { state } = await runWith(settings);
    assert.equal(state.population.each().length, 2);
  });
});
