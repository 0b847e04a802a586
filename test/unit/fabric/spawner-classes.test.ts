/** Which workers a machine launches, and for which lanes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gpuTags, parseGpuTags } from '../../../daemon/fabric/caps.ts';
import { demandOf, workerClasses } from '../../../daemon/fabric/spawner/worker-classes.ts';
import { Config } from '../../../shared/config.ts';

const config = (maxParallel: number) => Config.parse({ worker: { defaults: { max_parallel: maxParallel } } });

describe('worker classes', () => {
  it('keep the key holders apart from the workers that run candidates', () => {
    const classes = workerClasses(['cpu', 'python', 'llm'], config(50), 4);
    assert.deepEqual(
      classes.map(({ caps }) => caps),
      [
        ['cpu', 'python'],
        ['cpu', 'llm'],
      ],
    );
  });

  it('run as many tasks as there are cores, more of those that wait for a model, and never more than max_parallel', () => {
    assert.deepEqual(
      workerClasses(['cpu', 'llm'], config(50), 4).map(({ parallel }) => parallel),
      [4, 32],
    );
    assert.deepEqual(
      workerClasses(['cpu', 'llm'], config(3), 4).map(({ parallel }) => parallel),
      [3, 3],
    );
  });

  it('never run more tasks at a time than the whole workspace is to have', () => {
    const few = Config.parse({ task_queue: { max_workers: 2 } });
    assert.deepEqual(
      workerClasses(['cpu', 'llm'], few, 4).map(({ parallel }) => parallel),
      [2, 2],
    );
  });

  it('count each waiting task once, for the first class that can run it', () => {
    const classes = workerClasses(['cpu', 'python', 'llm'], config(50), 4);
    const { pending, homeless } = demandOf(
      { 'evaluate/cpu': 2, 'mutate/cpu+llm': 3, 'execute/cpu+python': 4, 'execute/gpu': 1 },
      classes,
    );
    assert.deepEqual(pending, [6, 3]);
    assert.deepEqual(homeless, ['execute/gpu']);
  });
});

describe('the GPU tags of a machine', () => {
  it("name the driver's CUDA version and the older ones that it runs", () => {
    const table = '| NVIDIA-SMI 535.129.03   Driver Version: 535.129.03   CUDA Version: 12.2     |';
    assert.deepEqual(parseGpuTags(table), ['gpu', 'cuda11', 'cuda12']);
  });

  it('are none for a driver older than CUDA 11, or a tool that says something else', () => {
    assert.deepEqual(parseGpuTags('CUDA Version: 10.2'), []);
    assert.deepEqual(parseGpuTags('NVIDIA-SMI has failed because it could not communicate with the driver'), []);
  });

  it('are none where containers get no GPU, since the runtime for that is not installed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'peagen-gpu-'));
    const program = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o755 });
    program('nvidia-smi', '#!/bin/sh\necho "CUDA Version: 12.2"\n');
    assert.deepEqual(await gpuTags({ PATH: folder }), []);
    program('nvidia-container-runtime', '');
    assert.deepEqual(await gpuTags({ PATH: folder }), ['gpu', 'cuda11', 'cuda12']);
    rmSync(folder, { recursive: true });
  });
});
