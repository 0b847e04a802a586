import assert from 'node:assert/strict';
import { programSha } from '../../../daemon/evolution/hash.ts';
import { minHashOf } from '../../../daemon/evolution/min-hash.ts';
import type { Mutated, Mutator } from '../../../daemon/evolution/mutators/mutator.ts';
import { Seen } from '../../../daemon/evolution/seen.ts';
import { normalHash } from '../../../daemon/evolution/syntax/normal.ts';
import { trustedAnswer } from '../../../daemon/handlers/child-check.ts';
import { followUpId } from '../../../daemon/handlers/follow-up.ts';
import type { HandlerContext } from '../../../daemon/handlers/handler.ts';
import { type Ask, MutateHandler } from '../../../daemon/handlers/mutate.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { newTaskId, type Sha256 } from '../../../shared/ids.ts';
import { ExecutePayload, MutateData, type MutatePayload } from '../../../shared/payloads.ts';
import type { Program } from '../../../shared/program.ts';
import type { Task } from '../../../shared/task.ts';

const head = 'import math\n\n';
const body = 'def total(items):\n    result = 0\n    for item in items:\n        result = result + item\n    return result\n';
const tail = '\nTABLE = [1, 2, 3]\n';

/** The program with this text in the evolvable part. */
function programOf(text: string, before = head, after = tail): Program {
  return {
    language: 'python',
    files: [{ path: 'total.py', text: before + text + after }],
    spans: [{ path: 'total.py', start: before.length, end: before.length + text.length }],
  };
}

const original = programOf(body);

function payloadOf(more: Partial<MutatePayload> = {}): MutatePayload {
  return {
    mutator: 'test',
    seed: 1,
    original,
    parent: { sha256: programSha(original), program: original, metrics: {}, note: '' },
    inspirations: [],
    failures: [],
    nextRequires: [],
    ...more,
  };
}

const next: Omit<ExecutePayload, 'program'> = {
  mode: 'candidate',
  basis: { evaluator: { name: 'function', options: {} }, original, data: null },
  deterministic: false,
  effort: 'quick',
};

const taskOf = (payload: unknown): Task => ({
  kind: 'mutate',
  id: newTaskId(),
  payload,
  requires: ['cpu'],
  attempts: 0,
  created_at: new Date().toISOString(),
  schema_v: 1,
  trace: { run: 'r', candidate: 3 },
});

const noModel: Ask = async () => {
  throw new PeagenError('unavailable', 'No language model.');
};

/** Handles the payload with a mutator that answers `mutated`. */
async function handle(
  payload: unknown,
  mutated: (payload: MutatePayload) => Mutated | Promise<Mutated>,
  ask: Ask = noModel,
  made = new Set<Sha256>(),
) {
  const registry = builtinRegistry();
  const mutator: Mutator = { name: 'test', requires: [], mutate: async (given) => mutated(given) };
  registry.register('mutator', 'test', async () => () => mutator, 'test');
  const context: HandlerContext = {
    workerId: 'w',
    signal: new AbortController().signal,
    log: createLog({ level: 'silent' }),
    config: Config.parse({}),
    registry,
  };
  const task = taskOf(payload);
  const handled = await new MutateHandler('mutate', ['cpu', 'llm'], ask, made).handle(task, context);
  assert.equal(handled.status, 'ok');
  const { data, followUps = [] } = handled as Extract<typeof handled, { status: 'ok' }>;
  return { task, data: MutateData.parse(data), followUps };
}

const childOf = (program: Program): Mutated => ({
  kind: 'child',
  program,
  origin: { mutator: 'test', summary: 'a change' },
  tokens: { prompt: 10, completion: 5 },
});

const better = programOf('def total(items):\n    return sum(items)\n');

