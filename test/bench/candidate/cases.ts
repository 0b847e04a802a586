/** The ways in which a candidate is judged, each with a trivial program: what remains is the engine's own cost. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findInterpreter } from '../../../daemon/executors/interpreters.ts';

export interface Case {
  readonly name: string;
  readonly file: string;
  readonly fence: string;
  /** A candidate; each number makes another one, as fast as the others. */
  text(number: number): string;
  /** Writes what judges it; returns the arguments and settings that say so. */
  prepare(folder: string): { args: string[]; settings: string };
  /** OpenEvolve runs it too. */
  readonly hasPeer?: true;
  /** Runs a candidate once in a fresh process. */
  bare(folder: string): void;
}

// The real program: a version manager's shim would cost more than the candidate.
export const { path: interpreter } = await findInterpreter('python');
const python = (number: number) => `def step(n):\n    return n + ${number} - ${number}\n`;
/** Takes about a millisecond. */
const rank = (number: number) => `def rank(items):
    ranks = []
    for item in items:
        below = ${number} - ${number}
        for other in items:
            if other < item:
                below += 1
        ranks.append(below)
    return ranks
`;
const unsorted = Array.from({ length: 150 }, (_, index) => ((index + 1) * 7919) % 1009);
const javascript = (number: number) => `export function step(n) {\n  return n + ${number} - ${number};\n}\n`;
/** The same. */
const rankJavaScript = (number: number) => `export function rank(items) {
  const ranks = [];
  for (const item of items) {
    let below = ${number} - ${number};
    for (const other of items) if (other < item) below++;
    ranks.push(below);
  }
  return ranks;
}
`;
const more = Array.from({ length: 1000 }, (_, index) => ((index + 1) * 7919) % 1009);
const inputs = ['--entry-fn', 'step', '--inputs', '[[1], [2], [3]]'];
const run = (folder: string, command: string, ...args: string[]) => {
  execFileSync(command, args, { cwd: folder, stdio: 'ignore' });
};

/** `imports`: what the evaluator imports next to what it needs. */
const folder = (name: string, imports: string): Case => ({
  ...{ name, file: 'step.py', fence: 'python', text: python, hasPeer: true },
  prepare: (place) => {
    const evaluator = `${imports}import importlib.util

def evaluate(program_path):
    spec = importlib.util.spec_from_file_location("program", program_path)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    assert [program.step(n) for n in (1, 2, 3)] == [1, 2, 3]
    return {"combined_score": 1.0}
`;
    writeFileSync(join(place, 'evaluator.py'), evaluator);
    return { args: ['--entry-fn', 'step'], settings: '[evaluate]\nevaluator = "openevolve"\n' };
  },
  bare: (place) => run(place, interpreter, '-c', 'import evaluator; evaluator.evaluate("step.py")'),
});

export const cases: readonly Case[] = [
  {
    ...{ name: 'function, Python', file: 'step.py', fence: 'python', text: python },
    prepare: () => ({ args: inputs, settings: '' }),
    bare: (folder) => run(folder, interpreter, '-S', '-c', 'import step; [step.step(n) for n in (1, 2, 3)]'),
  },
  {
    ...{ name: 'function of 1 ms, Python', file: 'rank.py', fence: 'python', text: rank },
    prepare: () => ({ args: ['--entry-fn', 'rank', '--inputs', JSON.stringify([[unsorted]])], settings: '' }),
    bare: (folder) => run(folder, interpreter, '-S', '-c', `import rank; rank.rank(${JSON.stringify(unsorted)})`),
  },
  {
    ...{ name: 'function, JavaScript', file: 'step.js', fence: 'javascript', text: javascript },
    prepare: (folder) => {
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      return { args: inputs, settings: '' };
    },
    bare: (folder) => run(folder, process.execPath, '-e', 'import("./step.js").then(({step}) => [1,2,3].map(step))'),
  },
  {
    ...{ name: 'function of 1 ms, JavaScript', file: 'rank.js', fence: 'javascript', text: rankJavaScript },
    prepare: (folder) => {
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      return { args: ['--entry-fn', 'rank', '--inputs', JSON.stringify([[more]])], settings: '' };
    },
    bare: (folder) => run(folder, process.execPath, '-e', `import("./rank.js").then(({rank}) => rank(${JSON.stringify(more)}))`),
  },
  {
    ...{ name: 'command', file: 'step.py', fence: 'python', text: python },
    prepare: (folder) => {
      writeFileSync(join(folder, 'check.py'), 'from step import step\nassert [step(n) for n in (1, 2, 3)] == [1, 2, 3]\n');
      return { args: ['--entry-fn', 'step'], settings: '[evaluate]\ncommand = "python3 check.py"\n' };
    },
    bare: (folder) => run(folder, interpreter, 'check.py'),
  },
  folder('OpenEvolve folder', ''),
  folder('OpenEvolve folder, numpy', 'import numpy\n'),
];
