/** Podman speaks Docker's API, but takes a few things in another form. */
import type Docker from 'dockerode';
import * as z from 'zod';

const Version = z.object({ Components: z.array(z.object({ Name: z.string() })).default([]) });

/** Throws when no engine answers. */
export async function isPodman(docker: Docker): Promise<boolean> {
  const { Components } = Version.parse(await docker.version());
  return Components.some(({ Name }) => /podman/i.test(Name));
}
