/** Several objectives: programs that are best at one of them have children, although another leads in the sum. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openScene, request, summaryOf } from '../../unit/engine/scene.ts';

const settings = `[selector.epsilon]
eps_init = 0
floor = 0
[evaluate.objectives]
combine = "lexicographic"
of = [{ metric = "speed_ms", direction = "min" }, { metric = "number", direction = "max" }]
`;

describe('a search with several objectives', function () {
  this.timeout(60_000);
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
});
