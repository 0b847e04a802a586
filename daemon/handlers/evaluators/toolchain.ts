/** The interpreters a command may call that live outside /usr, as mounts and a PATH. Nothing of the person's home beside them. */
import { dirname } from 'node:path';
import { findInterpreter } from '../../sandbox/interpreters.ts';
import type { Mount } from '../../sandbox/sandbox.ts';

export async function toolchain(): Promise<{ mounts: Mount[]; path: string }> {
  const mounts = new Map<string, Mount>();
  const folders: string[] = [];
  for (const runtime of ['python', 'node'] as const) {
    // A command in another language needs neither.
    const interpreter = await findInterpreter(runtime).catch(() => undefined);
    if (interpreter === undefined) continue;
    for (const prefix of interpreter.prefixes) mounts.set(prefix, { from: prefix, at: prefix });
    if (interpreter.prefixes.length > 0) folders.push(dirname(interpreter.path));
  }
  return { mounts: [...mounts.values()], path: [...new Set([...folders, '/usr/local/bin', '/usr/bin', '/bin'])].join(':') };
}
