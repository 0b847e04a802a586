import assert from 'node:assert/strict';
import { programSha } from '../../../daemon/evolution/hash.ts';
import { modelMutator } from '../../../daemon/evolution/mutators/patch.ts';
import { MutateHandler } from '../../../daemon/handlers/mutate.ts';
import { requestTokens } from '../../../daemon/llm/cost/tokens.ts';
import { BackendFailure } from '../../../daemon/llm/failure.ts';
import { builtinRegistry } from '../../../daemon/plugins/builtin.ts';
import { createLog } from '../../../daemon/telemetry/log.ts';
import { Config } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { TaskId } from '../../../shared/ids.ts';
import type { ChatAnswer, ChatRequest } from '../../../shared/llm.ts';
import { MutateData, type MutatePayload } from '../../../shared/payloads.ts';
import type { Task } from '../../../shared/task.ts';
import { llmConfig } from '../../llm/config.ts';
import { ENTRY, programOf, TEXT } from '../answers/corpus/program.ts';

const log = createLog({ level: 'silent' });
const original = programOf(TEXT);
const good = 'Change: **count** at once\n<<<<<<< SEARCH\n    result = 0\n=======\n    result = 1\n>>>>>>> REPLACE';
const useless = 'I would not change it.';

const payload: MutatePayload = {
  mutator: 'patch',
  seed: 2 ** 31 + 5,
  original,
  entry: ENTRY,
  parent: { sha256: programSha(original), program: original, metrics: {}, note: '' },
  inspirations: [],
  failures: [],
  nextRequires: [],
};

/** A model that gives these answers in turn, or throws them. */
function dialogue(...script: (string | Error | Partial<ChatAnswer>)[]) {
  const asked: ChatRequest[] = [];
  const ask = async (request: ChatRequest): Promise<ChatAnswer> => {
    asked.push(request);
    const next = script.shift();
    if (next === undefined) throw new Error('asked too often');
    if (next instanceof Error) throw next;
    const said = typeof next === 'string' ? { text: next } : next;
    const tokens = { prompt: 100, completion: 10 };
    return { text: '', backend: 'a', model: 'm', tokens, finish: 'stop', firstTokenMs: 1, totalMs: 2, ...said };
  };
  const run = (over: Partial<MutatePayload> = {}, name: 'patch' | 'crossover' = 'patch') =>
    modelMutator(name, llmConfig([{}])).mutate({ ...payload, ...over }, { signal: new AbortController().signal, log, ask });
  return { asked, run };
}

describe('a mutator that asks a model', () => {
  it('makes a child of a good answer, with what the model says it did, and its cost', async () => {
    const child = await dialogue(good).run();
    assert.ok(child.kind === 'child');
    assert.deepEqual(child.origin, { mutator: 'patch', summary: 'count at once', backend: 'a' });
    assert.deepEqual(child.tokens, { prompt: 100, completion: 10 });
    assert.equal(child.answer, good);
    assert.match(child.prompt ?? '', /^\[system\]\n[\s\S]*\[user\]\n/);
  });

  it('asks for as much reasoning as is configured for the role of the question', async () => {
    const config = Config.parse({ ...llmConfig([{}]), mutate: { efforts: { constant: 'low', bold: 'high' } } });
    const efforts: unknown[] = [];
    const ask = async (request: ChatRequest): Promise<ChatAnswer> => {
      efforts.push(request.effort);
      throw new PeagenError('unavailable', 'Nobody is here.');
    };
    for (const [name, role] of [
      ['patch', 'constant'],
      ['rewrite', undefined],
      ['patch', 'simplify'],
      ['fix', undefined],
    ] as const) {
      const given = { ...payload, ...(role === undefined ? {} : { role }) };
      await assert.rejects(modelMutator(name, config).mutate(given, { signal: new AbortController().signal, log, ask }));
    }
    assert.deepEqual(efforts, ['low', 'high', undefined, undefined]);
  });

  it('asks with a higher temperature on a plateau', async () => {
    const { asked, run } = dialogue(good, good);
    await run();
    await run({ plateau: 2 });
    const [usual = 0, higher] = asked.map(({ temperature }) => temperature);
    assert.equal(higher?.toFixed(2), (usual + 0.2).toFixed(2));
  });

  it('asks once more with the reason, and charges both', async () => {
    const { asked, run } = dialogue(useless, good);
    const child = await run();
    assert.ok(child.kind === 'child');
    assert.deepEqual(child.tokens, { prompt: 200, completion: 20 });
    assert.match(asked[1]?.prompt ?? '', /could not be used: the answer holds no SEARCH\/REPLACE block/);
    assert.ok(asked[1]?.prompt.includes(useless));
  });

  it('asks no third time, and never passes the parent off as a child', async () => {
    const { asked, run } = dialogue(useless, good.replace('result = 1', 'result = 0'));
    const child = await run();
    assert.ok(child.kind === 'rejected');
    assert.match(child.reason, /changes nothing/);
    assert.deepEqual([asked.length, child.tokens.prompt], [2, 200]);
  });

  it('sends back what does not parse', async () => {
    const { asked, run } = dialogue(good.replace('result = 1', 'result = (1'), good);
    assert.equal((await run()).kind, 'child');
    assert.match(asked[1]?.prompt ?? '', /does not parse/);
  });

  it('does not argue with a refusal', async () => {
    const { asked, run } = dialogue({ text: 'I cannot\u001b[31m help.', finish: 'refused' });
    const child = await run();
    assert.ok(child.kind === 'rejected');
    assert.equal(child.reason, 'the model declined: I cannot [31m help.');
    assert.equal(asked.length, 1);
  });

  it('throws a failure that has cost nothing, so that another worker can try', async () => {
    await assert.rejects(dialogue(new BackendFailure('server', 'a', 'it answered 503.')).run(), {
      code: 'backend_failed',
      retryable: true,
    });
    await assert.rejects(dialogue(new PeagenError('unavailable', 'No model.')).run(), { code: 'unavailable' });
  });

  it('keeps account of a failure that has cost something', async () => {
    const cut = new BackendFailure('cut', 'a', 'the answer ended in its middle.', { tokens: { prompt: 70, completion: 7 } });
    const once = await dialogue(cut).run();
    assert.deepEqual([once.kind, once.tokens], ['rejected', { prompt: 70, completion: 7 }]);
    const later = await dialogue(useless, cut).run();
    assert.deepEqual([later.kind, later.tokens], ['rejected', { prompt: 170, completion: 17 }]);
  });

  it('repeats itself from recorded answers, asking nobody', async () => {
    const live = await dialogue(useless, good).run();
    assert.ok(live.kind === 'child');
    const replayed = await dialogue().run({ recorded: [live.answer ?? ''] });
    assert.ok(replayed.kind === 'child');
    assert.equal(programSha(replayed.program), programSha(live.program));
  });

  it('asks with the settings of the task before those of the configuration', async () => {
    const { asked, run } = dialogue(good);
    await run({ backend: 'b', asking: { temperature: 0.1, max_tokens: 77, top_p: 0.9 } });
    const [{ backend, temperature, maxTokens, topP, seed } = assert.fail('nobody was asked')] = asked;
    assert.deepEqual([backend, temperature, maxTokens, topP, seed], ['b', 0.1, 77, 0.9, 5]);
  });

  it('draws one of several temperatures for a candidate, the same one again in a replay', async () => {
    const asking = { temperature: [0.1, 0.9] };
    const drawn: (number | undefined)[] = [];
    for (let seed = 0; seed < 12; seed++) {
      const { asked, run } = dialogue(good, good);
      await run({ asking, seed });
      await run({ asking, seed });
      assert.equal(asked[0]?.temperature, asked[1]?.temperature);
      drawn.push(asked[0]?.temperature);
    }
    assert.deepEqual(new Set(drawn), new Set([0.1, 0.9]));
  });

  it('crosses with another program, or rewrites while there is none', async () => {
    const other = programOf(TEXT.replace('result = 0', 'result = 0.0'));
    const alone = dialogue(good);
    await alone.run({}, 'crossover');
    assert.match(alone.asked[0]?.prompt ?? '', /^Rewrite this Python program/);
    const both = dialogue(good);
    await both.run({ inspirations: [{ sha256: programSha(other), program: other, metrics: {}, note: '' }] }, 'crossover');
    assert.match(both.asked[0]?.prompt ?? '', /^Combine two Python programs[\s\S]*result = 0\.0/);
  });
});

