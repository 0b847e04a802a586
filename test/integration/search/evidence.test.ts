/** A model learns from what it is shown: how a program failed, and what was tried and brought nothing. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openScene, registry, request, summaryOf } from '../../unit/engine/scene.ts';

const wrong = '    total = sum(items)';
const slower = `    items = sorted(items)\n    unused = [${'1, '.repeat(100)}2]\n    return sum(items)`;
const right = '    return sum(items)';

/** It answers wrongly until it is shown the failure, and uselessly until it is shown that this has been tried. */
registry.register(
  'backend',
  'attentive',
  async () => (_, name) => ({
    name,
    model: 'attentive',
    ask: async ({ prompt }) => {
      const hasFailed = prompt.includes('wrong: it returns nothing');
      const isTried = /## Already tried on this program\n[\s\S]*sort them first[^\n]*worse/.test(prompt);
      const [change, body] = isTried
        ? ['add them up', right]
        : hasFailed
          ? ['sort them first', slower]
          : ['leave out a line', wrong];
      return {
        text: `Change: ${change}\n\n\`\`\`python\ndef busy(items):\n${body}\n\`\`\`\n`,
        ...{ backend: name, model: 'attentive', tokens: { prompt: 1, completion: 1 } },
        ...{ finish: 'stop' as const, firstTokenMs: 0, totalMs: 0 },
      };
    },
  }),
  'test',
);

describe('a model that attends to the evidence', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-evidence-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('finds the best within six candidates, and repeats none', async () => {
    const settings =
      '[[llm.backends]]\nname = "a"\nmodel = "m"\npreset = "attentive"\n[selector.epsilon]\neps_init = 0\nfloor = 0\n';
    const asked = request({ mutator: 'rewrite', population: 1, stop: { max_generations: 6, no_improve: 6 } });
    const scene = await openScene(folder, asked, 2, { settings });
    await summaryOf(scene);
    const changes = scene.events.flatMap((event) => (event.type === 'mutated' ? [event.origin.summary] : []));
    assert.deepEqual(changes.slice(0, 3), ['leave out a line', 'sort them first', 'add them up']);
    assert.equal(new Set(changes).size, changes.length);
  });
});
