/** The sandbox tiers that suites run against. A missing one is a failure in CI and a skip that says its reason elsewhere. */
import assert from 'node:assert/strict';
import { createBubblewrapTier } from '../daemon/sandbox/bubblewrap.ts';
import { createDockerTier } from '../daemon/sandbox/docker.ts';
import { createPlainTier } from '../daemon/sandbox/plain.ts';
import type { SandboxTier } from '../daemon/sandbox/sandbox.ts';
import { Engine, missingEngine } from './conformance/launcher-engine.ts';

export const tiersUnderTest: readonly { readonly name: string; readonly create: () => SandboxTier }[] = [
  { name: 'bubblewrap', create: createBubblewrapTier },
  { name: 'docker', create: createTestedDocker },
  { name: 'plain', create: createPlainTier },
];

/** For a `before` hook: passes when the tier can be used here. */
export async function requireTier(tier: SandboxTier, context: Mocha.Context): Promise<void> {
  const reason = await tier.unavailable();
  if (reason === undefined) return;
  assert.notEqual(process.env['CI'], 'true', reason);
  console.warn(`skipped: ${reason}`);
  context.skip();
}

let engine: Promise<Engine> | undefined;

/** On an engine of the tests' own, started when it is first asked for, or the one that `DOCKER_HOST` names. */
function createTestedDocker(): SandboxTier {
  if (process.env['DOCKER_HOST'] !== undefined) return createDockerTier();
  const tier = async (): Promise<SandboxTier> => {
    engine ??= Engine.start();
    return createDockerTier((await engine).docker);
  };
  let started: Promise<SandboxTier> | undefined;
  const opened = (): Promise<SandboxTier> => {
    started ??= tier();
    return started;
  };
  return {
    name: 'docker',
    unavailable: async () => missingEngine() ?? (await (await opened()).unavailable()),
    open: async (spec) => await (await opened()).open(spec),
  };
}

after(async function () {
  this.timeout(30_000);
  await (await engine)?.stop();
});
