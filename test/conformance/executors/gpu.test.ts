/** GPUs, up to the request that reaches the engine: there is none to give. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import * as z from 'zod';
import { createDockerTier } from '../../../daemon/executors/docker/docker.ts';
import { defaultLimits } from '../../../daemon/executors/sandbox.ts';
import { DockerLauncher } from '../../../daemon/fabric/launchers/docker.ts';
import { Config } from '../../../shared/config.ts';

const Body = z.object({
  Cmd: z.array(z.string()).optional(),
  HostConfig: z.object({
    DeviceRequests: z.unknown().optional(),
    NetworkMode: z.string(),
    ReadonlyRootfs: z.boolean(),
    Memory: z.number(),
  }),
});

const allGpus = [{ Driver: '', Count: -1, Capabilities: [['gpu']] }];

describe('GPUs', () => {
  let folder: string;
  let engine: Server;
  let docker: Docker;
  const bodies: z.infer<typeof Body>[] = [];

  /** Records what reaches an engine, and answers as one without the NVIDIA runtime does. */
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'peagen-gpu-'));
    const socketPath = join(folder, 'engine.sock');
    engine = createServer((request, response) => {
      let text = '';
      request.on('data', (piece) => {
        text += String(piece);
      });
      request.on('end', () => {
        const image = request.method === 'GET';
        const network = request.url?.includes('name=peagen-network') ?? false;
        if (request.url?.includes('/containers/create') && !network) bodies.push(Body.parse(JSON.parse(text)));
        const done = request.method === 'DELETE' || request.url?.endsWith('/start');
        const status = image ? 200 : done ? 204 : network ? 201 : 500;
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(
          done ? '' : image || network ? '{"Id":"there"}' : JSON.stringify({ message: 'could not select device driver' }),
        );
      });
    }).listen(socketPath);
    await new Promise((resolve) => engine.once('listening', resolve));
    docker = new Docker({ socketPath });
  });
  beforeEach(() => {
    bodies.length = 0;
  });
  after(async () => {
    await new Promise((resolve) => engine.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  it('are requested for the containers of workers that have the tag, and for no others', async () => {
    const config = Config.parse({ task_queue: { provider: 'redis', url: 'redis://127.0.0.1:1' } });
    const launcher = new DockerLauncher({ config, workspace: folder, env: {}, docker });
    for (const caps of [['cpu', 'docker', 'gpu', 'cuda12'], ['cpu']]) {
      await assert.rejects(launcher.launch(caps), /refused.*could not select device driver/);
    }
    assert.deepEqual(
      bodies.map(({ HostConfig }) => HostConfig.DeviceRequests),
      [allGpus, undefined],
    );
  });

  it('are requested for the sandboxes of a GPU pool, which are as closed as others', async () => {
    for (const gpus of [true, false]) {
      const opening = createDockerTier(docker, { gpus }).open({ runtime: 'python', argv: ['-c', 'pass'], limits: defaultLimits });
      await assert.rejects(opening, /refused a sandbox.*could not select device driver/);
    }
    const [withGpu, without] = bodies;
    assert.deepEqual(withGpu?.HostConfig.DeviceRequests, allGpus);
    assert.equal(without?.HostConfig.DeviceRequests, undefined);
    assert.deepEqual(
      { ...withGpu?.HostConfig, DeviceRequests: undefined },
      { ...without?.HostConfig, DeviceRequests: undefined },
    );
    assert.match(withGpu?.HostConfig.NetworkMode ?? '', /^container:peagen-network-/);
    // CUDA reserves more addresses than there is memory: there, only the container's memory is bounded.
    assert.ok(without?.Cmd?.some((word) => word.startsWith('--as=')));
    assert.ok(!withGpu?.Cmd?.some((word) => word.startsWith('--as=')));
  });
});
