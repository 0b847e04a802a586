/** Somebody's own evaluator folder, from what the daemon finds in it to the best of a run: what an editor does with one. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newTaskId } from '../../../shared/ids.ts';
import { DetectJudging } from '../../../shared/protocol/judging.ts';
import { ListElites, ListRuns, PlanRun, StartRun } from '../../../shared/protocol/runs.ts';
import { startTestLlm } from '../../llm/server.ts';
import { Home, until } from './home.ts';

const initial =
  '# EVOLVE-BLOCK-START\ndef f():\n    waste = [0] * 50\n    total = 0\n    total = total + 7\n    return total\n# EVOLVE-BLOCK-END\n';
const score = `
def score(program_path):
    spec = importlib.util.spec_from_file_location("candidate", program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return (1000.0 if module.f() == 7 else 0.0) / len(open(program_path).read())
`;
const folders = {
  openevolve: {
    'initial_program.py': initial,
    'evaluator.py': `import importlib.util\n${score}\ndef evaluate(program_path):\n    return {"combined_score": score(program_path)}\n`,
    'config.yaml':
      'max_iterations: 8\nrandom_seed: 9\nlog_level: INFO\nevaluator: { parallel_evaluations: 4 }\ndatabase: { num_islands: 2, feature_dimensions: [complexity] }\n',
  },
  shinka: {
    'initial.py': initial,
    'evaluate.py': `import argparse, importlib.util, json, os\n${score}\nparser = argparse.ArgumentParser()\nparser.add_argument("--program_path"); parser.add_argument("--results_dir")\nargs = parser.parse_args()\nvalue = score(args.program_path)\njson.dump({"combined_score": value}, open(os.path.join(args.results_dir, "metrics.json"), "w"))\njson.dump({"correct": value > 0}, open(os.path.join(args.results_dir, "correct.json"), "w"))\n`,
    'config.yaml': 'max_iterations: 8\nrandom_seed: 9\nevaluator: { parallel_evaluations: 4 }\n',
  },
} as const;

describe('an evaluator folder in an editor', () => {
  for (const kind of ['openevolve', 'shinka'] as const) {
    it(`of ${kind} shape is found, planned and run as it is`, async () => {
      await using home = new Home();
      for (const [name, text] of Object.entries(folders[kind])) writeFileSync(join(home.workspace, name), text);
      const client = await home.client();
      const { ways, warnings } = await client.request(DetectJudging, { root: home.workspace });
      assert.deepEqual(warnings, []);
      const way = ways.find((each) => each.kind === 'folder');
      assert.ok(way?.target !== undefined, JSON.stringify(ways));
      assert.equal(way.evaluator.name, kind);
      if (kind === 'openevolve') assert.match(way.warnings.join(), /log_level/);
      const request = { ...way.settings, target: way.target, evaluator: way.evaluator };
      const { spec } = await client.request(PlanRun, request);
      assert.deepEqual([spec.seed, spec.population, spec.stop.max_generations], [9, 4, 2]);
      if (kind === 'openevolve') {
        assert.deepEqual([spec.islands?.count, spec.axes.map(({ name }) => name)], [2, ['size']]);
      }
      const { run } = await client.request(StartRun, { request, requestId: newTaskId() });
      await until(
        async () => {
          const info = (await client.request(ListRuns, {})).find((each) => each.run === run);
          assert.notEqual(info?.state, 'failed', JSON.stringify(info));
          return info?.state === 'finished';
        },
        'the run to finish',
        150_000,
      );
      const elites = await client.request(ListElites, { run });
      const original = elites.find((elite) => elite.index < 0);
      assert.ok((elites[0]?.fitness ?? 0) >= (original?.fitness ?? 0));
      assert.equal(typeof elites[0]?.metrics['combined_score'], 'number');
    });
  }

  it('has its own models asked, as it says, when no others are configured', async () => {
    await using home = new Home();
    const llm = await startTestLlm({
      models: ['packer'],
      plainText: `Change: less\n\`\`\`python\ndef f():\n    return 7\n\`\`\``,
    });
    try {
      const files = {
        ...folders.openevolve,
        'config.yaml': `max_iterations: 2
diff_based_evolution: false
llm: { api_base: "${llm.url}", primary_model: packer, temperature: 0.3, top_p: 0.8, max_tokens: 500 }
prompt: { system_message: You shorten programs. }
evaluator: { parallel_evaluations: 1 }
`,
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(home.workspace, name), text);
      const client = await home.client();
      const { ways } = await client.request(DetectJudging, { root: home.workspace });
      const way = ways.find((each) => each.kind === 'folder');
      assert.ok(way?.target !== undefined, JSON.stringify(ways));
      assert.deepEqual(way.warnings, []);
      const request = { ...way.settings, target: way.target, evaluator: way.evaluator };
      const { spec, worst_case: worst } = await client.request(PlanRun, request);
      assert.deepEqual([spec.mutator, worst.completion_tokens % 500, worst.completion_tokens > 0], ['rewrite', 0, true]);
      await client.request(StartRun, { request, requestId: newTaskId() });
      await until(() => llm.requests.length > 0, 'the model to be asked', 60_000);
      const body = llm.requests[0]?.body;
      assert.deepEqual([body?.model, body?.temperature, body?.['top_p'], body?.max_tokens], ['packer', 0.3, 0.8, 500]);
      assert.match(JSON.stringify(body?.messages[0]), /You shorten programs\./);
      assert.match(JSON.stringify(body?.messages[1]), /combined_score/);
    } finally {
      await llm.close();
    }
  });
});
