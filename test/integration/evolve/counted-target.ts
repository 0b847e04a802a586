/**
 * Targets for tests that are not about measuring, judged by an evaluator file next to them that counts the lines that a
 * program executes: the same score on every machine, however busy, for one short process. A gain in time is measured for
 * half a minute at the end of a run.
 */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { samplesDir } from '../../../daemon/assets.ts';
import type { RunRequest } from '../../../shared/protocol/runs.ts';

/**
 * The evaluator file. `fn` is called with each element of `calls`, and has to answer as `oracle` does: all three as Python
 * has them.
 */
export function countingEvaluator(fn: string, calls: string, oracle: string): string {
  // A module that it imports runs in a process of its own, whose lines nobody can count from here.
  return `import sys

CALLS = ${calls}
MOST_LINES = 100_000


def evaluate(program_path):
    with open(program_path) as file:
        text = file.read()
    space = {"__name__": "program"}
    exec(compile(text, program_path, "exec"), space)
    program = space["${fn}"]
    lines = 0

    def count(_frame, event, _arg):
        nonlocal lines
        lines += event == "line"
        if lines > MOST_LINES:
            raise TimeoutError("more lines than any original needs")
        return count

    sys.settrace(count)
    try:
        answers = [program(call) for call in CALLS]
    finally:
        sys.settrace(None)
    for call, answer in zip(CALLS, answers):
        assert answer == (${oracle})(call), f"${fn}({call}) is {answer}"
    return {"combined_score": 10_000 / lines, "lines": lines, "length": len(program.__code__.co_code)}
`;
}

const settings = `[mutate]
target_file = "bad_sort.py"
entry_fn = "bad_sort"

[evaluate]
evaluator = "openevolve"
`;

/** Writes the program, its evaluator and the settings that name both. */
export function writeCountedTarget(folder: string): void {
  cpSync(join(samplesDir, 'bad_sort', 'bad_sort.py'), join(folder, 'bad_sort.py'));
  const calls = '[[], [2, 1], [5, 3, 9, 1.5, 4, 8], [3, 3, -1, 3, 0]]';
  writeFileSync(join(folder, 'evaluator.py'), countingEvaluator('bad_sort', calls, 'sorted'));
  writeFileSync(join(folder, '.peagen.toml'), settings);
}

/** The request of a run on it that asks no model. */
export function countedRequest(folder: string, generations: number): RunRequest {
  return {
    target: { root: folder, path: 'bad_sort.py', entry_fn: 'bad_sort' },
    evaluator: { name: 'openevolve', options: {} },
    mutator: 'structural',
    seed: 1,
    population: 4,
    stop: { max_generations: generations, no_improve: 1000 },
  };
}
