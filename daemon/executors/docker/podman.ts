/** Podman speaks Docker's API, but takes a few things in another form. */
import { existsSync } from 'node:fs';
import type Docker from 'dockerode';
import * as z from 'zod';

const Version = z.object({ Components: z.array(z.object({ Name: z.string() })).default([]) });

/** Throws when no engine answers. */
export async function isPodman(docker: Docker): Promise<boolean> {
  const { Components } = Version.parse(await docker.version());
  return Components.some(({ Name }) => /podman/i.test(Name));
}

/** Podman's socket, where neither DOCKER_HOST nor Docker's own socket is there. */
export function podmanSocket(env: NodeJS.ProcessEnv): { socketPath: string } | undefined {
  if (env['DOCKER_HOST'] !== undefined || existsSync('/var/run/docker.sock')) return undefined;
  const folders = [env['XDG_RUNTIME_DIR'], '/run'].filter((folder) => folder !== undefined);
  const found = folders.map((folder) => `${folder}/podman/podman.sock`).find((path) => existsSync(path));
  return found === undefined ? undefined : { socketPath: found };
}

/** Podman's own defaults may be above what it is allowed to set. Processes are bounded by the container's PidsLimit. */
export const ulimits = [
  { Name: 'nofile', Soft: 1024, Hard: 1024 },
  { Name: 'nproc', Soft: 16_384, Hard: 16_384 },
] as const;
