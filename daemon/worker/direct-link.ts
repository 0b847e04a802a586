/** A worker that claims by itself: in a container or on a cluster, from Redis, with its configuration from where it runs. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import { CapTag } from '../../shared/task.ts';
import { readConfig } from '../config/load.ts';
import { detectCaps } from '../fabric/caps.ts';
import type { TaskQueue, WorkerIdentity } from '../fabric/queue.ts';
import type { WorkerSettings } from '../fabric/worker/settings.ts';
import { openRuntime, type WorkerRuntime } from './runtime.ts';

export interface DirectLink {
  readonly queue: TaskQueue;
  readonly identity: WorkerIdentity;
  readonly runtime: WorkerRuntime;
}

export async function openDirectLink(settings: WorkerSettings, env: NodeJS.ProcessEnv): Promise<DirectLink> {
  const loaded = await readConfig({ cwd: process.cwd(), env });
  const provider = loaded.config.task_queue.provider === 'stub' ? 'redis' : loaded.config.task_queue.provider;
  const config: Config = { ...loaded.config, task_queue: { ...loaded.config.task_queue, provider, url: settings.queueUrl } };
  const runtime = await openRuntime(config, settings.plugins ?? config.worker.defaults.plugins, 'info');
  const caps = settings.caps === undefined ? await detectCaps({ config, env }) : settings.caps.map(tagOf);
  const queue = await (await runtime.registry.load('queue', provider))(config, process.cwd());
  const id = `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(4).toString('hex')}`;
  return { queue, identity: { id, caps: new Set(caps) }, runtime };
}

function tagOf(text: string): CapTag {
  const tag = CapTag.safeParse(text);
  if (tag.success) return tag.data;
  throw new PeagenError('invalid_input', `WORKER_CAPS names "${text}", which is not a tag.`, {
    hint: 'Tags are lower-case, such as cpu or gcc13.',
  });
}
