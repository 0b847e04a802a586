/** The address of Redis and the user to connect as. Passwords come from the environment; a message never shows one. */
import { readFileSync } from 'node:fs';
import type { RedisOptions } from 'ioredis';
import type { Config } from '../../../../shared/config.ts';
import { PeagenError } from '../../../../shared/errors.ts';
import { localWorkspace } from '../../../workspace-name.ts';

export interface Address {
  /** `host:port`, for messages. */
  readonly where: string;
  readonly user: string;
  readonly options: RedisOptions;
}

/** `env` may hold PEAGEN_REDIS_PASSWORD, and PEAGEN_REDIS_CA: a file with the certificates to trust. */
export function parseAddress(text: string, env: NodeJS.ProcessEnv): Address {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'redis:' && url.protocol !== 'rediss:')) {
    const shown = text.replace(/\/\/[^@/]*@/, '//…@');
    throw new PeagenError('invalid_config', `"${shown}" is not a Redis address.`, {
      hint: 'Expected task_queue.url such as "redis://host:6379" or, with TLS, "rediss://user@host:6379".',
    });
  }
  const [host, port] = [url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1', Number(url.port || 6379)];
  const password = decodeURIComponent(url.password) || env['PEAGEN_REDIS_PASSWORD'];
  const user = decodeURIComponent(url.username) || 'default';
  const db = Number(url.pathname.slice(1) || 0);
  if (!Number.isInteger(db)) {
    throw new PeagenError('invalid_config', `"${url.pathname.slice(1)}" is not a database number.`, {
      hint: 'Expected redis://host:6379/0.',
    });
  }
  const ca = env['PEAGEN_REDIS_CA'];
  return {
    where: `${host}:${port}`,
    user,
    options: {
      host,
      port,
      db,
      ...(user === 'default' ? {} : { username: user }),
      ...(password ? { password } : {}),
      ...(url.protocol === 'rediss:' ? { tls: ca === undefined ? {} : { ca: readFileSync(ca) } } : {}),
    },
  };
}

/** The address that the configuration names. A password in the file is refused: it belongs into the environment. */
export function configuredAddress({ task_queue }: Config, env: NodeJS.ProcessEnv): Address {
  if (task_queue.url === undefined) {
    throw new PeagenError('invalid_config', 'The queue "redis" needs task_queue.url.', {
      hint: 'Add url = "redis://host:6379" to [task_queue], or set PEAGEN__TASK_QUEUE__URL.',
    });
  }
  const fromEnvironment = [env['PEAGEN__TASK_QUEUE__URL'], env['QUEUE_URL']].includes(task_queue.url);
  if (!fromEnvironment && URL.parse(task_queue.url)?.password) {
    throw new PeagenError('invalid_config', 'task_queue.url holds a password.', {
      hint: 'Take it out of the file and set PEAGEN_REDIS_PASSWORD instead.',
    });
  }
  return parseAddress(task_queue.url, env);
}

/** Prefix of all keys of a workspace. The braces are the hash tag that keeps them in one slot of a cluster. */
export function workspacePrefix({ task_queue }: Config, folder: string): string {
  const name = task_queue.workspace ?? localWorkspace(folder);
  if (!/^[\w.-]+(\/[\w.-]+)*$/.test(name)) {
    throw new PeagenError('invalid_config', `task_queue.workspace "${name}" is not a workspace name.`, {
      hint: 'Use letters, digits, ".", "_" and "-", as in "team/project".',
    });
  }
  return `peagen:{${name}}:`;
}
