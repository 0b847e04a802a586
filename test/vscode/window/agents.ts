/** The run that an agent starts is over after one candidate; the elites that it reviews are those of the recorded run. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { eventually, type Journey, until } from '../driver/journey.ts';
import { cli } from '../driver/parts.ts';

const inputs = JSON.stringify([[[]], [[3, 1, 2, 1.5, 1]], [Array.from({ length: 30 }, (_, i) => (i * 37) % 61)]]);

export function agents(journey: Journey): void {
  const answerFile = join(journey.folder, 'answer.json');
  let run = '';

  const ask = async (tool: string, input: unknown) => {
    rmSync(answerFile, { force: true });
    const call = join(journey.folder, 'call.json');
    writeFileSync(call, JSON.stringify({ tool, input }));
    // A palette that is drawn again swallows a click.
    await until(
      'Call Tool',
      () => !existsSync(call),
      () => journey.editor.command('Hands: Call Tool'),
    );
  };
  const answer = async () => {
    await eventually('the tool has answered', () => existsSync(answerFile), 120_000);
    return JSON.parse(readFileSync(answerFile, 'utf8')) as { tools: string[]; text?: string; error?: string };
  };
  const dialog = (text: string) => journey.editor.page.locator('.monaco-dialog-box', { hasText: text });

  it('are offered four tools, and read the archive without being asked', async () => {
    await ask('peagen_archive', {});
    const { tools, text, error } = await answer();
    assert.equal(error, undefined);
    assert.deepEqual(tools.filter((name) => name.startsWith('peagen_')).sort(), [
      'peagen_archive',
      'peagen_evolve',
      'peagen_judge',
      'peagen_propose',
    ]);
    const { runs } = JSON.parse(text ?? '') as { runs: { run: string }[] };
    assert.equal(runs.length, 1);
    run = runs[0]?.run ?? '';
  });

  const wish = { file: 'bad_sort.py', function: 'bad_sort', inputs, generations: 1, mutator: 'structural' };

  it('evolve nothing that the user does not agree to', async () => {
    await ask('peagen_evolve', wish);
    await dialog('Evolve bad_sort in bad_sort.py?').waitFor();
    await journey.picture('consent');
    await dialog('Evolve bad_sort').locator('.monaco-button', { hasText: 'Cancel' }).click();
    assert.notEqual((await answer()).error, undefined);
    assert.deepEqual(readdirSync(join(journey.folder, '.peagen', 'runs')), [run]);
  });

  it('evolve a function with consent, and read what was found', async () => {
    await ask('peagen_evolve', wish);
    await dialog('Evolve bad_sort').locator('.monaco-button').filter({ hasNotText: 'Cancel' }).first().click();
    const { text, error } = await answer();
    assert.equal(error, undefined);
    const found = JSON.parse(text ?? '') as { state: string; elites: unknown[] };
    assert.equal(found.state, 'finished');
    assert.ok(found.elites.length > 0);
    assert.equal(journey.disk(), journey.original);
  });

  it('are refused what lies outside of the folder', async () => {
    await ask('peagen_judge', { file: '../outside.py', text: 'x' });
    assert.match((await answer()).error ?? '', /stays inside its folder/);
  });

  it('have an elite opened for review', async () => {
    await ask('peagen_propose', { run });
    await dialog('Open a candidate for review?').locator('.monaco-button').filter({ hasNotText: 'Cancel' }).first().click();
    await journey.seenLens('Accept').waitFor();
    await journey.picture('proposed');
    assert.equal((await answer()).error, undefined);
    await journey.closeReview();
  });

  it('of another program have it opened too, over the Model Context Protocol', async () => {
    const agent = new Client({ name: 'test', version: '1.0.0' });
    const args = [cli(), 'mcp', '--workspace', journey.folder];
    await agent.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'inherit' }));
    try {
      const { isError, content } = await agent.callTool({ name: 'peagen_propose', arguments: { run } });
      assert.notEqual(isError, true, JSON.stringify(content));
      await journey.seenLens('Accept').waitFor();
    } finally {
      await agent.close();
    }
    await journey.closeReview();
    assert.equal(journey.disk(), journey.original);
  });
}
