import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { editorBackend, provideEditorModels } from '../../../daemon/llm/backends/editor.ts';
import { EditorPeer } from '../../../daemon/llm/backends/editor-peer.ts';
import { errorTable, PeagenError } from '../../../shared/errors.ts';
import { AnswerPiece, AskModel, OfferModels } from '../../../shared/protocol/models.ts';
import { question } from '../../conformance/backend.ts';
import { backendConfig } from '../../llm/config.ts';

/** Two ends of a JSON-RPC connection in this process: the daemon's, with a peer for the editor's models, and the editor's. */
function connect(): { editor: MessageConnection; peer: EditorPeer; close(): void } {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const daemon = createMessageConnection(new StreamMessageReader(up), new StreamMessageWriter(down));
  const editor = createMessageConnection(new StreamMessageReader(down), new StreamMessageWriter(up));
  const peer = new EditorPeer(async (params, signal) => {
    const source = new CancellationTokenSource();
    signal.addEventListener('abort', () => source.cancel());
    try {
      return await daemon.sendRequest(AskModel.method, params, source.token);
    } catch (caught) {
      if (!(caught instanceof ResponseError)) throw caught;
      const data: unknown = caught.data;
      throw PeagenError.fromJSON(data as ReturnType<PeagenError['toJSON']>);
    }
  });
  daemon.onNotification(AnswerPiece.method, (params: unknown) => peer.heard(params));
  daemon.onNotification(OfferModels.method, (params: unknown) => peer.offered(params));
  daemon.listen();
  provideEditorModels(peer);
  return {
    editor,
    peer,
    close() {
      provideEditorModels(undefined);
      daemon.dispose();
      editor.dispose();
    },
  };
}

const refuse = (error: PeagenError) => new ResponseError(errorTable[error.code].rpc, error.message, error.toJSON());
const backend = editorBackend(backendConfig({ name: 'editor', model: 'copilot/gpt' }));
const signal = () => new AbortController().signal;

describe("the editor's models over JSON-RPC", () => {
  let line: ReturnType<typeof connect>;
  beforeEach(() => {
    line = connect();
  });
  afterEach(() => line.close());

  function answering(text: string, pieces: readonly string[]): void {
    line.editor.onRequest(AskModel.method, async (params: unknown) => {
      const { ask, model, request } = AskModel.params.parse(params);
      for (const piece of pieces) await line.editor.sendNotification(AnswerPiece.method, { ask, text: piece });
      const tokens = { prompt: request.prompt.length, completion: text.length };
      return { text, backend: 'vscode', model, tokens, finish: 'stop', firstTokenMs: 1, totalMs: 2 };
    });
    line.editor.listen();
  }

  it('answer with their text, piece by piece, under the name of the back end', async () => {
    answering('one two', ['one', ' two']);
    const pieces: string[] = [];
    const answer = await backend.ask(question, { signal: signal(), onText: (piece) => pieces.push(piece) });
    assert.deepEqual([answer.text, answer.backend, answer.model], ['one two', 'editor', 'copilot/gpt']);
    assert.deepEqual(pieces, ['one', ' two']);
  });

  it('keep the pieces of two questions apart', async () => {
    answering('one two', ['one', ' two']);
    const heard = [0, 1].map(() => [] as string[]);
    await Promise.all(heard.map((pieces) => backend.ask(question, { signal: signal(), onText: (piece) => pieces.push(piece) })));
    assert.deepEqual(heard, [
      ['one', ' two'],
      ['one', ' two'],
    ]);
  });

  it('give the whole text to a listener when they do not stream', async () => {
    answering('one two', []);
    const pieces: string[] = [];
    await backend.ask(question, { signal: signal(), onText: (piece) => pieces.push(piece) });
    assert.deepEqual(pieces, ['one two']);
  });

  it('tell a refused consent from an exhausted quota; neither is asked again', async () => {
    const errors = [
      new PeagenError('untrusted', 'The user said no.'),
      new PeagenError('budget_exceeded', 'The quota is used up.'),
    ];
    line.editor.onRequest(AskModel.method, () => refuse(errors.shift() ?? new PeagenError('internal', 'too many')));
    line.editor.listen();
    await assert.rejects(backend.ask(question, { signal: signal() }), { kind: 'auth', retryable: false });
    await assert.rejects(backend.ask(question, { signal: signal() }), { kind: 'quota', retryable: false });
  });

  it('hear that the question is withdrawn', async () => {
    const controller = new AbortController();
    const told = new Promise<void>((done) => {
      line.editor.onRequest(AskModel.method, async (_params: unknown, token) => {
        controller.abort();
        await new Promise<void>((cancelled) => token.onCancellationRequested(() => cancelled()));
        done();
        return refuse(new PeagenError('cancelled', 'Withdrawn.'));
      });
    });
    line.editor.listen();
    await assert.rejects(backend.ask(question, { signal: controller.signal }), { code: 'cancelled' });
    await told;
  });

  it('are not believed when their answer is not one', async () => {
    line.editor.onRequest(AskModel.method, () => ({ text: 'free', tokens: { prompt: -1, completion: 0 } }));
    line.editor.listen();
    await assert.rejects(backend.ask(question, { signal: signal() }), { code: 'backend_failed', retryable: false });
  });

  it('are listed as last offered', async () => {
    line.editor.listen();
    const models = [{ id: 'a', name: 'A', vendor: 'v', family: 'f', maxInputTokens: 8000 }];
    await line.editor.sendNotification(OfferModels.method, { models });
    while ((await line.peer.list()).length === 0) await new Promise(setImmediate);
    assert.deepEqual(await line.peer.list(), models);
  });

  it('are missed with a word on what to do, when no editor is there', async () => {
    provideEditorModels(undefined);
    await assert.rejects(backend.ask(question, { signal: signal() }), { hint: /Open the workspace in VS Code/ });
  });
});
