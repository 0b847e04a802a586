/** The sandbox tiers that suites run against. A missing one is a failure in CI and a skip that says its reason elsewhere. */
import assert from 'node:assert/strict';
import { createBubblewrapTier } from '../daemon/executors/bubblewrap/bubblewrap.ts';
import { createDockerTier } from '../daemon/executors/docker/docker.ts';
import { createPlainTier } from '../daemon/executors/plain.ts';
import type { Executor } from '../daemon/executors/sandbox.ts';
import { Engine, type EngineKind, missingEngine } from './conformance/launchers/launcher-engine.ts';

export const tiers: readonly { readonly name: string; readonly create: () => Executor }[] = [
  { name: 'bubblewrap', create: createBubblewrapTier },
  { name: 'docker', create: () => (process.env['DOCKER_HOST'] === undefined ? onEngine('docker') : createDockerTier()) },
  { name: 'podman', create: () => onEngine('podman') },
  { name: 'plain', create: createPlainTier },
];

/** For each file that has suites for them: what was started for it is stopped after it. */
export function tiersUnderTest(): typeof tiers {
  after(async function () {
    this.timeout(30_000);
    await stopEngines();
  });
  return tiers;
}

export async function stopEngines(): Promise<void> {
  for (const [kind, engine] of engines) {
    engines.delete(kind);
    await (await engine).stop();
  }
}

/** For a `before` hook: passes when the tier can be used here. */
export async function requireTier(tier: Executor, context: Mocha.Context): Promise<void> {
  const reason = await tier.unavailable();
  if (reason === undefined) return;
  assert.notEqual(process.env['CI'], 'true', reason);
  console.warn(`skipped: ${reason}`);
  context.skip();
}

const engines = new Map<EngineKind, Promise<Engine>>();

/** The Docker tier on an engine of the tests' own, started when it is first asked for. */
function onEngine(kind: EngineKind): Executor {
  const tier = async (): Promise<Executor> => {
    const engine = engines.get(kind) ?? Engine.start(kind);
    engines.set(kind, engine);
    return createDockerTier((await engine).docker);
  };
  let started: Promise<Executor> | undefined;
  const opened = (): Promise<Executor> => {
    started ??= tier();
    return started;
  };
  return {
    name: kind,
    unavailable: async () => missingEngine(kind) ?? (await (await opened()).unavailable()),
    open: async (spec) => await (await opened()).open(spec),
  };
}
