/** Objectives with a limit, repeats and seeds where a folder's own evaluator judges: they decide what is announced. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunSummary } from '../../../shared/run.ts';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { runPeagen } from '../../peagen.ts';
import { eventsOf } from './search-folder.ts';

const program = (score: number, memory: number): string =>
  `# EVOLVE-BLOCK-START\ndef found():\n    return ${score}, ${memory}\n# EVOLVE-BLOCK-END\n`;
const original = program(3, 10);

const openEvolve = `import importlib.util, random
def evaluate(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    score, memory = module.found()
    return {"combined_score": score + random.random() / 10, "memory": memory}
`;
/** Three runs of the program each time, whose chance comes from the seed of the evaluation. */
const shinka = `import argparse, random
from shinka.core import run_shinka_eval
parser = argparse.ArgumentParser()
parser.add_argument("--program_path"); parser.add_argument("--results_dir")
args = parser.parse_args()
run_shinka_eval(
    program_path=args.program_path, results_dir=args.results_dir, experiment_fn_name="found", num_runs=3,
    get_experiment_kwargs=lambda index: {}, validate_fn=lambda found: (True, None),
    aggregate_metrics_fn=lambda all: {
        "combined_score": sum(score for score, _ in all) / len(all) + random.random() / 10,
        "public": {"runs": len(all), "memory": max(memory for _, memory in all)},
    },
)
`;

describe("a run that a folder's evaluator judges", () => {
  let folder: string;
  let llm: TestLlm;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-folders-'));
    llm = await startTestLlm({ script: 'plain' });
  });
  afterEach(() => Promise.all([rm(folder, { recursive: true, force: true }), llm.close()]));

  /** A model answers with these programs, one a generation. */
  async function evolve(file: string, evaluator: string, evaluate: string, ...programs: string[]) {
    const initial = file === 'evaluate.py' ? 'initial.py' : 'initial_program.py';
    await writeFile(join(folder, initial), original);
    await writeFile(join(folder, file), evaluator);
    const backend = `[[llm.backends]]\nname = "scripted"\nmodel = "test-model"\nbase_url = "${llm.url}"\n`;
    await writeFile(join(folder, '.peagen.toml'), `[evaluate]\n${evaluate}\n${backend}`);
    llm.script(...programs.map((text) => ({ type: 'answer' as const, text: `Change: try it\n\n\`\`\`python\n${text}\`\`\`` })));
    const size = ['--population', '1', '--generations', String(programs.length), '--seed', '1', '--mutator', 'rewrite'];
    const { status, lastJson, stderr } = await runPeagen(['evolve', 'run', folder, ...size, '--sync', '--yes', '--json'], folder);
    assert.equal(status, 0, stderr);
    const summary = RunSummary.parse(lastJson);
    return { summary, events: await eventsOf(folder, summary.run) };
  }

  const limited =
    'objectives = { combine = "weighted", of = [{ metric = "combined_score", direction = "max" }, { metric = "memory", direction = "min", weight = 0.01, limit = 50 }] }';
  for (const [file, evaluator] of [
    ['evaluator.py', openEvolve],
    ['evaluate.py', shinka],
  ] as const) {
    it(`announces by ${file} the best score within the limit of another metric, and its interval over the repeats`, async () => {
      const settings = `repeats = 3\nseeds = [11, 12, 13]\n${limited}`;
      const { summary, events } = await evolve(file, evaluator, settings, program(9, 100), program(5, 20));
      // The second is asked for while the first is judged, and may be judged sooner.
      const evaluated = events
        .flatMap((event) => (event.type === 'evaluated' ? [event] : []))
        .sort((a, b) => a.slot.index - b.slot.index);
      assert.deepEqual(
        evaluated.map(({ metrics }) => metrics['memory']),
        [100, 20],
      );
      const [greedy, frugal] = evaluated;
      assert.equal(greedy?.fitness, null);
      assert.equal(summary.best?.sha256, frugal?.sha256);
      // The seeds of the three evaluations give three scores, whose mean is announced.
      const measured = events.filter((event) => event.type === 'measured' && event.sha256 === frugal?.sha256);
      assert.ok(measured.length >= 1 && measured.length <= 2, `${measured.length}`);
      const { low, high, fitness } = summary.best?.score ?? {};
      assert.ok(low !== undefined && high !== undefined && fitness !== undefined);
      assert.ok(low < fitness && fitness < high, `${low} ${fitness} ${high}`);
    });
  }
});
