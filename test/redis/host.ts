/** `peagen worker start` from the sources, in a folder of its own, on the queue that an address and a workspace name. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { entryPoint } from '../../daemon/assets.ts';

interface QueueName {
  readonly url: string;
  readonly workspace: string;
}

interface HostOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Another user than that of the tests. */
  readonly uid?: number;
}

/** Resolves when it serves; rejects with what it said when it ends before that. */
export async function startHost({ url, workspace }: QueueName, place: string, options: HostOptions = {}): Promise<ChildProcess> {
  const { args = [], env = {}, uid } = options;
  mkdirSync(place, { recursive: true });
  const child = spawn(process.execPath, [entryPoint('cli'), 'worker', 'start', ...args], {
    cwd: place,
    env: {
      ...{ PATH: process.env['PATH'], HOME: place, TMPDIR: place, PEAGEN__TASK_QUEUE__PROVIDER: 'redis' },
      ...{ PEAGEN__TASK_QUEUE__URL: url, PEAGEN__TASK_QUEUE__WORKSPACE: workspace, ...env },
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The host has ended: ${said}`)));
    child.stderr.on('data', (piece) => {
      said += String(piece);
      if (said.includes('serving')) resolve();
    });
  });
  return child;
}
