/**
 * The empty network that container sandboxes share: making one for each would take the engine longer than the rest of a
 * start. It belongs to a container that only sleeps. What shares a network also shares its abstract sockets, so the
 * profile of a sandbox allows no socket that has an address.
 */
import type Docker from 'dockerode';
import * as z from 'zod';
import { createContainer } from './create-container.ts';

/** A network is joined for this long after it was asked for… */
const WINDOW_MS = 20_000;
/** …and is there for longer, so that none ends while somebody joins it; a minute after the last use none is left. */
const LIFE_S = 60;

const label = 'peagen.network';

const ALREADY_STARTED = 304;
const NAME_TAKEN = 409;
const EngineError = z.object({ statusCode: z.number() });

/** The network mode of containers that are started in the next seconds; all sandboxes on this engine use the same. */
export function emptyNetwork(docker: Docker, image: string): () => Promise<string> {
  let current: { readonly name: string; readonly made: Promise<string> } | undefined;
  return () => {
    const name = `peagen-network-${Math.floor(Date.now() / WINDOW_MS).toString(36)}`;
    if (current?.name === name) return current.made;
    const made = make(docker, image, name);
    current = { name, made };
    made.catch(() => {
      if (current?.made === made) current = undefined;
    });
    return made;
  };
}

async function make(docker: Docker, image: string, name: string): Promise<string> {
  let refused: unknown;
  try {
    await createContainer(docker, {
      name,
      Image: image,
      Cmd: ['/bin/sleep', String(LIFE_S)],
      Hostname: 'sandbox',
      StopSignal: 'SIGKILL',
      User: '65534:65534',
      Labels: { [label]: '' },
      HostConfig: {
        AutoRemove: true,
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
        PidsLimit: 32,
        Memory: 64 * 1024 ** 2,
        LogConfig: { Type: 'none', Config: {} },
        Binds: ['/usr', '/lib', '/lib64', '/bin'].map((at) => `${at}:${at}:ro`),
      },
    });
  } catch (caught) {
    // Another process may have been first.
    refused = caught;
  }
  try {
    await docker.getContainer(name).start();
  } catch (caught) {
    if (statusOf(caught) === ALREADY_STARTED) return `container:${name}`;
    throw statusOf(refused) === NAME_TAKEN ? caught : (refused ?? caught);
  }
  return `container:${name}`;
}

/** Reads an answer of the engine. */
export function statusOf(caught: unknown): number | undefined {
  return EngineError.safeParse(caught).data?.statusCode;
}
