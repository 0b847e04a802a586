/**
 * Six typical prompts, as a model gets them, next to this file in `prompts/`. Read them when you review a change of the
 * templates. `UPDATE_PROMPTS=1 npx mocha test/unit/llm/prompt-snapshots.test.ts` writes them again.
 */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programSha } from '../../../daemon/evolution/hash.ts';
import { tokenCounter } from '../../../daemon/llm/cost/tokens.ts';
import { buildPrompt, promptLimit } from '../../../daemon/llm/prompts/build.ts';
import { promptTemplates } from '../../../daemon/llm/prompts/templates.ts';
import type { PromptKind } from '../../../daemon/llm/prompts/view.ts';
import type { Metrics, Objectives } from '../../../shared/judging.ts';
import type { Example, MutatePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';

const source = `from statistics import mean


def group_by_city(people):
    """Return {city: mean age of its people, rounded to one decimal}."""
    cities = []
    for member in people:
        if member["city"] not in cities:
            cities.append(member["city"])
    result = {}
    for city in cities:
        ages = [member["age"] for member in people if member["city"] == city]
        result[city] = round(mean(ages), 1)
    return result
`;
const changed = source
  .replace('cities = []', 'cities = {}')
  .replace('cities.append(member["city"])', 'cities[member["city"]] = True');
const entry = { path: 'people.py', fn: 'group_by_city' };

function functionProgram(text: string): Program {
  const start = text.indexOf('def group_by_city');
  return {
    language: 'python',
    files: [{ path: 'people.py', text }],
    spans: [{ path: 'people.py', start, end: text.trimEnd().length }],
  };
}

const packing = `# EVOLVE-BLOCK-START
import numpy as np


def construct_packing():
    """Return the centres and radii of 26 circles in the unit square."""
    centers = np.zeros((26, 2))
    centers[0] = [0.5, 0.5]
    for i in range(8):
        angle = 2 * np.pi * i / 8
        centers[i + 1] = [0.5 + 0.3 * np.cos(angle), 0.5 + 0.3 * np.sin(angle)]
    return centers, np.full(26, 0.05)


# EVOLVE-BLOCK-END


def run_packing():
    return construct_packing()
`;

function markedProgram(text: string): Program {
  const start = text.indexOf('import numpy');
  return {
    language: 'python',
    files: [{ path: 'program.py', text }],
    spans: [{ path: 'program.py', start, end: text.indexOf('# EVOLVE-BLOCK-END') }],
  };
}

const example = (program: Program, metrics: Metrics, note = ''): Example => ({
  sha256: programSha(program),
  program,
  metrics,
  note,
});

const fast = (speedup: number): Metrics => ({
  speed_ms: Number((4.2 / speedup).toFixed(3)),
  baseline_ms: 4.2,
  speedup,
  speedup_low: speedup * 0.97,
  speedup_high: speedup * 1.03,
  samples: 40,
  peak_kb: 212,
});
const scored = (metrics: Metrics): Metrics => ({
  ...metrics,
  speedup: 1.2,
  speedup_low: 1.2,
  speedup_high: 1.2,
  speed_ms: 300,
  baseline_ms: 310,
  samples: 1,
  peak_kb: 0,
});

const people = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ name: `member ${i}`, city: `city ${i % 40}`, age: 18 + (i % 60) }));
const byCalls = {
  name: 'function',
  options: {
    entry,
    calls: [
      { args: [people(3)], kwargs: {} },
      { args: [people(2000)], kwargs: {} },
    ],
    derived: [{ args: [[]], kwargs: {} }],
  },
};
const byCommand = {
  name: 'command',
  options: { command: 'python3 -m pytest -q tests/test_people.py', root: '/project', metrics: [] },
};
const byFolder = { name: 'openevolve', options: { root: '/project' } };

function payloadOf(
  program: Program,
  evaluator: { name: string; options: Record<string, unknown> },
  scoring: { metric: string; objectives?: Objectives },
  over: Partial<MutatePayload>,
): MutatePayload {
  return {
    mutator: 'patch',
    seed: 1,
    original: program,
    parent: example(program, {}),
    inspirations: [],
    failures: [],
    next: {
      mode: 'candidate',
      basis: { evaluator, original: program, data: null },
      deterministic: false,
      effort: 'quick',
      scoring: { axes: [{ name: 'size', bin: 40, unit: 'characters' }], generation: 2, ...scoring },
    },
    nextRequires: [],
    ...over,
  };
}

const original = functionProgram(source);
const child = functionProgram(changed);
const circles = markedProgram(packing);
const packages = ['python 3.12.3', 'numpy 2.1.0', 'scipy 1.14.1'];

