/**
 * A model learns from what it is shown: where the operations are executed, how a program failed, and what was tried and
 * brought nothing. With a function's calls, a command and a folder's own evaluator.
 */
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommandEvaluator } from '../../../daemon/judging/command/command.ts';
import type { Evaluator } from '../../../daemon/judging/evaluator.ts';
import { createFolderEvaluator } from '../../../daemon/judging/folder/folder.ts';
import { createFunctionEvaluator } from '../../../daemon/judging/function/function.ts';
import type { RunRequest } from '../../../shared/protocol/runs.ts';
import { openScene, registry, request, summaryOf } from '../../unit/engine/scene.ts';

const text = `def pairs(items):
    found = 0
    for a in items:
        for b in items:
            found += 1 if a == b else 0
    return found
`;
const bodies = {
  'return their number': '    return len(items)',
  'sort them first':
    '    found = 0\n    for a in items:\n        for b in sorted(items):\n            found += 1 if a == b else 0\n    return found',
  'count each once':
    '    times = {}\n    for a in items:\n        times[a] = times.get(a, 0) + 1\n    return sum(n * n for n in times.values())',
};

/** It answers uselessly until it is shown that this has been tried, wrongly until it is shown the failing call, and then by the lines. */
function answerTo(prompt: string): keyof typeof bodies {
  const [, tried = ''] = prompt.split('## Already tried on this program');
  if (!tried.includes('sort them first')) return 'sort them first';
  const hasFailed = /pairs\(\[1, ?1, ?2\]\) (?:is|returned) 3/.test(tried);
  const isHot = /line 5 of the program shown, `found \+= 1 if a == b else 0`: \d\d % of the operations, run \d+/.test(prompt);
  return hasFailed && isHot ? 'count each once' : 'return their number';
}

registry.register(
  'backend',
  'attentive',
  async () => (_, name) => ({
    name,
    model: 'attentive',
    ask: async ({ prompt }) => {
      const change = answerTo(prompt);
      return {
        text: `Change: ${change}\n\n\`\`\`python\ndef pairs(items):\n${bodies[change]}\n\`\`\`\n`,
        ...{ backend: name, model: 'attentive', tokens: { prompt: 1, completion: 1 } },
        ...{ finish: 'stop' as const, firstTokenMs: 0, totalMs: 0 },
      };
    },
  }),
  'test',
);

/** It has a hundred ideas, and adds the first that it is not shown as tried or made to the program; one in ten shortens it. */
registry.register(
  'backend',
  'inventive',
  async () => (_, name) => ({
    name,
    model: 'inventive',
    ask: async ({ prompt }) => {
      const known = new Set([...prompt.matchAll(/idea (\d+)\b/g)].map(([, number]) => Number(number)));
      const idea = Array.from({ length: 100 }, (_, at) => at + 1).find((each) => !known.has(each)) ?? 0;
      const [, made = '', padding = 'x'.repeat(300)] = /unused = '([\d ]*)(x*)'/.exec(prompt) ?? [];
      const length = padding.length + (idea % 10 === 0 ? -20 : idea);
      const body = `    unused = '${made}${idea} ${'x'.repeat(length)}'\n    return sum(items)`;
      return {
        text: `Change: idea ${idea}\n\n\`\`\`python\ndef busy(items):\n${body}\n\`\`\`\n`,
        ...{ backend: name, model: 'inventive', tokens: { prompt: 1, completion: 1 } },
        ...{ finish: 'stop' as const, firstTokenMs: 0, totalMs: 0 },
      };
    },
  }),
  'test',
);

const settingsFor = (preset: string): string =>
  `[[llm.backends]]\nname = "a"\nmodel = "m"\npreset = "${preset}"\n[selector.epsilon]\neps_init = 0\nfloor = 0\n`;

/** Counts how often its elements are gone through. */
const counted = `
class Counted(list):
    passes = 0
    def __iter__(self):
        Counted.passes += 1
        return super().__iter__()
`;

describe('a model that attends to the evidence', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-evidence-'));
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'target.py'), text);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const finds = async (evaluator: Evaluator, options: Record<string, unknown>, more: Partial<RunRequest> = {}) => {
    const asked = request({
      ...{ mutator: 'rewrite', population: 1, stop: { max_generations: 6, no_improve: 6 } },
      target: { root: folder, path: 'target.py', text, entry_fn: 'pairs' },
      evaluator: { name: evaluator.name, options },
      ...more,
    });
    const scene = await openScene(folder, asked, 2, { settings: settingsFor('attentive'), evaluator });
    await summaryOf(scene);
    const changes = scene.events.flatMap((event) => (event.type === 'mutated' ? [event] : []));
    assert.deepEqual(
      changes.slice(0, 3).map(({ origin }) => origin.summary),
      ['sort them first', 'return their number', 'count each once'],
    );
    assert.equal(scene.run.state.archive.best()?.sha256, changes[2]?.sha256);
  };

  it('finds the best function within six candidates', async () => {
    const entry = { path: 'target.py', fn: 'pairs' };
    const items = Array.from({ length: 60 }, (_, at) => at % 7);
    await finds(createFunctionEvaluator(), { entry, calls: [{ args: [[1, 1, 2]] }, { args: [items] }] });
  });

  it('finds the best by a metric of a command', async () => {
    const check = `${counted}
from target import pairs
found = pairs(Counted([1, 1, 2]))
assert found == 5, "pairs([1, 1, 2]) is %s, not 5" % found
Counted.passes = 0
pairs(Counted([1] * 40))
print("passes: %d" % Counted.passes)
`;
    await writeFile(join(folder, 'check.py'), check);
    const metrics = [{ from: 'regex', name: 'passes', pattern: 'passes: (\\d+)' }];
    const objectives = { combine: 'lexicographic' as const, of: [{ metric: 'passes', direction: 'min' as const }] };
    await finds(createCommandEvaluator(), { command: 'python3 check.py', root: folder, metrics }, { objectives });
  });

  it('finds the best by the score of a folder', async () => {
    const evaluator = `${counted}
import runpy
from openevolve.evaluation_result import EvaluationResult
def evaluate(path):
    pairs = runpy.run_path(path)["pairs"]
    found = pairs(Counted([1, 1, 2]))
    Counted.passes = 0
    pairs(Counted([1] * 40))
    right = found == 5
    said = {} if right else {"feedback": "pairs([1, 1, 2]) is %s, not 5" % found}
    return EvaluationResult(metrics={"combined_score": right / max(1, Counted.passes)}, artifacts=said)
`;
    await writeFile(join(folder, 'evaluator.py'), evaluator);
    await finds(createFolderEvaluator('openevolve'), { root: folder });
  });

  it('repeats fewer than one in twenty of sixty changes', async () => {
    const stop = { max_generations: 60, no_improve: 60 };
    const asked = request({ mutator: 'rewrite', population: 1, stop });
    const scene = await openScene(folder, asked, 2, { settings: settingsFor('inventive') });
    await summaryOf(scene);
    const made = scene.events.filter(({ type }) => type === 'mutated').length;
    const repeated = scene.events.filter(({ type }) => type === 'rejected').length;
    assert.ok(made >= 57 && repeated < 3, `${made} made, ${repeated} repeated`);
  });
});