describe('a candidate of a run with a budget', () => {
  const worst = async () => {
    const { asked, run } = dialogue(good);
    await run();
    return (await requestTokens(asked[0] ?? assert.fail())) + (asked[0]?.maxTokens ?? 0);
  };

  it('asks for no more attempts than its allowance pays for', async () => {
    const each = await worst();
    const { asked, run } = dialogue(good, good);
    await run({ allowance: each });
    await run({ allowance: 2 * each });
    assert.deepEqual(
      asked.map(({ maxPaid }) => maxPaid),
      [1, 2],
    );
  });

  it('asks for a shorter answer when its allowance pays for no longer one', async () => {
    const each = await worst();
    const { asked, run } = dialogue(good);
    await run({ allowance: each - 1000 });
    assert.deepEqual(
      asked.map(({ maxTokens, maxPaid }) => [maxTokens, maxPaid]),
      [[15_384, 1]],
    );
  });

  it('asks nothing when the allowance does not pay for a question', async () => {
    const { asked, run } = dialogue();
    const child = await run({ allowance: (await worst()) - 16_384 + 500 });
    assert.ok(child.kind === 'rejected');
    assert.match(child.reason, /does not pay for another question/);
    assert.deepEqual([asked.length, child.tokens.prompt], [0, 0]);
  });

  it('does not ask again when what is left does not pay for it', async () => {
    const { asked, run } = dialogue(useless);
    const child = await run({ allowance: (await worst()) - 16_384 + 596 });
    assert.ok(child.kind === 'rejected');
    assert.match(child.reason, /no SEARCH\/REPLACE block.*; then .*does not pay for another question/);
    assert.equal(asked.length, 1);
  });

  it('is not asked for again when its worker died: all it may have spent counts', async () => {
    const handler = new MutateHandler('mutate', ['cpu', 'llm'], () => assert.fail('it asked'));
    const task: Task = {
      kind: 'mutate',
      id: TaskId.parse('0123456789abcdef'),
      payload: { ...payload, allowance: 5000 },
      requires: ['cpu', 'llm'],
      attempts: 1,
      created_at: '2026-01-01T00:00:00.000Z',
      schema_v: 1,
    };
    const context = {
      workerId: 'w',
      signal: new AbortController().signal,
      log,
      config: llmConfig([{}]),
      registry: builtinRegistry(),
    };
    const handled = await handler.handle(task, context);
    assert.ok(handled.status === 'ok');
    const data = MutateData.parse(handled.data);
    assert.deepEqual([data.kind, data.tokens], ['rejected', { prompt: 5000, completion: 0 }]);
  });
});
