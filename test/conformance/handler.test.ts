/** The built-in handlers, each with a task of its kind. */
import { GenerateHandler } from '../../daemon/handlers/generate.ts';
import { builtinRegistry } from '../../daemon/plugins/builtin.ts';
import { Config } from '../../shared/config.ts';
import { Sha256 } from '../../shared/ids.ts';
import type { Task } from '../../shared/task.ts';
import { programOf } from '../integration/judging/judging.ts';
import { handlerConformance } from './handler.ts';
import { evaluateTask } from './launchers/launcher.ts';
import { task } from './queue/queue-setup.ts';

const registry = builtinRegistry();
const builtin = (name: string, one: Task) =>
  handlerConformance(name, async () => ({
    handler: (await registry.load('handler', name))(Config.parse({})),
    task: one,
    context: { registry },
  }));

const original = programOf('python', 'def f(items):\n    items = sorted(items)\n    items = sorted(items)\n    return items\n');
const spec = { name: 'function', options: { entry: { path: 'target.py', fn: 'f' }, calls: [{ args: [[2, 1]] }] } };
const basis = { evaluator: spec, original, data: null };
const next = { mode: 'candidate', basis, deterministic: true };
const parent = { sha256: Sha256.parse('0'.repeat(64)), program: original, metrics: {}, note: '' };
const mutate = { mutator: 'structural', seed: 1, original, parent, inspirations: [], next };
const source = 'Dear {{ name }},\n';
const render = { engine: 'minijinja', sources: { a: source }, jobs: [{ template: 'a', context: '{"name": "reader"}' }] };
const generate = { system: '', prompt: 'A file.', temperature: 0, maxTokens: 10, backend: 'auto' };

builtin('evaluate', evaluateTask());
builtin('mutate', task({ kind: 'mutate', payload: mutate }));
builtin('mutate-offline', task({ kind: 'mutate', payload: mutate }));
builtin('render', task({ kind: 'render', payload: render }));
builtin(
  'execute-python',
  task({ requires: ['cpu', 'python'], payload: { mode: 'basis', program: original, basis, deterministic: true } }),
);
handlerConformance('render-llm', async () => {
  const tokens = { prompt: 1, completion: 1 };
  const text = 'Here it is.\n\n```\nfile\n```\n';
  const answer = { text, backend: 'b', model: 'm', tokens, finish: 'stop', firstTokenMs: 1, totalMs: 1 } as const;
  return {
    handler: new GenerateHandler(async () => answer),
    task: task({ kind: 'render', requires: ['llm'], payload: generate }),
  };
});
