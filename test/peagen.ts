/** Runs the `peagen` command as it ships, as tests and benchmarks do. A daemon that it starts ends with the command. */
import { spawn } from 'node:child_process';
import { builtScript } from './built.ts';

export interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
  /** The last line of standard output, parsed; undefined when it is not JSON. */
  lastJson: unknown;
}

export async function runPeagen(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  const child = spawn(process.execPath, [builtScript('cli'), ...args], {
    cwd,
    env: { PEAGEN_DAEMON_GRACE_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const collect = async (stream: AsyncIterable<Buffer>) => {
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  const [stdout, stderr, status] = await Promise.all([
    collect(child.stdout),
    collect(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { status, stdout, stderr, lastJson: parsed(stdout.trimEnd().split('\n').at(-1) ?? '') };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
