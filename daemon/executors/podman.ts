/** Podman speaks Docker's API, but takes a few things in another form. */
import type Docker from 'dockerode';
import * as z from 'zod';

const Version = z.object({ Components: z.array(z.object({ Name: z.string() })).default([]) });

/** Throws when no engine answers. */
export async function isPodman(docker: Docker): Promise<boolean> {
  const { Components } = Version.parse(await docker.version());
  return Components.some(({ Name }) => /podman/i.test(Name));
}

/** Podman's own defaults may be above what it is allowed to set. Processes are bounded by the container's PidsLimit. */
export const ulimits = [
  { Name: 'nofile', Soft: 1024, Hard: 1024 },
  { Name: 'nproc', Soft: 16_384, Hard: 16_384 },
] as const;
