import assert from 'node:assert/strict';
import { ChosenInEditor } from '../../../daemon/server/choices.ts';
import { Config } from '../../../shared/config.ts';
import { Choices, Choose } from '../../../shared/protocol/choices.ts';
import { ListModels } from '../../../shared/protocol/models.ts';
import { PlanRun, StartRun } from '../../../shared/protocol/runs.ts';
import { request, scene } from './scene.ts';

const backend = { name: 'groq/llama', model: 'llama', preset: 'groq' };
const choices = (input: Parameters<typeof Choices.parse>[0]) => Choices.parse(input);

describe('what is chosen in an editor', () => {
  it('stands behind the back ends of the configuration, and never in the place of one', () => {
    const chosen = new ChosenInEditor({});
    const config = Config.parse({ llm: { backends: [{ name: 'groq/llama', model: 'configured' }] } });
    chosen.choose(choices({ backends: [backend, { ...backend, name: 'other' }] }));
    assert.deepEqual(
      chosen.over(config).llm.backends.map(({ name, model }) => [name, model]),
      [
        ['groq/llama', 'configured'],
        ['other', 'llama'],
      ],
    );
  });

  it('puts secrets into the environment, and the variables back when they are no longer chosen', () => {
    const env: NodeJS.ProcessEnv = { GROQ_API_KEY: 'from the shell' };
    const chosen = new ChosenInEditor(env);
    chosen.choose(choices({ secrets: { GROQ_API_KEY: 'one', OPENAI_API_KEY: 'two' } }));
    assert.deepEqual(env, { GROQ_API_KEY: 'one', OPENAI_API_KEY: 'two' });
    chosen.choose(choices({ secrets: { GROQ_API_KEY: 'three' } }));
    assert.deepEqual(env, { GROQ_API_KEY: 'three' });
    chosen.choose(choices({}));
    assert.deepEqual(env, { GROQ_API_KEY: 'from the shell' });
  });

  it('cannot set a variable that changes how programs run', () => {
    for (const name of ['PATH', 'NODE_OPTIONS', 'LD_PRELOAD', 'PEAGEN__EVALUATE__COMMAND', 'x_API_KEY']) {
      assert.equal(Choices.safeParse({ secrets: { [name]: 'x' } }).success, false, name);
    }
  });

  it('names the queue over the configuration', () => {
    const chosen = new ChosenInEditor({});
    assert.deepEqual(chosen.flags, {});
    chosen.choose(choices({ queue: { kind: 'redis', url: 'redis://host' } }));
    assert.deepEqual(chosen.flags, { task_queue: { provider: 'redis', url: 'redis://host' } });
    chosen.choose(choices({ queue: { kind: 'local' } }));
    assert.deepEqual(chosen.flags, { task_queue: { provider: 'stub' } });
  });

  it('counts from the next run on; a run in progress keeps what it began with', async () => {
    await using it = await scene();
    const client = await it.client();
    await client.request(StartRun, { requestId: 'request-1', request });
    await client.request(Choose, { backends: [backend] });
    const { configured } = await client.request(ListModels, {});
    assert.deepEqual(configured, [{ ...backend, missing_key: 'GROQ_API_KEY' }]);
    assert.equal(it.engines.length, 1);
    await assert.rejects(client.request(PlanRun, request), { code: 'original_fails' });
    await it.engines[0]?.stop(it.engines[0].running()[0] ?? assert.fail());
    await assert.rejects(client.request(PlanRun, request), { code: 'original_fails' });
    assert.equal(it.engines.length, 2);
  });

  it('is nothing that an untrusted window may choose', async () => {
    await using it = await scene();
    const client = await it.client({ trusted: false });
    await assert.rejects(client.request(Choose, { backends: [backend] }), { code: 'untrusted' });
  });
});
