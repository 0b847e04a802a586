/** Chooses the sandbox tier, once per configuration, and says so when it is a weak one. */
import type { Config } from '../../shared/config.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Registry } from '../plugins/registry.ts';
import { defaultLimits, type Executor, type SandboxFactory } from './sandbox.ts';

/** What `auto` tries, strongest first that costs no set-up; Docker only runs when it is asked for by name. */
const automatic = ['bubblewrap', 'plain'] as const;

const plainWarning =
  'Candidates run WITHOUT a sandbox: they can read your files and reach the network. Install bubblewrap (Linux) or set [evaluate] sandbox = "docker".';

/** Throws `not_found` for an unknown tier and `unavailable` for one that does not work here: never a weaker one instead. */
export async function openSandboxes(config: Config, registry: Registry): Promise<SandboxFactory> {
  const limits = {
    ...defaultLimits,
    wallMs: config.evaluate.timeout,
    cpuSeconds: Math.max(defaultLimits.cpuSeconds, Math.ceil(config.evaluate.timeout / 1000) * 2),
    memoryBytes: config.evaluate.memory_mb * 1024 ** 2,
  };
  const load = async (name: string): Promise<Executor> => (await registry.load('executor', name))(config);
  const wanted = config.evaluate.sandbox;
  if (wanted !== 'auto') {
    const tier = await load(wanted);
    const reason = await tier.unavailable();
    if (reason !== undefined) {
      throw new PeagenError('unavailable', `The sandbox "${wanted}" cannot be used: ${reason}`, {
        hint: 'Set [evaluate] sandbox to another tier, or to "auto".',
        retryable: false,
      });
    }
    return { tier, limits, warning: wanted === 'plain' ? plainWarning : undefined };
  }
  const reasons: string[] = [];
  for (const name of automatic) {
    const tier = await load(name);
    const reason = await tier.unavailable();
    if (reason === undefined) {
      const warning = name === 'plain' ? [plainWarning, ...reasons].join(' ') : undefined;
      return { tier, limits, warning };
    }
    reasons.push(reason);
  }
  throw new PeagenError('unavailable', `No sandbox can be used: ${reasons.join(' ')}`);
}
