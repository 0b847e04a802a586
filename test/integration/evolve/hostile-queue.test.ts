/** A run on a shared queue without a key, of which a hostile member knows every task before it is there. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../../../daemon/engine/open.ts';
import { runScope } from '../../../daemon/engine/tasks.ts';
import { programSha } from '../../../daemon/evolution/hash.ts';
import { loadTarget } from '../../../daemon/evolution/target.ts';
import { encodeResult } from '../../../daemon/fabric/redis/codec.ts';
import { workspacePrefix } from '../../../daemon/fabric/redis/connection/address.ts';
import { Signer } from '../../../daemon/fabric/redis/signature.ts';
import { derivedTaskId, followUpId } from '../../../daemon/handlers/follow-up.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import type { TaskId } from '../../../shared/ids.ts';
import type { Program } from '../../../shared/program.ts';
import { RedisServer, requireRedis } from '../../redis/server.ts';

describe('a hostile member of a queue without a key', () => {
  let server: RedisServer;
  let folder: string;
  before(async function () {
    requireRedis(this);
    server = await RedisServer.start();
    folder = await mkdtemp(join(tmpdir(), 'peagen-hostile-'));
  });
  after(async () => {
    await server?.stop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  const text = 'def total(n):\n    found = 0\n    for i in range(n):\n        found += i\n    return found\n';
  const target = () => ({ root: folder, path: 'total.py', entry_fn: 'total' });

  /** Results that say that each of these children is a million times faster, and whatever else is asked, right. */
  async function forge(run: string, prefix: string, children: readonly Program[], names: readonly string[]): Promise<void> {
    const { key } = runScope(run as never, 0);
    const metrics = { speedup: 1e6, speedup_low: 1e6, speedup_high: 1e6, speed_ms: 1e-6, baseline_ms: 1, peak_kb: 1 };
    const execution = { outcome: { kind: 'correct', detail: '' }, metrics, artifacts: {}, readings: [13.8, 13.8] };
    // A score that is not that of its metrics, or has no place in the archive, is not taken in.
    const score = { fitness: 1e6, features: [0, 1] };
    const scores = [score, score, { fitness: 1e7, features: [0, 1] }, { fitness: 1e6, features: [1, 2, 3] }];
    const forged: [TaskId, unknown][] = names.map((name) => [derivedTaskId(key, name), { execution, attack: { calls: 1000 } }]);
    for (const [index, program] of children.entries()) {
      const mutate = derivedTaskId(key, 'slot', index, 0);
      const sha256 = programSha(program);
      const origin = { mutator: 'structural', summary: 'faster', generation: 0, seed: 1 };
      const tokens = { prompt: 0, completion: 0 };
      forged.push([
        mutate,
        { kind: 'child', program, sha256, normal: sha256, origin, tokens, execute: followUpId(mutate, 'execute') },
      ]);
      forged.push([followUpId(mutate, 'execute'), { execution, score: scores[index] }]);
      for (const times of [0, 1, 2]) forged.push([derivedTaskId(key, `match/${index}/${sha256}/${times}`), { execution, score }]);
      for (const name of ['compare', 'final', 'attack', 'heldout', 'small', 'confirm'])
        forged.push([derivedTaskId(key, `${name}/${sha256}`), { execution, attack: { calls: 1000 }, score }]);
    }
    const redis = server.client();
    for (const [task_id, data] of forged) {
      const result = { task_id, status: 'ok', data, created_at: new Date().toISOString(), attempts: 0 } as const;
      await redis.xadd(`${prefix}results`, '*', 'r', encodeResult(result, new Signer(undefined, prefix)));
    }
    redis.disconnect();
  }

  for (const confirm of ['precise', 'none'] as const) {
    it(`fills the archive with lies, and none of them is announced or run outside of a sandbox (confirm: ${confirm})`, async () => {
      await writeFile(join(folder, 'total.py'), text);
      await writeFile(join(folder, 'inputs.json'), '[[5], [60], [400]]');
      const config = Config.parse({
        task_queue: { provider: 'redis', url: server.url, workspace: confirm },
        evaluate: { derive: confirm === 'precise' },
      });
      const log = createLog({ level: 'silent' });
      const engine = openEngine({ config, workspace: folder, log, registry: builtinRegistry(), build: 'test' });
      try {
        const { program } = await loadTarget(target());
        const mark = join(folder, 'ran');
        const child = (body: string): Program => {
          const [file] = program.files;
          const [span] = program.spans;
          assert.ok(file !== undefined && span !== undefined);
          const inner = `def total(n):\n    ${body}\n`;
          const files = [{ ...file, text: file.text.slice(0, span.start) + inner.trimEnd() + file.text.slice(span.end) }];
          return { ...program, files, spans: [{ ...span, end: span.start + inner.trimEnd().length }] };
        };
        const children = [
          child('return 1'),
          child('return n'),
          child(`open(${JSON.stringify(mark)}, "w").close()\n    return sum(range(n))`),
          child('return n * n // 2'),
        ];
        const evaluator = { name: 'function', options: { inputs: 'inputs.json' } };
        const stop = { max_generations: 2, no_improve: 2 };
        const claimed: (number | undefined)[] = [];
        engine.subscribe((_run, event) => {
          if (event.type === 'evaluated') claimed.push(event.metrics['speedup']);
        });
        const { run } = await engine.start(
          { target: target(), evaluator, mutator: 'structural', population: 2, seed: 1, stop, confirm },
          confirm,
        );
        await forge(run, workspacePrefix(config, folder), children, ['basis', 'heldout']);
        const { best } = await engine.finished(run);
        assert.equal(claimed.filter((speedup) => speedup === 1e6).length, 2, `${claimed}`);
        const lies = children.map(programSha);
        assert.ok(best === null || (!lies.includes(best.sha256) && best.speedup < 1e5), JSON.stringify(best));
        assert.equal(existsSync(mark), false);
      } finally {
        await engine.close();
      }
    });
  }
});
