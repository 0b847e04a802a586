/** What this machine can run, as capability tags: detected once per process and key environment, then adjusted by the user. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../../shared/config.ts';
import type { CapTag } from '../../shared/task.ts';
import { findInterpreter } from '../executors/interpreters.ts';
import { keyVariable, missingKeys } from '../llm/presets.ts';

const run = promisify(execFile);
const PROBE_MS = 3000;

let machine: Promise<CapTag[]> | undefined;

/**
 * The tags of this machine and configuration. `worker.defaults.caps` adds to what is detected, since software tags (`gcc13`)
 * cannot be; `caps_only` takes the place of all of them.
 */
export async function detectCaps({ config, env }: { config: Config; env: NodeJS.ProcessEnv }): Promise<CapTag[]> {
  machine ??= detectMachine();
  const hasModel = config.llm.backends.length > 0 && missingKeys(config, env).length === 0;
  const detected = [...(await machine), ...(hasModel ? ['llm'] : [])];
  const { caps = [], caps_only: only } = config.worker.defaults;
  return only ?? [...new Set([...detected, ...caps])];
}

async function detectMachine(): Promise<CapTag[]> {
  const [python, node, docker, gpu] = await Promise.all([has('python'), has('node'), dockerAnswers(), gpuTags()]);
  return ['cpu', ...(python ? ['python'] : []), ...(node ? ['node'] : []), ...(docker ? ['docker'] : []), ...gpu];
}

async function has(runtime: 'python' | 'node'): Promise<boolean> {
  try {
    await findInterpreter(runtime);
    return true;
  } catch {
    return false;
  }
}

/** The environment variables that hold the keys of the configured back ends. */
export function keyNames(config: Config): string[] {
  return config.llm.backends.flatMap((backend) => keyVariable(backend) ?? []);
}

/** The engine's socket accepts: asking more would cost the start of every run. */
function dockerAnswers(): Promise<boolean> {
  const host =
    process.env['DOCKER_HOST'] ??
    (process.platform === 'win32' ? 'npipe:////./pipe/docker_engine' : 'unix:///var/run/docker.sock');
  const url = URL.parse(host);
  if (url === null) return Promise.resolve(false);
  const path = url.protocol === 'npipe:' ? '\\\\.\\pipe\\docker_engine' : url.pathname;
  const local = url.protocol === 'unix:' || url.protocol === 'npipe:';
  if (url.protocol === 'unix:' && !existsSync(path)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const socket = local ? connect(path) : connect(Number(url.port || 2375), url.hostname);
    const end = (answers: boolean) => {
      socket.destroy();
      resolve(answers);
    };
    socket.setTimeout(PROBE_MS, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

/** NVIDIA's container runtime, by which the engine gives GPUs to containers: without it every such task would fail. */
const GPU_RUNTIMES = ['nvidia-container-runtime', 'nvidia-container-runtime-hook', 'nvidia-ctk'];

/** None without the driver or the runtime of containers. Exported for tests. */
export async function gpuTags(env: NodeJS.ProcessEnv = process.env): Promise<CapTag[]> {
  const folders = env['PATH']?.split(delimiter) ?? [];
  if (!GPU_RUNTIMES.some((name) => folders.some((folder) => existsSync(join(folder, name))))) return [];
  try {
    const { stdout } = await run('nvidia-smi', [], { timeout: PROBE_MS, env });
    return parseGpuTags(stdout);
  } catch {
    // No driver.
    return [];
  }
}

/** The table of `nvidia-smi` names the newest CUDA that the driver runs; it runs the older ones from 11 on too. */
export function parseGpuTags(table: string): CapTag[] {
  const major = /CUDA Version:\s*(\d+)\.\d+/.exec(table)?.[1];
  if (major === undefined || Number(major) < 11) return [];
  const majors = Array.from({ length: Number(major) - 10 }, (_, index) => `cuda${11 + index}`);
  return ['gpu', ...majors];
}
