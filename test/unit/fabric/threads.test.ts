/** Pure work in threads: the same results as in this one, errors with their codes, and an event loop that is free meanwhile. */
import assert from 'node:assert/strict';
import { programSha } from '../../../daemon/evolution/hash.ts';
import { checked, mutateSyntax } from '../../../daemon/handlers/pure-work.ts';
import { Threads } from '../../../daemon/handlers/threads.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { MutatePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';

const text = `def total(items):
    result = 0
    for i in range(len(items)):
        for j in range(len(items)):
            if i == j:
                result = result + items[i]
    return result
`;
const programOf = (source: string): Program => ({
  language: 'python',
  files: [{ path: 'total.py', text: source }],
  spans: [{ path: 'total.py', start: 0, end: source.length }],
});
const payloadOf = (seed: number): MutatePayload =>
  MutatePayload.parse({
    mutator: 'structural',
    seed,
    original: programOf(text),
    parent: { sha256: programSha(programOf(text)), program: programOf(text), metrics: {}, note: '' },
    inspirations: [],
    failures: [],
    nextRequires: [],
  });

describe('threads for pure work', () => {
  let threads: Threads;
  const { signal } = new AbortController();
  beforeEach(() => {
    threads = new Threads(2);
  });
  afterEach(() => threads.close());

  it('make the children that this thread makes', async () => {
    const log = createLog({ level: 'silent' });
    for (const seed of [1, 2, 3]) {
      const work = { name: 'structural', payload: payloadOf(seed) };
      assert.deepEqual(await threads.mutate(work, signal), await mutateSyntax(work, { signal, log }));
    }
  });

  for (const [length, lines] of Object.entries({ short: 1, long: 1000 })) {
    it(`check a ${length} child as this thread does`, async () => {
      const program = programOf('def total(:\n'.repeat(lines));
      const child = { kind: 'child', program, origin: { mutator: 'm', summary: 's' } } as const;
      const work = { child: { ...child, tokens: { prompt: 1, completion: 2 } }, payload: payloadOf(1) };
      const answer = await threads.check(work);
      assert.deepEqual(answer, await checked(work.child, work.payload));
      assert.equal(answer.kind, 'rejected');
    });
  }

  it('say what went wrong, with its code', async () => {
    await assert.rejects(threads.mutate({ name: 'patch', payload: payloadOf(1) }, signal), (caught) => {
      assert.ok(caught instanceof PeagenError);
      return caught.code === 'not_found';
    });
  });

  it('give up on work that is not wanted any more', async () => {
    const stop = new AbortController();
    const working = threads.mutate({ name: 'structural', payload: payloadOf(1) }, stop.signal);
    stop.abort();
    await assert.rejects(working);
    assert.equal((await threads.mutate({ name: 'structural', payload: payloadOf(2) }, signal)).kind, 'child');
  });
});
