import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  CodeActionRequest,
  CodeLensRequest,
  DidOpenTextDocumentNotification,
  ExecuteCommandRequest,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  PublishDiagnosticsNotification,
} from 'vscode-languageserver-protocol/node';
import type { DaemonClient } from '../../../daemon/client/client.ts';
import { type Scene, scene } from './scene.ts';

const text = 'import os\n\ndef outer(n):\n    def inner():\n        return n\n    return inner\n';

async function open(s: Scene, options: { trusted?: boolean; editorCommands?: boolean } = {}) {
  const client = await s.client({ trusted: options.trusted ?? true });
  const initialized: InitializeResult = await client.connection.sendRequest(InitializeRequest.type, {
    processId: null,
    rootUri: null,
    capabilities: {},
    initializationOptions: options.editorCommands === undefined ? undefined : { editorCommands: options.editorCommands },
  });
  await client.connection.sendNotification(InitializedNotification.type, {});
  return { client, capabilities: initialized.capabilities };
}

async function edit(client: DaemonClient, path: string, content: string): Promise<string> {
  const uri = pathToFileURL(path).href;
  const textDocument = { uri, languageId: 'python', version: 1, text: content };
  await client.connection.sendNotification(DidOpenTextDocumentNotification.type, { textDocument });
  return uri;
}

const at = (line: number) => ({ start: { line, character: 0 }, end: { line, character: 0 } });

describe('the language server', () => {
  it('puts a lens on each function of an open file', async () => {
    await using s = await scene();
    const { client } = await open(s);
    const uri = await edit(client, join(s.place.workspace, 'a.py'), text);
    const lenses = await client.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } });
    const seen = lenses?.map((lens) => [lens.range.start.line, lens.command?.title, lens.command?.arguments?.[0].fn]);
    assert.deepEqual(seen?.[0], [2, 'Evolve', 'outer']);
  });

  it('offers the innermost function at the cursor, and nothing outside of any', async () => {
    await using s = await scene();
    const { client } = await open(s);
    const uri = await edit(client, join(s.place.workspace, 'a.py'), text);
    const ask = (line: number, only?: string[]) =>
      client.connection.sendRequest(CodeActionRequest.type, {
        textDocument: { uri },
        range: at(line),
        context: { diagnostics: [], ...(only === undefined ? {} : { only }) },
      });
    assert.deepEqual(
      (await ask(5))?.map((action) => action.title),
      ['Peagen: Evolve (outer)', 'Peagen: Mutate once (outer)'],
    );
    assert.deepEqual([await ask(0), await ask(5, ['quickfix'])], [[], []]);
    assert.equal((await ask(5, ['refactor']))?.length, 2);
  });

  it('leaves lenses, actions and commands to an editor that has its own', async () => {
    await using s = await scene();
    const { client, capabilities } = await open(s, { editorCommands: true });
    assert.deepEqual(Object.keys(capabilities), ['textDocumentSync']);
    const uri = await edit(client, join(s.place.workspace, 'a.py'), text);
    assert.deepEqual(await client.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } }), []);
  });

  it('offers nothing that executes where the workspace is not trusted', async () => {
    await using s = await scene();
    const { client, capabilities } = await open(s, { trusted: false });
    assert.equal(capabilities.executeCommandProvider, undefined);
    const uri = await edit(client, join(s.place.workspace, 'a.py'), text);
    const command = { command: 'peagen.evolve', arguments: [{ uri, fn: 'outer' }] };
    await assert.rejects(client.connection.sendRequest(ExecuteCommandRequest.type, command));
    assert.equal(s.engines.length, 0);
  });

  it('marks the line of a mistake in .peagen.toml, and takes the mark away', async () => {
    await using s = await scene();
    const { client } = await open(s);
    const marks: { line: number | undefined; message: unknown }[] = [];
    const marked = (count: number) =>
      new Promise<void>((resolve) => {
        client.connection.onNotification(PublishDiagnosticsNotification.type, ({ diagnostics: [first] }) => {
          marks.push({ line: first?.range.start.line, message: first?.message });
          if (marks.length === count) resolve();
        });
      });
    const both = marked(3);
    await edit(client, join(s.place.workspace, '.peagen.toml'), '[evolve]\n\npopulation = "many"\n');
    await edit(client, join(s.place.workspace, '.peagen.toml'), '[evolve]\npopulation = 8\n');
    await edit(client, join(s.place.workspace, '.peagen.toml'), '[evolve]\nx = = 1\n');
    await both;
    assert.deepEqual(
      marks.map((mark) => mark.line),
      [2, undefined, 1],
    );
    assert.match(String(marks[0]?.message), /evolve\.population .*expected number/);
  });

  it('names a wrong argument, an unknown command, a file outside the workspace', async () => {
    await using s = await scene();
    const { client } = await open(s);
    mkdirSync(join(s.place.workspace, 'in'));
    writeFileSync(join(s.place.workspace, 'in', 'a.py'), text);
    const run = (command: string, ...args: unknown[]) =>
      client.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
    await assert.rejects(run('peagen.evolve', { uri: 5 }), { message: /The argument of peagen\.evolve at uri/ });
    await assert.rejects(run('peagen.conquer'), { message: /There is no command "peagen\.conquer"\. Known: peagen\.evolve/ });
    await assert.rejects(run('peagen.evolve', { uri: 'file:///etc/passwd', fn: 'x' }), { message: /is not in the workspace/ });
    await assert.rejects(run('peagen.evolve', { uri: 'untitled:1', fn: 'x' }), { message: /is not a file/ });
  });

  it('stops the run when its request is cancelled', async () => {
    await using s = await scene();
    const { client } = await open(s);
    const uri = await edit(client, join(s.place.workspace, 'a.py'), text);
    const { CancellationTokenSource } = await import('vscode-languageserver-protocol/node');
    const source = new CancellationTokenSource();
    const params = { command: 'peagen.evolve', arguments: [{ uri, fn: 'outer', inputs: '[[1]]' }] };
    const evolved = client.connection.sendRequest(ExecuteCommandRequest.type, params, source.token);
    const engine = await new Promise<Scene['engines'][0]>((resolve) => {
      const look = () => {
        const [opened] = s.engines;
        if (opened !== undefined && opened.running().length > 0) resolve(opened);
        else setImmediate(look);
      };
      look();
    });
    source.cancel();
    const { run, best } = await evolved;
    assert.deepEqual([engine.known.get(run)?.state, best], ['finished', null]);
  });
});
