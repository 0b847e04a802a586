/** The sandbox tiers that suites run against. A missing one is a failure in CI and a skip that says its reason elsewhere. */
import { createBubblewrapTier } from '../daemon/sandbox/bubblewrap.ts';
import { createDockerTier } from '../daemon/sandbox/docker.ts';
import { createPlainTier } from '../daemon/sandbox/plain.ts';
import type { SandboxTier } from '../daemon/sandbox/sandbox.ts';

export const tiersUnderTest: readonly { readonly name: string; readonly create: () => SandboxTier }[] = [
  { name: 'bubblewrap', create: createBubblewrapTier },
  { name: 'docker', create: () => createDockerTier() },
  { name: 'plain', create: createPlainTier },
];
