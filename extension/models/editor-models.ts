/**
 * The editor's own language models, for the daemon: what may be offered, and one question to one of them. Consent is asked
 * in `allow` only, which a user's own action calls; a question that comes from the daemon never makes a dialog appear.
 */
import * as vscode from 'vscode';
import type * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import type { ChatAnswer } from '../../shared/llm.ts';
import type { AskModel, EditorModel } from '../../shared/protocol/models.ts';
import { explainModelError } from './model-errors.ts';

type Question = z.output<typeof AskModel.params>;

/** How the daemon and its configuration name a model: ids alone are unique within one vendor only. */
export function modelId({ vendor, id }: Pick<vscode.LanguageModelChat, 'vendor' | 'id'>): string {
  return `${vendor}/${id}`;
}

export class LanguageModels implements vscode.Disposable {
  private readonly access: vscode.LanguageModelAccessInformation | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscriptions: vscode.Disposable[] = [this.changed];
  /** What is on offer may have changed: models came or went, or access to them. */
  readonly onDidChange = this.changed.event;

  constructor(access: vscode.LanguageModelAccessInformation | undefined) {
    this.access = access;
    const tell = () => this.changed.fire();
    if (access !== undefined) this.subscriptions.push(access.onDidChange(tell));
    if (api() !== undefined) this.subscriptions.push(vscode.lm.onDidChangeChatModels(tell));
  }

  /** All that can be chosen; none in an editor without language models. */
  async list(): Promise<vscode.LanguageModelChat[]> {
    return api() === undefined ? [] : await vscode.lm.selectChatModels();
  }

  /** Those that may be asked without another word. */
  async offered(): Promise<EditorModel[]> {
    const models = (await this.list()).filter((model) => this.isAllowed(model) && model.maxInputTokens > 0);
    return models.map((model) => {
      const { name, vendor, family, maxInputTokens } = model;
      return { id: modelId(model), name, vendor, family, maxInputTokens: Math.floor(maxInputTokens) };
    });
  }

  isAllowed(model: vscode.LanguageModelChat): boolean {
    return this.access?.canSendRequest(model) === true;
  }

  /** Asks the model a word, which makes the editor ask the user for consent. Call it from a user's action only. */
  async allow(id: string, token: vscode.CancellationToken): Promise<void> {
    const model = await this.find(id);
    try {
      const question = [vscode.LanguageModelChatMessage.User('Answer with the one word: yes')];
      const { text } = await model.sendRequest(
        question,
        { justification: vscode.l10n.t('Peagen asks it for faster variants of your code.') },
        token,
      );
      // The rest of the answer is not needed: its beginning shows that there is one.
      for await (const _ of text) break;
    } catch (caught) {
      throw explainModelError(caught, model.name);
    }
  }

  /** Streams the answer to `onPiece`. Throws `untrusted`, `budget_exceeded`, `not_found`, `cancelled` or `backend_failed`. */
  async ask(
    { model: id, request }: Question,
    onPiece: (text: string) => void,
    token: vscode.CancellationToken,
  ): Promise<ChatAnswer> {
    const started = performance.now();
    const model = await this.find(id);
    if (!this.isAllowed(model)) {
      throw new PeagenError('untrusted', vscode.l10n.t('You have not allowed Peagen to use {0}.', model.name), {
        hint: vscode.l10n.t('Choose it as model, and allow it.'),
      });
    }
    const source = new vscode.CancellationTokenSource();
    const withdrawn = token.onCancellationRequested(() => source.cancel());
    try {
      // There is no message of the system's in this API: it goes first.
      const messages = [request.system, request.prompt]
        .filter((text) => text !== '')
        .map((text) => vscode.LanguageModelChatMessage.User(text));
      const prompt = await countAll(model, messages, source.token);
      if (prompt > model.maxInputTokens) {
        throw new PeagenError(
          'backend_failed',
          vscode.l10n.t('The prompt has {0} tokens, and {1} takes {2}.', prompt, model.name, model.maxInputTokens),
          {
            hint: vscode.l10n.t('Choose a model that takes more, or evolve a smaller part.'),
            retryable: false,
          },
        );
      }
      const { temperature, maxTokens: max_tokens } = request;
      const response = await model.sendRequest(messages, { modelOptions: { temperature, max_tokens } }, source.token);
      let text = '';
      let firstTokenMs: number | undefined;
      const limit = new TokenLimit(model, request.maxTokens);
      for await (const piece of response.text) {
        if (token.isCancellationRequested) break;
        firstTokenMs ??= performance.now() - started;
        text += piece;
        onPiece(piece);
        if (await limit.reached(text)) {
          source.cancel();
          break;
        }
      }
      if (token.isCancellationRequested) throw new vscode.CancellationError();
      const totalMs = performance.now() - started;
      return {
        text,
        backend: 'editor',
        model: id,
        tokens: { prompt, completion: text === '' ? 0 : await model.countTokens(text) },
        finish: limit.isReached ? 'length' : text === '' ? 'refused' : 'stop',
        firstTokenMs: firstTokenMs ?? totalMs,
        totalMs,
      };
    } catch (caught) {
      if (token.isCancellationRequested)
        throw new PeagenError('cancelled', vscode.l10n.t('The question was withdrawn.'), { cause: caught });
      throw explainModelError(caught, model.name);
    } finally {
      withdrawn.dispose();
      source.dispose();
    }
  }

  /** An empty id is the editor's choice. */
  private async find(id: string): Promise<vscode.LanguageModelChat> {
    const models = await this.list();
    const found =
      id === '' ? (models.find((model) => this.isAllowed(model)) ?? models[0]) : models.find((model) => modelId(model) === id);
    if (found !== undefined) return found;
    throw new PeagenError(
      'not_found',
      id === ''
        ? vscode.l10n.t('The editor has no language model.')
        : vscode.l10n.t('The editor has no language model "{0}" any more.', id),
      {
        hint: vscode.l10n.t('Choose another model.'),
      },
    );
  }

  dispose(): void {
    for (const subscription of this.subscriptions) subscription.dispose();
  }
}

/** Editors that share our API may lack this part of it. */
function api(): typeof vscode.lm | undefined {
  const { lm }: { lm?: typeof vscode.lm } = vscode;
  return typeof lm?.selectChatModels === 'function' ? lm : undefined;
}

async function countAll(
  model: vscode.LanguageModelChat,
  messages: readonly vscode.LanguageModelChatMessage[],
  token: vscode.CancellationToken,
): Promise<number> {
  const counts = await Promise.all(messages.map((message) => model.countTokens(message, token)));
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * Ends an answer that a model makes longer than agreed: it may not know `max_tokens`. Counts seldom, since counting is a
 * call.
 */
class TokenLimit {
  private readonly model: vscode.LanguageModelChat;
  private readonly most: number;
  /** A token is hardly ever less than a character, so before this length there is nothing to count. */
  private nextLength: number;
  isReached = false;

  constructor(model: vscode.LanguageModelChat, most: number) {
    this.model = model;
    this.most = most;
    this.nextLength = most;
  }

  async reached(text: string): Promise<boolean> {
    if (text.length < this.nextLength) return false;
    const count = await this.model.countTokens(text);
    this.isReached = count >= this.most;
    this.nextLength = text.length + Math.max(1, this.most - count);
    return this.isReached;
  }
}
