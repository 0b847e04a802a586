/** An engine that stumbles as it starts a container: the sandbox opens all the same, and nothing is left. */
import assert from 'node:assert/strict';
import type Docker from 'dockerode';
import { createDockerTier } from '../../../daemon/executors/docker/docker.ts';
import { defaultLimits } from '../../../daemon/executors/sandbox.ts';
import { type Engine, requireEngine } from '../launchers/launcher-engine.ts';

const died = (): Error => Object.assign(new Error('cannot start a stopped process: unknown'), { statusCode: 500 });

describe('a container that dies before its program begins', () => {
  let engine: Engine;
  before(async function () {
    engine = await requireEngine(this);
  });
  after(async () => await engine?.stop());

  /** Opens a sandbox while the engine refuses these of its starts: the first is that of the shared network. */
  async function linesOf(refused: readonly number[]): Promise<(string | undefined)[]> {
    const { docker } = engine;
    const dial = docker.modem.dial;
    let starts = 0;
    docker.modem.dial = function (this: Docker['modem'], options, answered) {
      const refuse = /\/start\?/.test(options.path) && refused.includes(++starts);
      return refuse ? answered?.(died(), null) : dial.call(this, options, answered);
    };
    try {
      const sandbox = await createDockerTier(docker).open({
        runtime: 'python',
        argv: ['-I', '-S', '-c', 'print("there")'],
        limits: defaultLimits,
      });
      const lines = [await sandbox.receive(), await sandbox.receive()];
      await sandbox.exited;
      return lines;
    } finally {
      docker.modem.dial = dial;
    }
  }

  it('is started again, once', async () => {
    assert.deepEqual(await linesOf([1]), ['there', undefined]);
    assert.deepEqual(await linesOf([2]), ['there', undefined]);
    await assert.rejects(linesOf([1, 2]), /refused a sandbox: .*cannot start a stopped process/);
    const left = await engine.docker.listContainers({ all: true, filters: { label: ['peagen.sandbox'] } });
    assert.deepEqual(left, []);
  });
});
