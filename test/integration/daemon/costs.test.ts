/** What paid work can cost is shown before it is paid for: by a plain language server, and to an agent. */
import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import { startTestLlm, type TestLlm } from '../../llm/server.ts';
import { cli, Home } from './home.ts';

const sample = join(import.meta.dirname, '..', '..', '..', 'media', 'samples', 'bad_sort', 'bad_sort.py');
const inputs = '[[[3, 1, 2]], [[9, 8, 7]]]';
/** No question can be paid with it. */
const BUDGET = 0.001;
const said = /is expected to spend about [\d,]+ tokens \(\$0\.\d+\) and can spend at most [\d,]+ tokens \(\$0\.0010\)\.$/;
const asksNone = /asks no model: its budget does not pay for one question/;

describe('the cost of paid work', function () {
  this.timeout(300_000);
  let home: Home;
  let model: TestLlm;

  before(async () => {
    home = new Home();
    model = await startTestLlm();
    cpSync(sample, join(home.workspace, 'bad_sort.py'));
    const backend = `[[llm.backends]]\nname = "one"\nbase_url = "${model.url}"\nmodel = "test-model"\nprice_prompt = 2.0\nprice_completion = 10.0\n`;
    const config = `[evaluate]\nderive = false\n[mutate]\nmutator = "patch"\n[evolve.stop]\nmax_generations = 2\nbudget_usd = ${BUDGET}\n${backend}`;
    writeFileSync(join(home.workspace, '.peagen.toml'), config);
  });
  after(async () => {
    await home[Symbol.asyncDispose]();
    await model.close();
  });

  it('is a message of the language server before a run and before a change', async () => {
    const { stdin, stdout } = home.node(cli, 'daemon', 'connect', '--workspace', home.workspace);
    assert.ok(stdin !== null && stdout !== null);
    const connection = createMessageConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    const heard: string[] = [];
    connection.onNotification((method: string, params: unknown) => {
      const text = JSON.stringify(params);
      if (method === 'window/showMessage') heard.push(text.slice(text.indexOf('"message":"') + 11, -2));
      else if (text.includes('"type":"started"')) heard.push('started');
    });
    connection.listen();
    await connection.sendRequest('initialize', { processId: process.pid, rootUri: null, capabilities: {} });
    const uri = pathToFileURL(join(home.workspace, 'bad_sort.py')).href;
    const run = (command: string, more: object) =>
      connection.sendRequest('workspace/executeCommand', { command, arguments: [{ uri, fn: 'bad_sort', ...more }] });
    await run('peagen.evolve', { inputs });
    const [cost = '', started, end = ''] = heard.splice(0);
    assert.match(cost, asksNone);
    assert.equal(started, 'started');
    assert.match(end, /^The dollar budget does not pay for one question/);
    await assert.rejects(async () => await run('peagen.mutate', {}));
    assert.match(heard[0] ?? '', said);
    assert.equal(model.requests.length, 0);
    connection.dispose();
  });

  it('is shown to an agent before its run', async () => {
    const agent = new Client({ name: 'test', version: '1.0.0' });
    const shown: unknown[] = [];
    agent.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void shown.push(params.data));
    const env = Object.fromEntries(Object.entries(home.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
    const args = [cli, 'mcp', '--workspace', home.workspace];
    await agent.connect(new StdioClientTransport({ command: process.execPath, args, env }));
    const call = async (max_tokens: number) => {
      const asked = { file: 'bad_sort.py', function: 'bad_sort', inputs, max_tokens };
      const onprogress = ({ message }: { message?: string | undefined }) => void shown.push(message);
      const result = await agent.callTool({ name: 'peagen_evolve', arguments: asked }, CallToolResultSchema, { onprogress });
      return JSON.stringify(CallToolResultSchema.parse(result).content);
    };
    assert.match(await call(0), /This run asks no model: .*, and max_tokens is 0/);
    assert.deepEqual(shown, []);
    assert.match(await call(50_000), /The dollar budget does not pay for one question/);
    assert.equal(shown.length, 2, 'as progress and in the log');
    for (const cost of shown) assert.match(String(cost), asksNone);
    assert.equal(model.requests.length, 0);
    await agent.close();
  });
});
