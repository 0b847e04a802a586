/**
 * What each member of a cluster may do on the team's Redis, as lines of an ACL file. The commands are those that the scripts
 * and the clients send (test/conformance/queue/queue-roles.test.ts runs the queue's suite under these rules), and nothing else.
 */
import { createHash } from 'node:crypto';
import { PeagenError } from '../../../../shared/errors.ts';

export const queueRoles = ['daemon', 'host', 'autoscaler'] as const;
type QueueRole = (typeof queueRoles)[number];

const connects = ['hello', 'ping', 'info', 'time', 'client|setname'];
const works = [
  ...['blpop', 'eval', 'evalsha', 'exists', 'expire', 'get', 'hdel', 'hget', 'hgetall', 'hincrby', 'hmget', 'hset', 'mget'],
  ...['mset', 'rpush', 'sadd', 'scard', 'set', 'setex', 'smembers', 'unlink', 'xack', 'xadd', 'xautoclaim', 'xclaim'],
  ...[
    'xdel',
    'xgroup|create',
    'xinfo|groups',
    'xlen',
    'xrange',
    'xreadgroup',
    'xrevrange',
    'xtrim',
    'zadd',
    'zcard',
    'zrange',
    'zrangebyscore',
    'zrem',
  ],
];
/** Only a collector reads the stream of results. */
const collects = ['xread'];
const measures = ['exists', 'xlen', 'xpending', 'xinfo|groups', 'scard', 'smembers', 'zcard'];

const commands: Readonly<Record<QueueRole, readonly string[]>> = {
  daemon: [...connects, ...works, ...collects],
  host: [...connects, ...works],
  autoscaler: [...connects, ...measures],
};

/** The variable that holds the password of a role where the rules are printed. */
export const passwordVariable = (role: QueueRole): string => `PEAGEN_${role.toUpperCase()}_PASSWORD`;

/**
 * One line for each user. `workspaces`: a name as in `task_queue.workspace`, or the beginning of some with `*`. A role whose
 * password is not in `env` is off.
 */
export function queueAcl(workspaces: string, env: NodeJS.ProcessEnv): string[] {
  if (!/^[\w.-]+(\/[\w.-]+)*(\/?\*)?$/.test(workspaces) && workspaces !== '*') {
    throw new PeagenError('invalid_input', `"${workspaces}" is not a workspace.`, {
      hint: 'Give a name such as "team/project", or "team/*" for all of a team.',
    });
  }
  const users = queueRoles.map((role) => {
    const password = env[passwordVariable(role)];
    // An ACL file holds the hash: a reader of the file does not have the password.
    const secret = password ? `on #${createHash('sha256').update(password).digest('hex')}` : 'off resetpass';
    const keys = role === 'autoscaler' ? `%R~peagen:{${workspaces}}:*` : `~peagen:{${workspaces}}:*`;
    const allowed = commands[role].map((command) => `+${command}`).join(' ');
    return `user peagen-${role} reset ${secret} ${keys} -@all ${allowed}`;
  });
  return ['user default off', ...users];
}
