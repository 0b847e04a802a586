import { setImmediate as turn } from 'node:timers/promises';
import { replayOf } from '../../daemon/evolution/answers/recorded.ts';
import { textSha } from '../../daemon/evolution/hash.ts';
import { compatibleBackend } from '../../daemon/llm/backends/compatible.ts';
import { editorBackend, provideEditorModels } from '../../daemon/llm/backends/editor.ts';
import { promptRecord } from '../../daemon/llm/record.ts';
import { PeagenError } from '../../shared/errors.ts';
import { backendConfig } from '../llm/config.ts';
import { startTestLlm } from '../llm/server.ts';
import { backendLaws, question, TEXT } from './backend.ts';

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

describe('back end: OpenAI-compatible', () => {
  backendLaws(async () => {
    const llm = await startTestLlm({ plainText: TEXT });
    return {
      backend: compatibleBackend(backendConfig({ name: 'wire', base_url: llm.url }), {}),
      async silence() {
        llm.script({ type: 'silent' });
        await until(() => llm.requests.length > 0);
      },
      fail: () => llm.script({ type: 'status', status: 503 }),
      close: () => llm.close(),
    };
  });
});

describe('back end: replay', () => {
  backendLaws(async () => {
    const byPrompt = new Map([[textSha(promptRecord(question)) as string, TEXT]]);
    return {
      backend: replayOf({ name: 'recorded', model: 'none' }, async () => ({ byPrompt, bySeed: new Map() })),
      fail: () => byPrompt.clear(),
      close: async () => undefined,
    };
  });
});

describe('back end: editor', () => {
  backendLaws(async () => {
    let next: 'answer' | 'silence' | 'fail' = 'answer';
    let asked = 0;
    provideEditorModels({
      list: async () => [],
      async ask(model, request, { signal, onText }) {
        asked++;
        if (signal.aborted || next === 'silence') {
          await new Promise<void>((done) => (signal.aborted ? done() : signal.addEventListener('abort', () => done())));
          throw new PeagenError('cancelled', 'Withdrawn.');
        }
        if (next === 'fail') throw new PeagenError('untrusted', 'The user did not agree.');
        for (const piece of TEXT.split(/(?<=\n)/)) onText?.(piece);
        const tokens = { prompt: request.prompt.length, completion: TEXT.length };
        return { text: TEXT, backend: 'editor', model, tokens, finish: 'stop', firstTokenMs: 1, totalMs: 2 };
      },
    });
    return {
      backend: editorBackend(backendConfig({ name: 'code', model: 'gpt' })),
      async silence() {
        next = 'silence';
        await until(() => asked > 0);
      },
      fail() {
        next = 'fail';
      },
      close: async () => provideEditorModels(undefined),
    };
  });
});
