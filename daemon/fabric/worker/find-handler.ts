/** Finds the handler of a task: `task.requires ⊆ handler.provides ⊆ worker.caps`, importing as few of them as it can. */
import type { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { type CapTag, canClaim, type Task } from '../../../shared/task.ts';
import type { TaskHandler } from '../../handlers/handler.ts';
import type { Registry } from '../../registry.ts';

export interface HandlerSearch {
  readonly registry: Registry;
  readonly config: Config;
  readonly caps: ReadonlySet<CapTag>;
  /** The only handlers that may be used; undefined: all. */
  readonly allowed: readonly string[] | undefined;
}

/** Throws `unsupported` (retryable, since another worker may have the handler), naming what was looked at. */
export async function findHandler(task: Task, search: HandlerSearch): Promise<TaskHandler> {
  const names = handlerNames(search, task.kind);
  const refused: string[] = [];
  for (const name of names) {
    const handler = (await search.registry.load('handler', name))(search.config);
    const reason = refusal(task, handler, search.caps);
    if (reason === undefined) return handler;
    refused.push(`${name} ${reason}`);
  }
  throw new PeagenError(
    'unsupported',
    `No handler here runs ${task.kind} tasks that require ${task.requires.join(', ') || 'nothing'}.`,
    {
      hint: `Looked at: ${refused.join('; ') || 'none, no handler is registered'}. Install the handler's package, or allow it in WORKER_PLUGINS.`,
      retryable: true,
    },
  );
}

/** Handlers are named for their kind (`execute`, `execute-gpu`), so those come first and the rest are rarely imported. */
function handlerNames({ registry, allowed }: HandlerSearch, kind: string): string[] {
  const names = registry.names('handler').filter((name) => allowed === undefined || allowed.includes(name));
  const named = (name: string) => name === kind || name.startsWith(`${kind}-`);
  return [...names.filter(named), ...names.filter((name) => !named(name))];
}

function refusal(task: Task, handler: TaskHandler, caps: ReadonlySet<CapTag>): string | undefined {
  if (handler.kind !== task.kind) return `handles ${handler.kind}`;
  if (!canClaim(handler.provides, caps)) {
    const missing = handler.provides.filter((tag) => !caps.has(tag));
    return `needs ${missing.join(', ')}, which this worker does not have`;
  }
  if (!canClaim(task.requires, new Set(handler.provides))) return `provides only ${handler.provides.join(', ')}`;
  return handler.accepts(task) ? undefined : 'does not accept it';
}
