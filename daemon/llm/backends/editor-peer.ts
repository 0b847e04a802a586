/**
 * The editor's models at the other end of a connection: asks with `peagen/llm/ask`, receives the pieces and what is on
 * offer. The server feeds it the client's notifications; it knows no transport.
 */
import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { ChatAnswer, type ChatRequest } from '../../../shared/llm.ts';
import { AnswerPiece, type AskModel, type EditorModel, OfferModels } from '../../../shared/protocol/models.ts';
import type { EditorModels } from './editor.ts';

/** Sends the request AskModel; what comes back is not parsed yet. Rejects with PeagenError; `signal` cancels the request. */
type SendAsk = (params: z.infer<typeof AskModel.params>, signal: AbortSignal) => Promise<unknown>;

export class EditorPeer implements EditorModels {
  private readonly send: SendAsk;
  private readonly listeners = new Map<string, (piece: string) => void>();
  private models: readonly EditorModel[] = [];

  constructor(send: SendAsk) {
    this.send = send;
  }

  /** Call with the parameters of AnswerPiece. A piece for no open question is dropped. */
  heard(params: unknown): void {
    const { ask, text } = AnswerPiece.params.parse(params);
    this.listeners.get(ask)?.(text);
  }

  /** Call with the parameters of OfferModels. */
  offered(params: unknown): void {
    this.models = OfferModels.params.parse(params).models;
  }

  async list(): Promise<readonly EditorModel[]> {
    return this.models;
  }

  async ask(
    model: string,
    request: ChatRequest,
    { signal, onText }: { signal: AbortSignal; onText?: (piece: string) => void },
  ): Promise<ChatAnswer> {
    if (signal.aborted) throw new PeagenError('cancelled', 'The question was withdrawn.');
    const ask = randomUUID();
    let heard = '';
    this.listeners.set(ask, (piece) => {
      heard += piece;
      onText?.(piece);
    });
    try {
      const answer = ChatAnswer.parse(await this.send({ ask, model, request }, signal));
      // A client that does not stream still gives its listener the whole answer.
      if (heard === '' && answer.text !== '') onText?.(answer.text);
      return answer;
    } finally {
      this.listeners.delete(ask);
    }
  }
}
