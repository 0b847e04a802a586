/** Evaluator folders in the shapes their owners have them, run as they are. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OriginalFails } from '../../../../daemon/judging/evaluator.ts';
import { createFolderEvaluator, folderEvaluator } from '../../../../daemon/judging/folder/folder.ts';
import { readEvaluatorFolder } from '../../../../daemon/judging/folder/folder-config.ts';
import { PeagenError } from '../../../../shared/errors.ts';
import { skipWithout } from '../../../missing.ts';
import { contextOf, programOf } from '../judging.ts';

const initial = '# EVOLVE-BLOCK-START\ndef search():\n    return 3.0\n# EVOLVE-BLOCK-END\n';
const loader = `
import importlib.util
def load(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
`;

describe('evaluator folders', () => {
  const roots: string[] = [];
  after(() => {
    for (const root of roots) rmSync(root, { recursive: true });
  });
  const folder = (files: Readonly<Record<string, string>>): string => {
    const root = mkdtempSync(join(tmpdir(), 'peagen-folder-'));
    roots.push(root);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
    return root;
  };
  const prepare = async (
    evaluator: string,
    options: Readonly<Record<string, unknown>> = {},
    more: Readonly<Record<string, string>> = {},
  ) => {
    const root = folder({ 'evaluator.py': evaluator, ...more });
    const spec = { name: 'openevolve', options: { root, ...options } };
    return await createFolderEvaluator('openevolve').prepare(programOf('python', initial), spec, await contextOf());
  };
  const judge = async (evaluator: string, candidate: string, options: Readonly<Record<string, unknown>> = {}) => {
    const { basis } = await prepare(evaluator, options);
    return await createFolderEvaluator('openevolve').judge(programOf('python', candidate), basis, await contextOf());
  };

  it('that return a dict of metrics', async () => {
    const evaluator = `${loader}\ndef evaluate(program_path):\n    value = load(program_path).search()\n    return {"value": value, "valid": True, "combined_score": value * 2}\n`;
    const better = await judge(evaluator, initial.replace('3.0', '6.0'));
    assert.equal(better.outcome.kind, 'correct', better.outcome.detail);
    assert.deepEqual([better.metrics['value'], better.metrics['combined_score'], better.metrics['speedup']], [6, 12, 2]);
    assert.equal(better.metrics['valid'], undefined);
  });

  it('that load the program as often as its results say, more often than the original was', async () => {
    const evaluator = `${loader}
def evaluate(program_path):
    times = int(load(program_path).search())
    copies = [load(program_path) for _ in range(times - 3)]
    assert len(set(map(id, copies))) == len(copies)
    try:
        return {"combined_score": sum(copy.search() for copy in copies) + 1}
    except Exception:
        return {"combined_score": 0}
`;
    const more = await judge(evaluator, initial.replace('3.0', '5.0'));
    assert.deepEqual([more.outcome.kind, more.metrics['combined_score']], ['correct', 11], more.outcome.detail);
    assert.equal(more.metrics['unverified'], undefined);
    const never = await prepare('def evaluate(program_path):\n    return {"combined_score": len(open(program_path).read())}\n');
    assert.ok((never.execution.metrics['combined_score'] ?? 0) > 0);
  });

  it('that use what an ordinary interpreter has: exit, installed packages and their metadata, further processes', async () => {
    const evaluator = `
import importlib.metadata, multiprocessing, subprocess, sys
from openevolve.evaluation_result import EvaluationResult
def evaluate(program_path):
    assert callable(exit) and callable(quit)
    packages = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    found = subprocess.run([sys.executable, "-c", "import site; print(site.ENABLE_USER_SITE)"], capture_output=True, check=True)
    return EvaluationResult(metrics={"combined_score": 1.0 if packages and found.stdout else 0.0})
`;
    const { execution } = await prepare(evaluator);
    assert.equal(execution.metrics['combined_score'], 1);
  });

  it('that only their owner can look into, also in their folders, and that no candidate can write into', async () => {
    const root = folder({
      'evaluator.py':
        'import os, private.helper\ndef evaluate(program_path):\n    try:\n        open("/evaluation/written", "w")\n    except OSError:\n        return {"combined_score": private.helper.SCORE}\n',
    });
    mkdirSync(join(root, 'private'), { mode: 0o700 });
    writeFileSync(join(root, 'private', 'helper.py'), 'SCORE = 3.5\n', { mode: 0o600 });
    for (const open of [false, true]) {
      if (open) for (const path of [root, join(root, 'private'), join(root, 'private', 'helper.py')]) chmodSync(path, 0o755);
      const spec = { name: 'openevolve', options: { root } };
      const { execution } = await createFolderEvaluator('openevolve').prepare(
        programOf('python', initial),
        spec,
        await contextOf(),
      );
      assert.equal(execution.metrics['combined_score'], 3.5);
    }
    assert.deepEqual(readdirSync(root).sort(), ['evaluator.py', 'private']);
  });

  it('whose config bounds the memory of an evaluation', async () => {
    const greedy = 'def search():\n    return float(len(bytearray(400 << 20)) > 0)\n';
    const root = folder({
      'evaluator.py': `${loader}\ndef evaluate(program_path):\n    return {"combined_score": load(program_path).search()}\n`,
      'initial_program.py': initial,
    });
    const judged = async (config: string) => {
      writeFileSync(join(root, 'config.yaml'), config);
      const read = await readEvaluatorFolder(root);
      assert.ok(read !== undefined);
      assert.deepEqual(read.warnings, []);
      const basis = { evaluator: read.evaluator, original: programOf('python', initial), data: { score: 3, ms: 1 } };
      return await createFolderEvaluator('openevolve').judge(programOf('python', greedy), basis, await contextOf());
    };
    assert.equal((await judged('max_iterations: 3\n')).outcome.kind, 'correct');
    const bounded = await judged('max_iterations: 3\nevaluator:\n  memory_limit_mb: 200\n');
    assert.match(`${bounded.outcome.kind}: ${bounded.outcome.detail}`, /^(memory: The evaluation ran out|crashed: MemoryError)/);
  });

  it('without combined_score: the mean of what is not a feature', async () => {
    const evaluator = 'def evaluate(program_path):\n    return {"a": 1.0, "b": 3, "size": 100}\n';
    const { execution } = await prepare(evaluator, { feature_dimensions: ['size'] });
    assert.equal(execution.metrics['combined_score'], 2);
  });

  it('whose feature dimension is not among the metrics: an error that names it', async () => {
    await assert.rejects(
      prepare('def evaluate(program_path):\n    return {"a": 1.0}\n', { feature_dimensions: ['spread'] }),
      (error: unknown) => error instanceof PeagenError && error.code === 'invalid_config' && /"spread"/.test(error.message),
    );
  });

  it('whose feature dimension only good programs have: who lacks it is wrong, and does not end the run', async () => {
    const evaluator = `${loader}\ndef evaluate_stage1(program_path):\n    return {"found": float(load(program_path).search() > 0)}\ndef evaluate_stage2(program_path):\n    return {"spread": 2.0, "combined_score": 1.0}\n`;
    const root = folder({ 'evaluator.py': evaluator, 'initial_program.py': initial });
    const options = { root, feature_dimensions: ['spread'], cascade_thresholds: [0.5] };
    const openevolve = createFolderEvaluator('openevolve');
    const context = await contextOf();
    const { basis } = await openevolve.prepare(programOf('python', initial), { name: 'openevolve', options }, context);
    const failing = programOf('python', 'def search():\n    return 0.0\n');
    const { outcome } = await openevolve.judge(failing, basis, context);
    assert.match(`${outcome.kind}: ${outcome.detail}`, /^wrong: The evaluator returned no spread for it, only found = 0/);
  });

  it('that import the result class, and give artifacts', async () => {
    const evaluator =
      'from openevolve.evaluation_result import EvaluationResult\ndef evaluate(program_path):\n    return EvaluationResult(metrics={"combined_score": 1.5}, artifacts={"log": "careful with 7", "raw": b"bytes"})\n';
    const { execution } = await prepare(evaluator);
    assert.equal(execution.metrics['combined_score'], 1.5);
    assert.deepEqual([execution.artifacts['log'], execution.artifacts['raw']], ['careful with 7', 'bytes']);
  });

  it('that import their own helpers from their folder and print a lot', async () => {
    const { execution } = await prepare(
      'import helper\ndef evaluate(program_path):\n    print("noise" * 1000)\n    return {"combined_score": helper.score()}\n',
      {},
      { 'helper.py': 'def score(): return 4\n' },
    );
    assert.equal(execution.metrics['combined_score'], 4);
  });

  it('that use numpy, when the machine has it', async function () {
    const evaluator =
      'import numpy as np\ndef evaluate(program_path):\n    return {"combined_score": np.float64(2.5), "flag": np.bool_(True), "nan": float("nan")}\n';
    try {
      const { execution } = await prepare(evaluator);
      assert.deepEqual(
        [execution.metrics['combined_score'], execution.metrics['flag'], execution.metrics['nan']],
        [2.5, undefined, undefined],
      );
    } catch (error) {
      if (/No module named 'numpy'/.test(String(error))) skipWithout('numpy', this);
      throw error;
    }
  });

  it('share with the program what they import first, but no file of theirs, and nothing that they import later', async () => {
    const evaluator = `"""Judges."""
import xml.dom.minidom
import colorsys as colours
import os
import helper
import wave
${loader}
def evaluate(program_path):
    program = load(program_path)
    names = ("xml.dom.minidom", "colorsys", "helper", "wave", "evaluation_module")
    return {"combined_score": program.search(), **{name: program.known(name) for name in names}}
`;
    const root = folder({ 'evaluator.py': evaluator, 'helper.py': 'SECRET = 42\n' });
    const program = `import sys\n${initial}def known(name):\n    return float(name in sys.modules)\n`;
    const spec = { name: 'openevolve', options: { root } };
    const { execution } = await createFolderEvaluator('openevolve').prepare(
      programOf('python', program),
      spec,
      await contextOf(),
    );
    const { 'xml.dom.minidom': first, colorsys, helper, wave, evaluation_module: own } = execution.metrics;
    assert.deepEqual([first, colorsys, helper, wave, own, execution.metrics['unverified']], [1, 1, 0, 0, 0, undefined]);
  });

  it('whose first import prints: nothing of it reaches the result channel', async () => {
    const evaluator = 'import this\ndef evaluate(program_path):\n    return {"combined_score": 1.0}\n';
    const { execution } = await prepare(evaluator);
    assert.equal(execution.metrics['combined_score'], 1);
  });

  it('with a cascade: a stage runs when the score so far reaches its threshold', async () => {
    const evaluator = `${loader}
def evaluate_stage1(path): return {"combined_score": load(path).search() / 10, "one": 1.0}
def evaluate_stage2(path): return {"combined_score": load(path).search() / 10, "two": 1.0}
def evaluate_stage3(path): return {"three": 1.0}
def evaluate(path): raise RuntimeError("not called")
`;
    const stages = async (value: string) => {
      const { metrics } = await judge(evaluator, initial.replace('3.0', value));
      return ['one', 'two', 'three'].filter((name) => metrics[name] !== undefined);
    };
    assert.deepEqual(await stages('4.0'), ['one']);
    assert.deepEqual(await stages('6.0'), ['one', 'two']);
    assert.deepEqual(await stages('8.0'), ['one', 'two', 'three']);
  });

  it('that raise: the traceback is an artifact', async () => {
    const evaluator = `${loader}\ndef evaluate(path): return {"combined_score": load(path).search()}\n`;
    const { outcome, artifacts } = await judge(evaluator, 'def search():\n    return {}["missing"]\n');
    assert.equal(outcome.kind, 'crashed');
    assert.match(outcome.detail, /KeyError: 'missing'/);
    assert.match(artifacts['traceback'] ?? '', /in search/);
  });

  it('whose evaluate is a coroutine: a clear message', async () => {
    await assert.rejects(prepare('async def evaluate(path): return {}\n'), /coroutine/);
  });

  it('that no program makes work: it is not a model that could fix them', async () => {
    for (const broken of ['import no_such_thing\n', 'def evaluate(path:\n', 'def score(path): return {}\n']) {
      await assert.rejects(prepare(broken), (caught) => {
        assert.ok(caught instanceof PeagenError && !(caught instanceof OriginalFails), String(caught));
        assert.match(caught.line, /^The evaluator cannot be used: .*Fix evaluator\.py first\.$/);
        return true;
      });
    }
    await assert.rejects(prepare('def evaluate(path): raise ValueError("bad")\n'), OriginalFails);
  });

  it('that time out with grandchildren: nobody lives on', async () => {
    const sign = `grandchild-${process.pid}-${Date.now()}`;
    const evaluator = `${loader}
import subprocess, sys
def evaluate(path):
    if load(path).search() > 3: subprocess.run([sys.executable, "-c", "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(600)', '${sign}'])", "${sign}"])
    return {"combined_score": 1.0}
`;
    const { outcome } = await judge(evaluator, initial.replace('3.0', '9.0'), { timeout: 1.5 });
    assert.equal(outcome.kind, 'timeout');
    const alive = readdirSync('/proc').filter((name) => {
      try {
        return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(sign);
      } catch {
        return false;
      }
    });
    assert.deepEqual(alive, []);
  });

  it('of the other kind: a program that writes metrics.json and correct.json', async () => {
    const evaluate = `${loader}
import argparse, json, os
parser = argparse.ArgumentParser()
parser.add_argument("--program_path"); parser.add_argument("--results_dir")
args = parser.parse_args()
value = load(args.program_path).search()
json.dump({"combined_score": value, "public": {"value": value}, "private": {"secret": 1}, "text_feedback": "go on"}, open(os.path.join(args.results_dir, "metrics.json"), "w"))
json.dump({"correct": value < 5, "error": None if value < 5 else "too much"}, open(os.path.join(args.results_dir, "correct.json"), "w"))
`;
    const root = folder({ 'evaluate.py': evaluate });
    const spec = folderEvaluator(root);
    assert.equal(spec?.name, 'shinka');
    const evaluator = createFolderEvaluator('shinka');
    const context = await contextOf();
    const { basis, execution } = await evaluator.prepare(
      programOf('python', initial),
      spec ?? { name: '', options: {} },
      context,
    );
    assert.deepEqual(
      [execution.metrics['combined_score'], execution.metrics['value'], execution.metrics['secret']],
      [3, 3, undefined],
    );
    assert.equal(execution.artifacts['text_feedback'], 'go on');
    const wrong = await evaluator.judge(programOf('python', initial.replace('3.0', '7.0')), basis, context);
    assert.deepEqual([wrong.outcome.kind, wrong.outcome.detail], ['wrong', 'too much']);
  });

  it('of the other kind, that leave running and validating to its harness', async () => {
    const evaluate = `
import argparse
from shinka.core import run_shinka_eval
parser = argparse.ArgumentParser()
parser.add_argument("--program_path"); parser.add_argument("--results_dir")
args = parser.parse_args()
run_shinka_eval(
    program_path=args.program_path, results_dir=args.results_dir, experiment_fn_name="search", num_runs=3, run_workers=2,
    get_experiment_kwargs=lambda index: {}, validate_fn=lambda found: (found < 5, "%s is too much" % found),
    aggregate_metrics_fn=lambda all: {"combined_score": sum(all) / len(all), "public": {"runs": len(all)}, "extra_data": all},
)
`;
    const evaluator = createFolderEvaluator('shinka');
    const context = await contextOf();
    const spec = { name: 'shinka', options: { root: folder({ 'evaluate.py': evaluate }) } };
    const { basis, execution } = await evaluator.prepare(programOf('python', initial), spec, context);
    assert.deepEqual([execution.metrics['combined_score'], execution.metrics['runs']], [3, 3]);
    const judged = async (value: string) => {
      const { outcome } = await evaluator.judge(programOf('python', initial.replace('3.0', value)), basis, context);
      return `${outcome.kind}: ${outcome.detail}`;
    };
    assert.match(await judged('4.5'), /^correct: /);
    assert.equal(await judged('7.0'), 'wrong: Validation failed: 7.0 is too much');
    assert.match(await judged('1 / 0'), /^wrong: Traceback[\s\S]*program\.py", line \d+, in search\n[\s\S]*ZeroDivisionError/);
    assert.equal(await judged('float("nan") if 0 else -float("inf")'), 'wrong: combined_score is -inf');
  });

  it('whose combined_score is not a number: wrong, not the mean of the others', async () => {
    const evaluator = `${loader}\ndef evaluate(program_path):\n    value = load(program_path).search()\n    return {"combined_score": value, "other": 9.0}\n`;
    const { outcome } = await judge(evaluator, initial.replace('3.0', 'float("nan")'));
    assert.deepEqual([outcome.kind, outcome.detail], ['wrong', 'combined_score is nan, which is not a score.']);
  });

  it('are recognised by their files', () => {
    assert.equal(folderEvaluator(folder({ 'evaluator.py': '' }))?.name, 'openevolve');
    assert.equal(folderEvaluator(folder({ 'other.py': '' })), undefined);
  });
});
