import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AnswerPiece, AskModel, OfferModels } from '../../../shared/protocol/models.ts';
import { ListRuns, RunRequest, StartRun } from '../../../shared/protocol/runs.ts';
import { Mutate } from '../../../shared/protocol/targets.ts';
import { Home, until } from '../daemon/home.ts';

const SOURCE = 'def slow(items):\n    result = sorted(items)\n    return result\n';
const ANSWER =
  'Change: no name for it\n<<<<<<< SEARCH\n    result = sorted(items)\n    return result\n=======\n    return sorted(items)\n>>>>>>> REPLACE\n';

describe("the editor's models through daemon and worker", () => {
  it('answer the question of a mutate task that a worker runs, and those of a search', async () => {
    await using home = new Home();
    writeFileSync(join(home.workspace, 'slow.py'), SOURCE);
    writeFileSync(
      join(home.workspace, '.peagen.toml'),
      '[[llm.backends]]\nname = "editor"\nmodel = "copilot/gpt"\npreset = "editor"\n',
    );
    const client = await home.client();
    const asked: string[] = [];
    client.connection.onRequest(AskModel.method, async (params: unknown) => {
      const { ask, model, request } = AskModel.params.parse(params);
      asked.push(model, request.prompt);
      await client.connection.sendNotification(AnswerPiece.method, { ask, text: ANSWER });
      return {
        text: ANSWER,
        backend: 'vscode',
        model,
        tokens: { prompt: 50, completion: 20 },
        finish: 'stop',
        firstTokenMs: 1,
        totalMs: 2,
      };
    });
    const model = { id: 'copilot/gpt', name: 'GPT', vendor: 'copilot', family: 'gpt', maxInputTokens: 8000 };
    await client.connection.sendNotification(OfferModels.method, { models: [model] });
    const target = { root: home.workspace, path: 'slow.py', entry_fn: 'slow' };
    const { changes, origin, tokens } = await client.request(Mutate, { target, mutator: 'patch' });
    assert.equal(changes[0]?.after, 'def slow(items):\n    return sorted(items)\n');
    assert.deepEqual([origin.backend, origin.summary, tokens.completion], ['editor', 'no name for it', 20]);
    assert.equal(asked[0], 'copilot/gpt');
    assert.match(asked[1] ?? '', /Only the function `slow` may change/);
    const evaluator = { name: 'function', options: { inputs: '[[[3, 1, 2]]]' } };
    const request = { target, evaluator, mutator: 'patch', population: 1, confirm: 'none', stop: { max_generations: 1 } };
    const { run } = await client.request(StartRun, { requestId: randomUUID(), request: RunRequest.parse(request) });
    const info = async () => (await client.request(ListRuns, {})).find((one) => one.run === run);
    await until(async () => (await info())?.state === 'finished', 'the end of the search');
    assert.equal((await info())?.correct, 1);
    assert.equal(asked.filter((text) => text === 'copilot/gpt').length, 2);
  });
});
