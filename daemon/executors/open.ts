/** Chooses the sandbox tier, once per configuration. Without one nothing runs, except where the plain tier is allowed. */
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Registry } from '../registry.ts';
import { defaultLimits, type Executor, type SandboxFactory } from './sandbox.ts';

/**
 * Who wrote the code that the sandbox is for, which decides whether it may run without one. `own`: the code of the workspace,
 * and what offline mutators make of it. `foreign`: code from a model, an agent or a file. `queue`: a task of a shared queue.
 */
export type CodeOrigin = 'own' | 'foreign' | 'queue';

/** What `auto` tries, cheapest first. */
export function automaticTiers(platform: NodeJS.Platform): readonly string[] {
  if (platform === 'win32') return ['docker'];
  return [platform === 'darwin' ? 'seatbelt' : 'bubblewrap', 'docker'];
}

/** What to do where there is no sandbox. */
export function sandboxHint(platform: NodeJS.Platform): string {
  if (platform === 'linux') return 'Run "apt install bubblewrap" (or "dnf install bubblewrap"), or start Docker or Podman.';
  const elsewhere = platform === 'win32' ? 'in WSL or in a Linux container' : 'in a Linux container';
  return `Run Peagen ${elsewhere}: media/docs/systems.md has the commands.`;
}

const install = sandboxHint(process.platform);
const plainWarning = `Candidates run WITHOUT a sandbox: they can read your files and reach the network. ${install}`;

/** Tasks of a queue that machines share are never trusted, whatever they say of themselves. */
export function codeOrigin({ task_queue }: Config, offline: boolean): CodeOrigin {
  if (task_queue.provider !== 'stub') return 'queue';
  return offline ? 'own' : 'foreign';
}

/**
 * Throws `not_found` for an unknown tier and `unavailable` for one that does not work here: never a weaker one instead. The
 * plain tier is chosen when the user named it, or for `own` code where nothing else works; both with a warning.
 */
export async function openSandboxes(config: Config, registry: Registry, origin: CodeOrigin): Promise<SandboxFactory> {
  const limits = {
    ...defaultLimits,
    wallMs: config.evaluate.timeout,
    cpuSeconds: Math.max(defaultLimits.cpuSeconds, Math.ceil(config.evaluate.timeout / 1000) * 2),
    memoryBytes: config.evaluate.memory_mb * 1024 ** 2,
  };
  const load = async (name: string): Promise<Executor> => (await registry.load('executor', name))(config);
  const wanted = config.evaluate.sandbox;
  if (wanted === 'plain' && origin === 'queue') {
    throw new PeagenError('unavailable', 'The sandbox "plain" is refused: tasks of a shared queue never run without a sandbox.', {
      hint: install,
    });
  }
  if (wanted !== 'auto') {
    const tier = await load(wanted);
    const reason = await tier.unavailable();
    if (reason !== undefined) {
      throw new PeagenError('unavailable', `The sandbox "${wanted}" cannot be used: ${reason}`, {
        hint: 'Set [evaluate] sandbox to another tier, or to "auto".',
        retryable: origin === 'queue',
      });
    }
    return { tier, limits, warning: wanted === 'plain' ? plainWarning : undefined };
  }
  const reasons: string[] = [];
  for (const name of automaticTiers(process.platform)) {
    const tier = await load(name);
    const reason = await tier.unavailable();
    if (reason === undefined) return { tier, limits, warning: undefined };
    reasons.push(reason);
  }
  if (origin === 'own') return { tier: await load('plain'), limits, warning: [plainWarning, ...reasons].join(' ') };
  const byName = origin === 'queue' ? '' : ' To run it without a sandbox all the same, set PEAGEN__EVALUATE__SANDBOX=plain.';
  throw new PeagenError('unavailable', `No sandbox can be used, so the code is not run: ${reasons.join(' ')}`, {
    hint: `${install}${byName}`,
    // Another host of the queue may have a sandbox.
    retryable: origin === 'queue',
  });
}

/**
 * The tier that code will run in, for a user to see; `none` where only other hosts of a shared queue have one. Throws where the
 * code would run on this machine and must not.
 */
export async function shownTier(
  config: Config,
  registry: Registry,
  offline: boolean,
): Promise<{ tier: string; warning?: string }> {
  const origin = codeOrigin(config, offline);
  try {
    const { tier, warning } = await openSandboxes(config, registry, origin);
    return { tier: tier.name, ...(warning === undefined ? {} : { warning }) };
  } catch (caught) {
    if (origin !== 'queue') throw caught;
    return { tier: 'none', warning: PeagenError.from(caught).line };
  }
}
