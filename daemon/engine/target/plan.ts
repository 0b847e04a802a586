/** What is shown before a run starts: its specification with the derived calls, the most it can cost, and the sandbox. */
import type { Config } from '../../../shared/config.ts';
import type { RunPlan, RunRequest } from '../../../shared/protocol/runs.ts';
import { shownTier } from '../../executors/open.ts';
import type { Registry } from '../../plugins/registry.ts';
import type { Derivations } from './derive.ts';
import { resolveRequest } from './resolve.ts';
import { asksModels, worstCaseOf } from './worst-case.ts';

export async function planRun(
  request: RunRequest,
  config: Config,
  registry: Registry,
  derivations: Derivations,
): Promise<RunPlan> {
  const resolved = await resolveRequest(request, config, registry, derivations);
  return {
    spec: resolved.spec,
    worst_case: await worstCaseOf(resolved, config, registry),
    sandbox: await shownTier(config, registry, !(await asksModels(resolved.spec, config, registry))),
  };
}
