import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { EvolveInput, toolTexts } from '../../../shared/agents/inputs.ts';
import { type AgentHost, eliteOf, evolve } from '../../../shared/agents/tools.ts';
import { GetElite, ListElites, ListRuns, PlanRun, RunRequest, StartRun } from '../../../shared/protocol/runs.ts';

describe('the tools of agents', () => {
  it('are in the manifest as they are defined', () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '..', '..', '..', 'package.json'), 'utf8'));
    const declared: { name: string; modelDescription: string; inputSchema: unknown }[] = manifest.contributes.languageModelTools;
    assert.deepEqual(
      declared.map(({ name, modelDescription, inputSchema }) => ({ name, modelDescription, inputSchema })),
      Object.entries(toolTexts).map(([name, { description, input }]) => {
        const { $schema, additionalProperties, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
        return { name, modelDescription: description, inputSchema };
      }),
    );
  });

  /** A daemon that plans a run which could spend 9000 tokens, and remembers what was started. */
  function host(configured?: number) {
    const started: RunRequest[] = [];
    const answers = new Map<string, (params: unknown) => unknown>([
      [
        PlanRun.method,
        () => ({
          spec: { stop: { max_generations: 200, ...(configured === undefined ? {} : { budget_tokens: configured }) } },
          worst_case: { candidates: 10, prompt_tokens: 8000, completion_tokens: 1000, dollars: null },
        }),
      ],
      [
        StartRun.method,
        (params) => {
          started.push(z.object({ request: RunRequest }).parse(params).request);
          return { run: 'r' };
        },
      ],
      [ListRuns.method, () => []],
      [ListElites.method, () => []],
    ]);
    const agentHost: AgentHost = {
      root: '/w',
      contains: async () => true,
      request: async (definition, params) => answers.get(definition.method)?.(params) as never,
      ended: async () => undefined,
    };
    const run = (input: z.input<typeof EvolveInput>) =>
      evolve(agentHost, EvolveInput.parse(input), new AbortController().signal).catch((caught: Error) => caught);
    return { started, run };
  }
  const input = { file: 'a.py', function: 'f', inputs: '[[1]]' };

  it('start no run that could spend tokens unless the agent names how many', async () => {
    const { started, run } = host();
    const refused = await run(input);
    assert.match(String(refused), /at most 9,000 tokens, and max_tokens is 0/);
    assert.deepEqual(started, []);
  });

  it('let an agent spend less than the user has configured, never more', async () => {
    for (const [asked, configured, budget] of [
      [500, 2000, 500],
      [5000, 2000, 2000],
      [5000, undefined, 5000],
    ] as const) {
      const { started, run } = host(configured);
      await run({ ...input, max_tokens: asked });
      assert.equal(started[0]?.stop?.budget_tokens, budget);
    }
  });

  it('take as the best what a run announced, before what its search saw, and never what is wrong on held-out inputs', async () => {
    const named = async (ending: object | undefined) => {
      const elites = ['a', 'b', 'c'].map((sha256, index) => ({ sha256, index }));
      const asked: unknown[] = [];
      const answers: Record<string, unknown> = { [ListRuns.method]: [{ run: 'r', ending }], [ListElites.method]: elites };
      const request: AgentHost['request'] = async (definition, params) => {
        if (definition.method === GetElite.method) asked.push(params);
        return answers[definition.method] as never;
      };
      const host: AgentHost = { root: '/w', contains: async () => true, request, ended: async () => undefined };
      await eliteOf(host, 'r', undefined, new AbortController().signal);
      return asked;
    };
    const sha = (sha256: string) => [{ run: 'r', sha256 }];
    assert.deepEqual(await named(undefined), sha('a'));
    assert.deepEqual(await named({ best: { sha256: 'c' }, overfitted: [] }), sha('c'));
    assert.deepEqual(await named({ best: null, overfitted: ['a'] }), sha('b'));
  });

  it('end every run after a time', async () => {
    const { started, run } = host();
    await run({ ...input, max_tokens: 1 });
    assert.equal(started[0]?.stop?.run_timeout, 30 * 60);
  });
});