describe('mutate handler', () => {
  it('names the child and the execute task that follows, the same for a second delivery', async () => {
    const { task, data, followUps } = await handle(payloadOf({ next, nextRequires: ['python'] }), () => childOf(better));
    assert.equal(data.kind, 'child');
    assert.ok(data.kind === 'child');
    assert.equal(data.sha256, programSha(better));
    assert.equal(data.normal, await normalHash(better));
    assert.deepEqual(data.tokens, { prompt: 10, completion: 5 });
    const [execute] = followUps;
    assert.equal(followUps.length, 1);
    assert.equal(execute?.id, followUpId(task.id, 'execute'));
    assert.equal(data.execute, execute?.id);
    assert.deepEqual([execute?.kind, execute?.requires, execute?.trace], ['execute', ['cpu', 'python'], task.trace]);
    const payload = ExecutePayload.parse(execute?.payload);
    assert.deepEqual(payload.program, better);
    assert.equal(payload.mode, 'candidate');
  });

  it('has no follow-up for a program that was made a moment ago: its run decides which of the two is executed', async () => {
    const made = new Set<Sha256>();
    const twins = [1, 2].map(() => handle(payloadOf({ next }), () => childOf(better), noModel, made));
    const counts = (await Promise.all(twins)).map(({ data, followUps }) => [data.kind, followUps.length]);
    assert.deepEqual(counts.sort(), [
      ['child', 0],
      ['child', 1],
    ]);
  });

  it('has no follow-up in a patch round', async () => {
    const { data, followUps } = await handle(payloadOf(), () => childOf(better));
    assert.deepEqual([data.kind, followUps.length], ['child', 0]);
  });

  const faults: [what: string, program: Program, reason: RegExp][] = [
    ['text before the evolvable part', programOf(body, 'import os\n\n'), /outside the part that may change/],
    [
      'text behind it',
      programOf('def total(items):\n    return sum(items)\n', head, '\nTABLE = [1, 2, 4]\n'),
      /outside the part/,
    ],
    ['its parts moved over what is fixed', { ...better, spans: [{ path: 'total.py', start: 0, end: 60 }] }, /outside the part/],
    ['a part beyond the file', { ...better, spans: [{ path: 'total.py', start: head.length, end: 9999 }] }, /lie outside/],
    ['a part more', { ...better, spans: [...better.spans, { path: 'total.py', start: 70, end: 70 }] }, /another number/],
    ['another file', { ...better, files: [...better.files, { path: 'evil.py', text: '' }] }, /adds, drops/],
    ['a file less', { ...better, files: [{ path: 'other.py', text: '' }] }, /adds, drops/],
    ['another language', { ...better, language: 'javascript' }, /is javascript/],
    ['a syntax error', programOf('def total(items)\n    return sum(items)\n'), /does not parse: .*total\.py:3/],
    ['only comments and layout', programOf(body.replace('result = 0', 'result  =  0  # start')), /comments and layout/],
    ['200 KB and more', programOf(`def total(items):\n    return sum(items) + ${'0 + '.repeat(60_000)}0\n`), /at most 200 KB/],
  ];
  for (const [what, program, reason] of faults) {
    it(`refuses a child with ${what}, and says what it cost`, async () => {
      const { data, followUps } = await handle(payloadOf({ next }), () => childOf(program));
      assert.ok(data.kind === 'rejected', 'the child was taken');
      assert.match(data.reason, reason);
      assert.deepEqual(data.tokens, { prompt: 10, completion: 5 });
      assert.equal(followUps.length, 0);
    });
  }

  it('is not believed by the one that asked when a child is not what it may be, or not the one that it says', async () => {
    const { data } = await handle(payloadOf(), () => childOf(better));
    assert.deepEqual(trustedAnswer(data, original), data);
    const forged = [
      { ...data, program: { ...better, files: [...better.files, { path: 'conftest.py', text: 'x = 1\n' }] } },
      { ...data, program: programOf(body, 'import os\n\n') },
      { ...data, program: programOf(body.replace('result = 0', 'result = 1')) },
    ];
    const reasons = forged.map((one) => trustedAnswer(one, original)).map((one) => (one.kind === 'rejected' ? one.reason : ''));
    assert.match(reasons[0] ?? '', /refused: it adds, drops/);
    assert.match(reasons[1] ?? '', /refused: it changes total\.py outside/);
    assert.match(reasons[2] ?? '', /refused: its hash is that of another/);
    assert.throws(() => trustedAnswer({ kind: 'child' }, original));
    assert.throws(() => trustedAnswer({ ...data, program: { ...better, files: [{ path: '../x.py', text: '' }] } }, original));
  });

  it('refuses a path that leaves its folder, whatever the mutator says', async () => {
    const { data } = await handle(payloadOf({ next }), () => childOf({ ...better, files: [{ path: '../x.py', text: '' }] }));
    assert.ok(data.kind === 'rejected');
    assert.match(data.reason, /made no program/);
  });

  it('does not pay for a program that the run has seen, also in another layout', async () => {
    const seen = new Seen();
    seen.add(await normalHash(better));
    const again = programOf('def total(items):\n    # all of them\n    return sum( items )\n');
    const { data, followUps } = await handle(payloadOf({ next, seen: seen.encode() }), () => childOf(again));
    assert.ok(data.kind === 'rejected');
    assert.match(data.reason, /earlier candidate/);
    assert.equal(followUps.length, 0);
  });

  it('does not pay for a program that is nearly one of those it is compared with, when told how near', async () => {
    const near = (share: number) => ({ near: { share, sketches: [minHashOf(original)] }, next });
    const child = programOf(body.replace(/\bresult\b/, 'sum_'));
    const { data, followUps } = await handle(payloadOf(near(0.5)), () => childOf(child));
    assert.ok(data.kind === 'rejected' && /less than 50 % of its tokens differ/.test(data.reason), JSON.stringify(data));
    assert.deepEqual([followUps, data.tokens], [[], { prompt: 10, completion: 5 }]);
    assert.equal((await handle(payloadOf(near(0.5)), () => childOf(better))).data.kind, 'child');
    assert.equal((await handle(payloadOf(near(0)), () => childOf(child))).data.kind, 'child');
  });

  it('compares a child of a changed parent with the original, not with the parent', async () => {
    const parent = { sha256: programSha(better), program: better, metrics: {}, note: '' };
    const child = programOf('def total(items):\n    return math.fsum(items)\n');
    const { data } = await handle(payloadOf({ parent }), () => childOf(child));
    assert.equal(data.kind, 'child');
  });

  it('takes children of an original that its grammar cannot read', async () => {
    const odd = programOf('def total(items) => sum(items)\n');
    const child = programOf('def total(items) => math.fsum(items)\n');
    const { data } = await handle(
      payloadOf({ original: odd, parent: { sha256: programSha(odd), program: odd, metrics: {}, note: '' } }),
      () => childOf(child),
    );
    assert.equal(data.kind, 'child');
  });

  it('passes a rejection on with its texts', async () => {
    const rejected: Mutated = { kind: 'rejected', reason: 'nothing to do', answer: 'no', tokens: { prompt: 1, completion: 2 } };
    const { data } = await handle(payloadOf({ next }), () => rejected);
    assert.deepEqual(data, rejected);
  });

  it('lets the mutator ask the models of this worker', async () => {
    const asked: string[] = [];
    const ask: Ask = async (request) => {
      asked.push(request.prompt);
      throw new PeagenError('backend_failed', 'The endpoint answered 503.');
    };
    const registry = builtinRegistry();
    const mutator: Mutator = {
      name: 'asker',
      requires: ['llm'],
      mutate: async (_, context) => {
        await context.ask({ system: '', prompt: 'hello', temperature: 0, maxTokens: 1, backend: 'auto' });
        return { kind: 'rejected', reason: '', tokens: { prompt: 0, completion: 0 } };
      },
    };
    registry.register('mutator', 'asker', async () => () => mutator, 'test');
    const context: HandlerContext = {
      workerId: 'w',
      signal: new AbortController().signal,
      log: createLog({ level: 'silent' }),
      config: Config.parse({}),
      registry,
    };
    const task = taskOf(payloadOf({ mutator: 'asker' }));
    await assert.rejects(new MutateHandler('mutate', ['cpu', 'llm'], ask).handle(task, context), /503/);
    assert.deepEqual(asked, ['hello']);
    await assert.rejects(new MutateHandler('mutate-offline', ['cpu'], ask).handle(task, context), /needs llm/);
  });

  it('names an unknown mutator and a malformed payload', async () => {
    await assert.rejects(
      handle(payloadOf({ mutator: 'structral' }), () => childOf(better)),
      /structral/,
    );
    for (const payload of [null, 'x', { ...payloadOf(), original: 7 }, { ...payloadOf(), seen: 5 }]) {
      await assert.rejects(
        handle(payload, () => childOf(better)),
        (error) => error instanceof PeagenError && error.code === 'invalid_input' && !error.retryable,
      );
    }
  });

  it('makes a child with the structural mutator and no model at all', async () => {
    const { data, followUps } = await handle(payloadOf({ mutator: 'structural', next, seed: 5 }), () => childOf(better));
    assert.ok(data.kind === 'child');
    assert.equal(data.origin.mutator, 'structural');
    assert.equal(followUps.length, 1);
    const text = data.program.files[0]?.text ?? '';
    assert.ok(text.startsWith(head) && text.endsWith(tail) && text !== original.files[0]?.text);
  });
});
