/** Several objectives: programs that are best at one of them have children, although another leads in the sum. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Evaluator } from '../../../daemon/judging/evaluator.ts';
import type { LlmBackend } from '../../../daemon/llm/backend.ts';
import { createRandom } from '../../../daemon/random.ts';
import type { Metrics } from '../../../shared/judging.ts';
import { openScene, registry, request, shortness, summaryOf } from '../../unit/engine/scene.ts';

const settings = `[selector.epsilon]
eps_init = 0
floor = 0
[evaluate.objectives]
combine = "lexicographic"
of = [{ metric = "speed_ms", direction = "min" }, { metric = "number", direction = "max" }]
`;

/** Gives the original other metrics. */
const measuring = (name: string, metrics: Metrics): Evaluator => ({
  ...shortness,
  name,
  prepare: async (...args) => {
    const { basis, execution } = await shortness.prepare(...args);
    return { basis, execution: { ...execution, metrics: { ...execution.metrics, ...metrics } } };
  },
});
/** What `scripted` writes lies on both sides of the original's number. */
const numbered = measuring('numbered', { number: 5_000_000 });
const instances: Evaluator = {
  ...measuring('instances', { one: 0, two: 0 }),
  judge: async (program, ...more) => {
    const judged = await shortness.judge(program, ...more);
    const text = program.files[0]?.text ?? '';
    const solves = (name: string) => (text.includes(`['${name}'`) || text.includes("['both'") ? 1 : 0);
    return { ...judged, metrics: { ...judged.metrics, one: solves('one'), two: solves('two') } };
  },
};
for (const evaluator of [numbered, instances])
  registry.register('evaluator', evaluator.name, async () => () => evaluator, 'test');

const by = (name: string) => ({ name, options: {} });
const objective = (direction: 'min' | 'max') =>
  `[evaluate.objectives]\ncombine = "weighted"\nof = [{ metric = "number", direction = "${direction}" }]\n`;

/** Makes a specialist of the original, and of two specialists that it is shown together a program that is good at both. */
const specialists: LlmBackend = {
  name: 'a',
  model: 'specialists',
  ask: async ({ prompt, seed = 0 }) => {
    const random = createRandom(seed);
    const skillsIn = (text = '') => [...text.matchAll(/unused = \['(\w+)'/g)].map(([, skill = '']) => skill);
    const [own] = skillsIn(/## Program\n```python\n([\s\S]*?)```/.exec(prompt)?.[1]);
    const others = skillsIn(prompt.split('## Other programs for the same task')[1]);
    const isCrossed = own !== undefined && others.some((skill) => skill !== own);
    const skill = isCrossed ? 'both' : (own ?? random.pick(['one', 'two']));
    const body = `    unused = ['${skill}', ${1_000_000 + random.int(9_000_000)}]\n    return sum(items)\n`;
    return {
      text: `Change: ${skill}\n\`\`\`python\ndef busy(items):\n${body}\`\`\`\n`,
      ...{ backend: 'a', model: 'specialists', tokens: { prompt: 1, completion: 1 } },
      ...{ finish: 'stop' as const, firstTokenMs: 0, totalMs: 0 },
    };
  },
};
registry.register('backend', 'specialists', async () => () => specialists, 'test');

describe('a search with one objective', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-objective-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const direction of ['max', 'min'] as const) {
    it(`announces the program with the ${direction === 'max' ? 'highest' : 'lowest'} value with each of six seeds`, async () => {
      for (let seed = 1; seed <= 6; seed++) {
        const asked = request({
          mutator: 'scripted',
          evaluator: by('numbered'),
          population: 4,
          seed,
          stop: { max_generations: 4 },
        });
        const scene = await openScene(folder, asked, 4, { settings: objective(direction), evaluator: numbered });
        const { best } = await summaryOf(scene);
        const values = scene.events.flatMap((event) =>
          event.type === 'evaluated' && event.fitness !== null ? [event.metrics['number'] ?? 0] : [],
        );
        const announced = best === null ? undefined : scene.run.state.known.get(best.sha256)?.metrics['number'];
        assert.equal(announced, direction === 'max' ? Math.max(...values) : Math.min(...values), `seed ${seed}`);
      }
    });
  }
});

describe('a search with several objectives', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-objectives-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('keeps both specialists as parents, each with the other next to it', async () => {
    const asked = request({ mutator: 'scripted', population: 4, stop: { max_generations: 12 } });
    const scene = await openScene(folder, asked, 4, { settings });
    await summaryOf(scene);
    const { known, population } = scene.run.state;
    const parents: string[] = [];
    let paired = 0;
    let fastest = Number.POSITIVE_INFINITY;
    let slower = 0;
    for (const event of scene.events) {
      if (event.type === 'evaluated') fastest = Math.min(fastest, event.metrics['speed_ms'] ?? fastest);
      if (event.type !== 'selected') continue;
      parents.push(event.parent);
      const speed = known.get(event.parent)?.metrics['speed_ms'] ?? 0;
      // Without exploration only the fastest program would be a parent.
      if (speed > fastest) slower++;
      if (speed > fastest && event.inspirations.length > 0) paired++;
    }
    const front = population.paretoFront();
    assert.ok(front.length >= 2, `${front.length}`);
    assert.ok(slower >= 3 && paired >= 3, `${slower} and ${paired} of ${parents.length}`);
  });

  it('finds the program that solves two instances which no other solves together, though one instance counts far more', async () => {
    const weights = `[[llm.backends]]\nname = "a"\nmodel = "m"\npreset = "specialists"\n[selector.epsilon]\neps_init = 0\nfloor = 0\n[evaluate.objectives]\ncombine = "weighted"
of = [{ metric = "one", direction = "max", weight = 100 }, { metric = "two", direction = "max" }]\n`;
    const asked = request({ mutator: 'rewrite', evaluator: by('instances'), population: 4, stop: { max_generations: 10 } });
    const scene = await openScene(folder, asked, 4, { settings: weights, evaluator: instances });
    const { best } = await summaryOf(scene);
    assert.match((best === null ? undefined : scene.run.state.known.get(best.sha256))?.origin.summary ?? '', /both/);
    const parents = new Set(scene.events.flatMap((event) => (event.type === 'selected' ? [event.parent] : [])));
    const skills = new Set([...parents].map((sha256) => scene.run.state.known.get(sha256)?.origin.summary));
    assert.ok(skills.has('one') && skills.has('two'), [...skills].join());
  });
});
