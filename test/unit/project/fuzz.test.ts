/**
 * Every decoder of what a socket, a queue, a runner or a file says takes anything: it returns a value or one clear error, and
 * never anything else. Seeded and bounded; a failure prints the input.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { encodeFrame, FrameReader } from '../../../daemon/client/frames.ts';
import { fromResponseError } from '../../../daemon/client/messages.ts';
import { readAllowed, userFolder } from '../../../daemon/config/allowed.ts';
import { parseConfig } from '../../../daemon/config/load.ts';
import { CHECKPOINT, readCheckpoint } from '../../../daemon/engine/records/checkpoint.ts';
import { parseAnswer } from '../../../daemon/evolution/answers/parse.ts';
import { unpackArchive } from '../../../daemon/evolution/evodb/snapshot.ts';
import { Journal } from '../../../daemon/evolution/journal.ts';
import { forkEndOf } from '../../../daemon/executors/fork-server.ts';
import { parseGpuTags } from '../../../daemon/fabric/caps.ts';
import { WorkerRecords } from '../../../daemon/fabric/launchers/worker-records.ts';
import { decodeLetter, decodeResult, decodeTask, encodeResult, taskFields } from '../../../daemon/fabric/redis/codec.ts';
import { parseAddress } from '../../../daemon/fabric/redis/connection/address.ts';
import { poolEntryOf } from '../../../daemon/fabric/redis/connection/pools.ts';
import { depthOf } from '../../../daemon/fabric/redis/depth.ts';
import { Signer } from '../../../daemon/fabric/redis/signature.ts';
import { FsResultStore } from '../../../daemon/fabric/results/fs.ts';
import { FromWorker } from '../../../daemon/fabric/worker/ipc.ts';
import { endedEarly } from '../../../daemon/judging/command/ending.ts';
import { metricsFrom } from '../../../daemon/judging/command/report.ts';
import { openPacked } from '../../../daemon/judging/copies/packed.ts';
import { folderAnswerOf } from '../../../daemon/judging/folder/folder.ts';
import { parseFolderConfig } from '../../../daemon/judging/folder/folder-config.ts';
import { callsMade, disproved } from '../../../daemon/judging/forgery/counterproof.ts';
import { CallResult } from '../../../daemon/judging/function/result.ts';
import { difference, show, Value } from '../../../daemon/judging/function/values.ts';
import { hotLines } from '../../../daemon/judging/hot-lines.ts';
import { dialects } from '../../../daemon/llm/backends/dialects.ts';
import { readProposals } from '../../../daemon/llm/proposals.ts';
import { releaseLock, takeLock } from '../../../daemon/lock.ts';
import { readManifest as readPluginManifest } from '../../../daemon/plugins/manifest.ts';
import { readManifest } from '../../../daemon/render/manifest.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId, Sha256 } from '../../../shared/ids.ts';
import { ExecutePayload } from '../../../shared/payloads.ts';
import { RunEvent } from '../../../shared/run.ts';
import { okResult, task } from '../../conformance/queue/queue-setup.ts';

const settings = { seed: 20_260_131, numRuns: 300 };
const bytes = fc.uint8Array({ maxLength: 600 }).map((array) => Buffer.from(array));
const json = fc.jsonValue({ maxDepth: 6 });
const unsigned = new Signer(undefined, 'w');
const signed = new Signer(Buffer.alloc(32, 7), 'w');

/** A valid message in which a few bytes were changed, left out or added. */
const damaged = (whole: Buffer): fc.Arbitrary<Buffer> =>
  fc
    .array(fc.tuple(fc.nat(whole.length), fc.uint8Array({ maxLength: 3 }), fc.nat(3)), { minLength: 1, maxLength: 5 })
    .map((edits) =>
      edits.reduce(
        (text, [at, put, cut]) => Buffer.concat([text.subarray(0, at), Buffer.from(put), text.subarray(at + cut)]),
        whole,
      ),
    );

function orError<T>(decode: () => T): T | undefined {
  try {
    return decode();
  } catch (caught) {
    assert.ok(caught instanceof PeagenError, `${caught}`);
    return undefined;
  }
}

