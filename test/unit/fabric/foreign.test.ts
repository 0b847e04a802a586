import assert from 'node:assert/strict';
import { foreignPart } from '../../../daemon/fabric/host/foreign.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { Config } from '../../../shared/config.ts';
import { newTaskId } from '../../../shared/ids.ts';
import type { Task, TaskKind } from '../../../shared/task.ts';

const taskOf = (kind: TaskKind, payload: unknown, requires = ['cpu']): Task => ({
  ...{ kind, payload, requires, id: newTaskId(), attempts: 0, schema_v: 1 },
  created_at: new Date().toISOString(),
});

describe('the parts of a task that are not built in', () => {
  const registry = builtinRegistry();
  const never = () => Promise.reject(new Error('A part is named, not loaded.'));
  for (const kind of ['mutator', 'evaluator', 'feature', 'executor', 'backend'] as const) {
    registry.register(kind, 'acme', never, 'acme-parts@1.2.0');
  }
  const partOf = (task: Task, config: unknown = {}) => foreignPart(task, registry, Config.parse(config));
  const executed = (evaluator: string, axis = 'speed') => ({
    basis: { evaluator: { name: evaluator } },
    scoring: { axes: [{ name: axis }] },
  });

  it('are named with their package', () => {
    assert.equal(partOf(taskOf('mutate', { mutator: 'acme' })), 'mutator "acme" of acme-parts@1.2.0');
    assert.equal(partOf(taskOf('execute', executed('acme'))), 'evaluator "acme" of acme-parts@1.2.0');
    assert.equal(partOf(taskOf('execute', executed('function', 'acme'))), 'feature "acme" of acme-parts@1.2.0');
    const sandbox = { evaluate: { sandbox: 'acme' } };
    assert.equal(partOf(taskOf('execute', executed('function')), sandbox), 'executor "acme" of acme-parts@1.2.0');
  });

  it('include the back ends of a task that asks models, and of no other', () => {
    const config = { llm: { backends: [{ name: 'a', model: 'm', preset: 'acme' }] } };
    assert.equal(partOf(taskOf('mutate', { mutator: 'patch' }, ['cpu', 'llm']), config), 'backend "acme" of acme-parts@1.2.0');
    assert.equal(partOf(taskOf('mutate', { mutator: 'structural' }), config), undefined);
  });

  it('are none where all is built in, unknown or malformed', () => {
    for (const payload of [{ mutator: 'structural' }, { mutator: 'nowhere' }, { mutator: 7 }, null, 'text']) {
      assert.equal(partOf(taskOf('mutate', payload)), undefined);
    }
    assert.equal(partOf(taskOf('execute', executed('function'))), undefined);
  });
});
