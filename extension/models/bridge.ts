/** Passes on the daemon's questions to the editor's models over one connection, and keeps its list of them up to date. */
import * as vscode from 'vscode';
import { type LanguageClient, ResponseError } from 'vscode-languageclient/node';
import { errorTable, PeagenError } from '../../shared/errors.ts';
import { AnswerPiece, AskModel, OfferModels } from '../../shared/protocol/models.ts';
import type { Peagen } from '../peagen.ts';
import type { LanguageModels } from './editor-models.ts';

/** Call before the client starts. Dispose of the answer when the connection has ended. */
export function serveModels(
  peagen: Peagen,
  models: LanguageModels,
  client: LanguageClient,
): { offer(): Promise<void> } & vscode.Disposable {
  client.onRequest(AskModel.method, async (params: unknown, token: vscode.CancellationToken) => {
    try {
      const question = AskModel.params.parse(params);
      let sent: Promise<void> = Promise.resolve();
      const send = (text: string) => {
        sent = sent.then(() => client.sendNotification(AnswerPiece.method, { ask: question.ask, text }));
      };
      const answer = await models.ask(question, send, token);
      // The answer must not overtake its pieces.
      await sent;
      modelProblem.forget(question.model);
      return answer;
    } catch (caught) {
      const error = PeagenError.from(caught);
      modelProblem.tell(peagen, error, AskModel.params.safeParse(params).data?.model ?? '');
      throw new ResponseError(errorTable[error.code].rpc, error.line, error.toJSON());
    }
  });
  const offer = async () => client.sendNotification(OfferModels.method, { models: await models.offered() });
  const changed = models.onDidChange(() => {
    offer().catch((caught: unknown) => peagen.log.debug(`Offering models: ${String(caught)}`));
  });
  return { offer, dispose: () => changed.dispose() };
}

/** A model that cannot be asked is reported once, not for every candidate, and again only after it has answered. */
const modelProblem = {
  told: new Set<string>(),
  forget(model: string) {
    for (const key of this.told) if (key.startsWith(`${model}\n`)) this.told.delete(key);
  },
  tell(peagen: Peagen, error: PeagenError, model: string) {
    const key = `${model}\n${error.code}`;
    if (error.code === 'cancelled' || this.told.has(key)) return;
    this.told.add(key);
    peagen.log.warn(error.line);
    void showProblem(error, model);
  },
};

/** The button is the user's action from which consent may be asked. */
async function showProblem(error: PeagenError, model: string): Promise<void> {
  const allow = vscode.l10n.t('Allow…');
  const choose = vscode.l10n.t('Choose Model…');
  const actions = error.code === 'untrusted' ? [allow, choose] : [choose];
  const answer = await vscode.window.showWarningMessage(error.line, ...actions);
  if (answer === allow) await vscode.commands.executeCommand('peagen.allowModel', model);
  if (answer === choose) await vscode.commands.executeCommand('peagen.chooseModel');
}
