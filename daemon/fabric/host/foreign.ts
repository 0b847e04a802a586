/**
 * Names the plugin whose code a task would run. Such code never runs in a host: the task goes to a process of its own. All
 * that is read of the task is what names parts; the handler checks the rest.
 */
import * as z from 'zod';
import type { Config } from '../../../shared/config.ts';
import type { Task } from '../../../shared/task.ts';
import type { PluginKind, Registry } from '../../registry.ts';

const Mutates = z.object({ mutator: z.string() });
const Executes = z.object({ basis: z.object({ evaluator: z.object({ name: z.string() }) }) });
const Scores = z.object({ scoring: z.object({ axes: z.array(z.object({ name: z.string() })) }) });

/** Such as `mutator "acme" of acme-mutators@1.2.0`; undefined when all that the task needs is built in. */
export function foreignPart(task: Task, registry: Registry, config: Config): string | undefined {
  for (const [kind, name] of partsOf(task, config)) {
    const source = registry.sourceOf(kind, name);
    if (source !== undefined && source !== 'builtin') return `${kind} "${name}" of ${source}`;
  }
  return undefined;
}

function partsOf({ kind, payload, requires }: Task, config: Config): [PluginKind, string][] {
  const parts: [PluginKind, string][] = [];
  if (kind === 'mutate') {
    const parsed = Mutates.safeParse(payload);
    if (parsed.success) parts.push(['mutator', parsed.data.mutator]);
  }
  if (kind === 'execute') {
    const parsed = Executes.safeParse(payload);
    if (parsed.success) parts.push(['evaluator', parsed.data.basis.evaluator.name]);
    parts.push(['executor', config.evaluate.sandbox]);
  }
  if (kind === 'execute' || kind === 'evaluate') {
    const parsed = Scores.safeParse(payload);
    if (parsed.success) for (const { name } of parsed.data.scoring.axes) parts.push(['feature', name]);
  }
  if (requires.includes('llm')) {
    for (const { preset } of config.llm.backends) if (preset !== undefined) parts.push(['backend', preset]);
  }
  return parts;
}