describe('a decoder takes anything', () => {
  it('of frames: the same bodies in whatever pieces they come', () => {
    const stream = Buffer.concat([encodeFrame({ a: [1] }), encodeFrame('é'), encodeFrame(null)]);
    fc.assert(
      fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), stream.length];
        const reader = new FrameReader();
        const pieces = places.slice(1).map((to, index) => stream.subarray(places[index], to));
        const bodies = pieces.flatMap((piece) => [...reader.push(piece)].map(String));
        assert.deepEqual(bodies, ['{"a":[1]}', '"é"', 'null']);
      }),
      settings,
    );
  });

  it('of frames: bytes that are none', () => {
    fc.assert(
      fc.property(fc.oneof(bytes, damaged(encodeFrame({ method: 'x' }))), (chunk) => {
        orError(() => [...new FrameReader(1000).push(chunk)]);
      }),
      settings,
    );
  });

  it('of errors that a client is sent', () => {
    fc.assert(
      fc.property(json, (received) => {
        assert.ok(fromResponseError(received) instanceof PeagenError);
      }),
      settings,
    );
  });

  for (const [what, signer] of [
    ['unsigned', unsigned],
    ['signed', signed],
  ] as const) {
    it(`of tasks and results on a queue, ${what}`, () => {
      const one = task();
      const [id, lane, packed] = taskFields(one, signer);
      const result = encodeResult(okResult(newTaskId()), signer);
      const kinds = ['task', 'newer', 'malformed'];
      fc.assert(
        fc.property(fc.oneof(bytes, damaged(packed)), (stored) => {
          assert.ok(kinds.includes(decodeTask({ id, lane, attempts: 0, bytes: stored }, signer).kind));
        }),
        settings,
      );
      fc.assert(
        fc.property(fc.oneof(bytes, damaged(result)), (stored) => {
          assert.ok(['string', 'object'].includes(typeof decodeResult(stored, signer)));
        }),
        settings,
      );
    });
  }

  it('of signed tasks: nothing that was changed is taken', () => {
    const [id, lane, packed] = taskFields(task(), signed);
    fc.assert(
      fc.property(damaged(packed), (stored) => {
        if (stored.equals(packed)) return;
        assert.equal(decodeTask({ id, lane, attempts: 0, bytes: stored }, signed).kind, 'malformed');
      }),
      settings,
    );
  });

  it('of dead letters', () => {
    const fields = fc.dictionary(fc.constantFrom('x', 'r', 'k', 'd', 'l', 'a', '__proto__', 'other'), bytes);
    fc.assert(
      fc.property(fields, (letter) => void decodeLetter(letter)),
      settings,
    );
  });

  it('of what a runner says of a call', () => {
    fc.assert(
      fc.property(json, json, (one, other) => {
        CallResult.safeParse(one);
        const [a, b] = [Value.parse(one), Value.parse(other)];
        assert.equal(difference(a, a, { rel: 0, abs: 0 }) === undefined || JSON.stringify(a).includes('"float"'), true);
        difference(a, b, { rel: 1e-9, abs: 0 });
        assert.equal(typeof show(a), 'string');
      }),
      settings,
    );
  });

  it('of values that are nested more deeply than a stack', () => {
    for (const depth of [1000, 20_000, 200_000]) {
      const text = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const value: unknown = JSON.parse(text);
      assert.equal(readProposals(`[{"args": ${text}}, [1]]`, 9).proposals.length, depth === 1000 ? 2 : 1);
      for (const schema of [CallResult, ExecutePayload, FromWorker]) schema.safeParse({ type: 'complete', value, result: value });
      metricsFrom([{ from: 'json' }], text, new Map());
    }
  });

  it('of what models, workers and interpreters say of calls and lines', () => {
    const program = {
      language: 'python',
      files: [{ path: 'a.py', text: 'a\nb\n' }],
      spans: [{ path: 'a.py', start: 0, end: 3 }],
    };
    const answers = fc.oneof(
      fc.string(),
      json.map((value) => `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``),
    );
    fc.assert(
      fc.property(answers, json, fc.array(fc.oneof(fc.integer(), bytes)), (text, value, reply) => {
        assert.ok(readProposals(text, 3).proposals.length <= 3);
        hotLines(program, [value, { lines: value }, { result: value }]);
        FromWorker.safeParse(value);
        ExecutePayload.safeParse(value);
        assert.equal(typeof depthOf(reply).pending, 'number');
      }),
      settings,
    );
  });

  it('of what models, evaluators of folders, servers of forks and other machines answer', () => {
    const word = 'x'.repeat(32);
    const answer = { metrics: { a: 1 }, artifacts: { b: 'c' }, error: 'd', lines: [['e', 1, 2]], doubted: false };
    const answers = fc.oneof(
      fc.string(),
      json.map((value) => JSON.stringify(value)),
      damaged(Buffer.from(JSON.stringify(answer))).map(String),
      damaged(Buffer.from(JSON.stringify({ code: 1, stderr: 'f' }))).map(String),
    );
    fc.assert(
      fc.property(answers, json, (text, event) => {
        assert.equal(folderAnswerOf(text, word), undefined);
        for (const score of Object.values(folderAnswerOf(`${word} ${text}`, word)?.metrics ?? {}))
          assert.equal(typeof score, 'number');
        assert.match(typeof (forkEndOf(`ended ${text}`)?.stderr ?? ''), /string/);
        poolEntryOf(text);
        readManifest(text);
        parseAnswer(text);
        for (const dialect of Object.values(dialects)) {
          const { prompt = 0, completion = 0, text: said = '' } = dialect.read(event);
          assert.ok(prompt >= 0 && completion >= 0 && typeof said === 'string');
        }
      }),
      settings,
    );
  });

  it('of packed folders: nothing but what the hash says', async () => {
    const id = Sha256.parse('0'.repeat(64));
    const folders = fc.func(fc.array(fc.option(bytes, { nil: undefined }), { minLength: 1 }));
    await fc.assert(
      fc.asyncProperty(folders, async (get) => {
        await assert.rejects(openPacked(id, { get: async () => get() }), PeagenError);
      }),
      settings,
    );
  });

  it('of what a command prints', () => {
    const sources = [
      { from: 'json' },
      { from: 'regex', name: 'ms', pattern: '([0-9.]+) ms' },
      { from: 'junit', path: 'r' },
    ] as const;
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          json.map((value) => JSON.stringify(value)),
        ),
        fc.string(),
        (stdout, report) => {
          const found = metricsFrom(sources, stdout, new Map([['r', `<testsuite tests="${report}">`]]));
          for (const value of Object.values(found)) assert.equal(typeof value, 'number');
          endedEarly([stdout], report, stdout);
          callsMade({ mark: stdout });
          disproved('return', { succeeded: false, mark: stdout }, { succeeded: true, mark: report });
        },
      ),
      settings,
    );
  });

  it('of configuration files', () => {
    const toml = fc.oneof(
      fc.string(),
      fc.constantFrom('evolve', 'selector', 'llm', 'x').map((table) => `[${table}]\na = `),
    );
    fc.assert(
      fc.property(toml, json, (text, flag) => {
        orError(() => parseConfig({ text, file: '.peagen.toml', env: {}, flags: { evolve: flag } }));
        orError(() => parseFolderConfig(text, 'config.yaml'));
      }),
      settings,
    );
  });

  it('of addresses and tables of other programs', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (text) => {
        orError(() => parseAddress(text, {}));
        parseGpuTags(text);
      }),
      settings,
    );
  });

  describe('from a folder', () => {
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'peagen-fuzz-'));
    });
    after(() => rmSync(folder, { recursive: true }));

    it('of journals', async () => {
      const stats = { coverage: 1, qd_score: 1, best: 1 };
      const event = { type: 'generation', at: '2026-01-31T14:25:01.000Z', generation: 1, stats };
      assert.ok(RunEvent.safeParse(event).success);
      const line = Buffer.from(`${JSON.stringify(event)}\n${JSON.stringify(event)}\n`);
      await fc.assert(
        fc.asyncProperty(fc.oneof(bytes, damaged(line)), async (text) => {
          writeFileSync(join(folder, 'journal.jsonl'), text);
          await Journal.read(folder).catch((caught: unknown) => assert.ok(caught instanceof PeagenError, `${caught}`));
        }),
        { ...settings, numRuns: 150 },
      );
    });

    it('of snapshots of the archive and checkpoints', async () => {
      fc.assert(
        fc.property(json, (value) => void orError(() => unpackArchive(value))),
        settings,
      );
      await fc.assert(
        fc.asyncProperty(bytes, async (text) => {
          writeFileSync(join(folder, CHECKPOINT), text);
          await readCheckpoint(join(folder, CHECKPOINT)).catch((caught: unknown) => assert.ok(caught instanceof PeagenError));
        }),
        { ...settings, numRuns: 100 },
      );
    });

    it('of what the user allows, and of locks', () => {
      const env = { XDG_CONFIG_HOME: folder, HOME: folder, APPDATA: folder };
      mkdirSync(userFolder(env), { recursive: true });
      const texts = fc.oneof(
        fc.string(),
        json.map((value) => JSON.stringify(value)),
      );
      fc.assert(
        fc.property(texts, (text) => {
          writeFileSync(join(userFolder(env), 'allowed.json'), text);
          orError(() => readAllowed(env));
          const lock = join(folder, 'lock');
          writeFileSync(lock, text);
          orError(() => takeLock(lock));
          releaseLock(lock);
        }),
        { ...settings, numRuns: 100 },
      );
    });

    it('of descriptions of plugins, and records of workers', () => {
      const texts = fc.oneof(
        fc.string(),
        json.map((value) => JSON.stringify(value)),
        json.map((value) => JSON.stringify({ name: 'a', version: '1.0.0', peagen: value })),
        damaged(Buffer.from('{"name":"a","version":"1.0.0","peagen":{"api":1,"handlers":{"b":"./b.js"}}}')).map(String),
      );
      const records = join(folder, '.peagen', 'workers');
      mkdirSync(records, { recursive: true });
      fc.assert(
        fc.property(texts, (text) => {
          writeFileSync(join(folder, 'package.json'), text);
          orError(() => readPluginManifest(folder));
          writeFileSync(join(records, 'a.json'), text);
          assert.deepEqual(new WorkerRecords(folder).leftovers(), []);
        }),
        { ...settings, numRuns: 100 },
      );
    });

    it('of results', async () => {
      const store = new FsResultStore(join(folder, 'results'), { compress: true });
      const result = okResult(newTaskId());
      await store.put(result);
      const path = join(folder, 'results', result.created_at.slice(0, 10), `${result.task_id}.msgpack.gz`);
      await fc.assert(
        fc.asyncProperty(bytes, async (text) => {
          writeFileSync(path, text);
          await store.get(result.task_id).catch((caught: unknown) => assert.ok(caught instanceof PeagenError, `${caught}`));
        }),
        { ...settings, numRuns: 100 },
      );
    });
  });
});