const cases: Record<string, { kind: PromptKind; payload: MutatePayload; repair?: { reason: string; answer: string } }> = {
  'function-with-inputs': {
    kind: 'patch',
    payload: payloadOf(
      original,
      byCalls,
      { metric: 'speedup_low' },
      {
        entry,
        parent: example(child, fast(1.31), 'Keep the cities in a dictionary.'),
        standing: { original: fast(1), best: fast(2.4), target_ms: 0.5 },
        lineage: [
          {
            change: 'Keep the cities in a dictionary',
            metrics: fast(1.31),
            diff: '-    cities = []\n+    cities = {}\n…\n-            cities.append(member["city"])\n+            cities[member["city"]] = True',
          },
        ],
        tried: [
          {
            change: 'Replace mean by sum and len',
            result: 'wrong: group_by_city([{"city": "a", "age": 0.1}, …]) returned {"a": 0.2}; the original returned {"a": 0.1}',
            metrics: {},
            diff: '-        result[city] = round(mean(ages), 1)\n+        result[city] = round(sum(ages) / len(ages), 1)',
          },
          { change: 'Compile the condition into a helper', result: 'no difference', metrics: fast(1.3), diff: '' },
        ],
        inspirations: [
          example(functionProgram(source.replace('cities = []', 'cities = list()')), fast(2.4), 'Sort the people by city first.'),
        ],
        artifacts: {
          'time per call':
            'group_by_city([…2,000 people]): 3.17 ms, 99 % of all\ngroup_by_city([…3 people]): 0.03 ms, 1 % of all',
        },
        lines: [
          {
            path: 'people.py',
            line: 12,
            code: 'ages = [member["age"] for member in people if member["city"] == city]',
            share: 0.962,
            runs: 160_000,
          },
        ],
        asking: { packages },
        instructions: 'Keep it readable.',
      },
    ),
  },
  'function-with-tests': {
    kind: 'rewrite',
    payload: payloadOf(
      original,
      byCommand,
      { metric: 'speedup_low' },
      {
        entry,
        parent: example(original, fast(1)),
        standing: { original: fast(1), best: fast(1) },
        failures: ['Group with itertools: wrong: 1 failed, 11 passed\nE   KeyError: "city"'],
        artifacts: { output: '............ [100%]\n12 passed in 0.81s' },
      },
    ),
  },
  'score-to-maximise': {
    kind: 'patch',
    payload: payloadOf(
      circles,
      byFolder,
      { metric: 'combined_score' },
      {
        parent: example(circles, scored({ combined_score: 0.3642, sum_radii: 0.9597, validity: 1 })),
        standing: { original: scored({ combined_score: 0.3642 }), best: scored({ combined_score: 0.912 }) },
        artifacts: { packing_summary: 'Sum of radii: 0.9597 of 2.635. No circle touches the border.' },
        asking: {
          packages,
          about:
            'Evaluator for circle packing (n = 26). The score is the sum of the radii divided by 2.635; an overlap scores 0.',
        },
      },
    ),
  },
  'metric-to-minimise': {
    kind: 'crossover',
    payload: payloadOf(
      circles,
      {
        name: 'command',
        options: {
          command: 'python3 bench.py',
          root: '/project',
          metrics: [{ from: 'regex', name: 'energy', pattern: 'energy (\\S+)' }],
        },
      },
      {
        metric: 'speedup_low',
        objectives: {
          combine: 'weighted',
          of: [
            { metric: 'energy', direction: 'min', step: 0.01 },
            { metric: 'peak_kb', direction: 'min', weight: 0.5, step: 64 },
          ],
        },
      },
      {
        parent: example(circles, { energy: 12.5, peak_kb: 900, speedup: 1 }),
        standing: { original: { energy: 14, peak_kb: 880 }, best: { energy: 11.9, peak_kb: 1200 } },
        inspirations: [
          example(markedProgram(packing.replace('0.3 *', '0.42 *')), { energy: 11.9, peak_kb: 1200 }, 'Widen the ring.'),
        ],
      },
    ),
  },
  'openevolve-folder': {
    kind: 'patch',
    payload: payloadOf(
      circles,
      byFolder,
      { metric: 'combined_score' },
      {
        parent: example(circles, scored({ combined_score: 0.3642 })),
        standing: { original: scored({ combined_score: 0.3642 }) },
        asking: { system: 'You are an expert mathematician who specialises in circle packing problems.' },
      },
    ),
  },
  repair: {
    kind: 'fix',
    repair: {
      reason: 'the lines to be replaced are not in the program: "for city in citys:"',
      answer: 'Change: group first\n\n<<<<<<< SEARCH\n    for city in citys:\n=======\n    for city in groups:\n>>>>>>> REPLACE',
    },
    payload: payloadOf(
      original,
      byCommand,
      { metric: 'speedup_low' },
      {
        entry,
        failures: [
          'this program: wrong: python3 -m pytest -q: ended with status 1.\nE   KeyError: "city"\ntests/test_people.py:12: KeyError',
        ],
      },
    ),
  },
};

describe('the prompts a reviewer can read', () => {
  for (const [name, { kind, payload, repair }] of Object.entries(cases)) {
    it(`${name} is as in prompts/${name}.txt`, async () => {
      const count = await tokenCounter();
      const partner = kind === 'crossover' ? payload.inspirations[0] : undefined;
      const limit = promptLimit(payload.original, count, payload.asking);
      const built = buildPrompt({ kind, payload, partner, repair }, { templates: promptTemplates([]), count, limit });
      assert.ok(built !== undefined);
      const text = `--- system ---\n${built.system}\n\n--- user ---\n${built.prompt}\n`;
      const file = join(import.meta.dirname, 'prompts', `${name}.txt`);
      if (process.env['UPDATE_PROMPTS'] === '1') await writeFile(file, text);
      assert.equal(text, await readFile(file, 'utf8'));
    });
  }

  it('name every objective with its direction and never ask for speed when something else counts', async () => {
    const text = await readFile(join(import.meta.dirname, 'prompts', 'metric-to-minimise.txt'), 'utf8');
    assert.match(text, /`energy`: lower is better\. Original 14, this program 12\.5, best so far 11\.9\./);
    assert.match(text, /peak memory: lower is better/);
    assert.doesNotMatch(text, /faster|running time/);
  });
});
