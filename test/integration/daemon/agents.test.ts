/** `peagen mcp` as an agent uses it: the protocol's own client, a real daemon, real sandboxes. */
import assert from 'node:assert/strict';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import { RunId, Sha256 } from '../../../shared/ids.ts';
import { OfferReviews, Proposed } from '../../../shared/protocol/proposals.ts';
import { Verdict } from '../../../shared/protocol/targets.ts';
import { cli, Home, until } from './home.ts';

const sample = join(import.meta.dirname, '..', '..', '..', 'media', 'samples', 'bad_sort', 'bad_sort.py');
const inputs = '[[[3, 1, 2, 1.5]], [[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]], [[]]]';

const Runs = z.object({ runs: z.array(z.object({ run: RunId, state: z.string() })) });
const Elites = z.object({
  run: RunId,
  state: z.string(),
  of: z.number(),
  elites: z.array(z.object({ sha256: Sha256, niche: z.string(), score: z.number(), original: z.boolean().optional() })),
});

describe('an agent over the Model Context Protocol', function () {
  this.timeout(600_000);
  let home: Home;
  let agent: Client;
  let original: string;

  before(async () => {
    home = new Home();
    cpSync(sample, join(home.workspace, 'bad_sort.py'));
    // Calls that are made for a function have tests of their own. The first generation of this seed is several times faster.
    writeFileSync(join(home.workspace, '.peagen.toml'), '[evaluate]\nderive = false\n[evolve]\nseed = 5\n');
    original = readFileSync(sample, 'utf8');
    agent = new Client({ name: 'test', version: '1.0.0' });
    const env = Object.fromEntries(
      Object.entries(home.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
    const args = [cli, 'mcp', '--workspace', home.workspace];
    await agent.connect(new StdioClientTransport({ command: process.execPath, args, env }));
  });
  after(async () => {
    await agent.close();
    await home[Symbol.asyncDispose]();
  });

  async function call(name: string, args: Record<string, unknown>) {
    const result = await agent.callTool({ name, arguments: args }, CallToolResultSchema, { timeout: 500_000 });
    const { content, isError } = CallToolResultSchema.parse(result);
    const [part] = content;
    assert.equal(part?.type, 'text');
    return { text: part.text, failed: isError === true };
  }
  async function answer<T>(schema: z.ZodType<T>, name: string, args: Record<string, unknown>): Promise<T> {
    const { text, failed } = await call(name, args);
    assert.equal(failed, false, text);
    return schema.parse(JSON.parse(text));
  }
  const evolved = () => answer(Runs, 'peagen_archive', {}).then(({ runs }) => runs[0]?.run);

  it('is offered four tools, of which only the one that reads needs no consent', async () => {
    const { tools } = await agent.listTools();
    assert.deepEqual(
      tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      [
        ['peagen_evolve', false],
        ['peagen_judge', false],
        ['peagen_archive', true],
        ['peagen_propose', false],
      ],
    );
  });

  it('evolves a function and is answered its best elites', async () => {
    const target = { file: 'bad_sort.py', function: 'bad_sort', inputs };
    const found = await answer(Elites, 'peagen_evolve', { ...target, generations: 1, mutator: 'structural' });
    assert.equal(found.state, 'finished');
    assert.ok(found.elites.length > 0 && found.elites.length <= 3);
    const scores = found.elites.map(({ score }) => score);
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    assert.equal(readFileSync(join(home.workspace, 'bad_sort.py'), 'utf8'), original);
  });

  it('lists the runs, the elites of one, and the change of an elite', async () => {
    const run = await evolved();
    const { elites, of } = await answer(Elites, 'peagen_archive', { run, limit: 100 });
    assert.equal(elites.length, of);
    const found = elites.find((elite) => elite.original !== true);
    assert.ok(found, 'the search found something');
    assert.match(found.niche, /complexity/);
    const Detail = z.object({ changes: z.array(z.object({ path: z.string(), after: z.string() })) });
    const { changes } = await answer(Detail, 'peagen_archive', { run, sha256: found.sha256 });
    assert.deepEqual(
      changes.map(({ path }) => path),
      ['bad_sort.py'],
    );
  });

  it('has a change of its own judged', async () => {
    const text = original.replace('rounds = 2', 'rounds = 1');
    const target = { file: 'bad_sort.py', function: 'bad_sort', inputs };
    const verdict = await answer(Verdict, 'peagen_judge', { ...target, text });
    assert.equal(verdict.outcome.kind, 'correct');
    assert.ok((verdict.speedup?.ratio ?? 0) > 0);
  });

  it('proposes an elite: it waits for an editor, and goes to the one that is open', async () => {
    const run = await evolved();
    const waits = await call('peagen_propose', { run });
    assert.match(waits.text, /waits for an editor[\s\S]*\+\+\+ b\/bad_sort\.py/);
    const window = await home.client();
    const heard: string[] = [];
    window.on(Proposed, (elite) => heard.push(elite.run));
    await window.connection.sendNotification(OfferReviews.method, {});
    await until(() => heard.length === 1, 'the proposal that waited');
    const opens = await call('peagen_propose', { run });
    assert.match(opens.text, /open for review in the editor/);
    await until(() => heard.length === 2, 'the second proposal');
    assert.deepEqual(heard, [run, run]);
    assert.equal(readFileSync(join(home.workspace, 'bad_sort.py'), 'utf8'), original);
  });

  it('reaches no file outside of the workspace folder', async () => {
    writeFileSync(join(home.folder, 'secret.py'), 'def bad_sort(items):\n    return "secret"\n');
    writeFileSync(join(home.folder, 'secret.json'), '[[["secret"]]]');
    symlinkSync(join(home.folder, 'secret.py'), join(home.workspace, 'link.py'));
    symlinkSync(home.folder, join(home.workspace, 'up'));
    const tries = [
      { file: '../secret.py', inputs },
      { file: join(home.folder, 'secret.py'), inputs },
      { file: 'link.py', inputs },
      { file: 'up/secret.py', inputs },
      { file: 'bad_sort.py', inputs: '../secret.json' },
      { file: 'bad_sort.py', inputs: join(home.folder, 'secret.json') },
      { file: 'bad_sort.py', inputs: 'up/secret.json' },
    ];
    for (const hostile of tries) {
      for (const [tool, more] of [
        ['peagen_evolve', { mutator: 'structural' }],
        ['peagen_judge', { text: original }],
      ] as const) {
        const { text, failed } = await call(tool, { ...hostile, function: 'bad_sort', ...more });
        assert.ok(failed, `${tool} ${JSON.stringify(hostile)} was answered`);
        assert.doesNotMatch(text, /return "secret"|\["secret"\]/);
      }
    }
  });

  it('learns what is wrong with a call that makes no sense', async () => {
    for (const [name, args, said] of [
      ['peagen_evolve', { file: 'bad_sort.py', generations: 1e9 }, /generations/],
      ['peagen_evolve', { file: 'bad_sort.py', max_tokens: 1e12 }, /max_tokens/],
      ['peagen_evolve', { file: 'missing.py', inputs }, /missing\.py/],
      ['peagen_archive', { run: '../../etc' }, /no run/],
      ['peagen_propose', { run: 'nothing' }, /run/i],
      ['peagen_judge', { file: 'bad_sort.py', text: '' }, /text/],
    ] as const) {
      const { text, failed } = await call(name, args);
      assert.ok(failed, `${name} ${JSON.stringify(args)} was answered`);
      assert.match(text, said);
    }
  });
});
