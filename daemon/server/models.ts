/** Lets the daemon ask the language models of the editors that are connected: of the one that offered last. */
import type { Disposable } from 'vscode-languageserver';
import { CancellationTokenSource, ResponseError } from 'vscode-languageserver-protocol/node';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { AnswerPiece, AskModel, OfferModels } from '../../shared/protocol/models.ts';
import { provideEditorModels } from '../llm/backends/editor.ts';
import { EditorPeer } from '../llm/backends/editor-peer.ts';
import type { Session } from './connection.ts';

/** In the order of their offers. */
const offering: EditorPeer[] = [];

const Failure = z.object({ code: z.string(), message: z.string(), hint: z.string().optional(), retryable: z.boolean() });

/** Call before the session listens; dispose of the answer when it has closed. An untrusted window offers nothing. */
export function serveEditorModels(session: Session): Disposable {
  if (!session.trusted) return { dispose: () => undefined };
  const peer = new EditorPeer(async (params, signal) => {
    const source = new CancellationTokenSource();
    const cancel = () => source.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await session.lsp.sendRequest(AskModel.method, params, source.token);
    } catch (caught) {
      throw failureOf(caught);
    } finally {
      signal.removeEventListener('abort', cancel);
      source.dispose();
    }
  });
  session.lsp.onNotification(AnswerPiece.method, (params: unknown) => peer.heard(params));
  session.lsp.onNotification(OfferModels.method, async (params: unknown) => {
    peer.offered(params);
    forget(peer);
    if ((await peer.list()).length > 0) offering.push(peer);
    provideEditorModels(offering.at(-1));
  });
  return {
    dispose() {
      forget(peer);
      provideEditorModels(offering.at(-1));
    },
  };
}

function forget(peer: EditorPeer): void {
  const at = offering.indexOf(peer);
  if (at >= 0) offering.splice(at, 1);
}

/** What the editor answered in place of an answer, in our terms; a connection that ended may come back. */
function failureOf(caught: unknown): PeagenError {
  if (!(caught instanceof ResponseError)) {
    return new PeagenError('unavailable', 'The editor went away before it answered.', { cause: caught });
  }
  const data = Failure.safeParse(caught.data);
  if (!data.success) return new PeagenError('backend_failed', `The editor answered: ${caught.message}`, { retryable: false });
  const { code, message, hint, retryable } = data.data;
  if (code === 'untrusted' || code === 'budget_exceeded' || code === 'not_found' || code === 'cancelled') {
    return new PeagenError(code, message, { hint, retryable });
  }
  return new PeagenError('backend_failed', message, { hint, retryable });
}
