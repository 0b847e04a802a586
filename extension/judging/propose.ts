/** Inputs that a language model proposes, shown with what the original did on them; the user chooses which of them count. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { asWritten } from '../../shared/judging.ts';
import { PlanProposal, type ProposedCall, ProposeInputs } from '../../shared/protocol/judging.ts';
import { warnOf } from '../commands/errors.ts';
import type { Selected } from '../commands/selection/selection.ts';
import { confirmSpend, spendInWords } from '../dialogue/spend.ts';
import { BACK, pickMany, type StepAnswer, whileBusy } from '../dialogue/steps.ts';
import { pickModel } from '../models/pick.ts';
import type { Peagen } from '../peagen.ts';
import { settings } from '../settings.ts';
import { callText } from './call-text.ts';
import type { Judging } from './remembered.ts';

export async function proposeInputs(peagen: Peagen, { client, target, name, uri }: Selected): Promise<StepAnswer<Judging>> {
  const backend = await backendFor(peagen, client, uri);
  if (backend === BACK || backend === undefined) return BACK;
  const request = { target, ...(backend === '' ? {} : { backend }) };
  const worst = await client.request(PlanProposal, request);
  const message = vscode.l10n.t('Proposing inputs of {0} may use up to {1}.', name, spendInWords(worst));
  if (!(await confirmSpend({ message, worst, expected: { candidates: 0, ...worst.expected } }))) return BACK;
  const asking = vscode.l10n.t('Asking for inputs of {0}…', name);
  const { proposals, dropped } = await whileBusy(asking, (token) => client.request(ProposeInputs, request, token));
  for (const { text, reason } of dropped) peagen.log.info(`A proposed input is no use (${reason}): ${text}`);
  if (proposals.length === 0) {
    const none = vscode.l10n.t('The model proposed no input that {0} takes.', name);
    warnOf(peagen, new PeagenError('backend_failed', none));
    return BACK;
  }
  const picked = await pickMany({
    title: vscode.l10n.t('Inputs of {0}', name),
    placeholder: vscode.l10n.t('Which calls should be used? The results of the original count as correct.'),
    back: true,
    items: proposals.map((proposal) => ({ ...itemOf(proposal), picked: proposal.raised === undefined, call: proposal.call })),
  });
  if (picked === BACK || picked === undefined) return picked;
  return { kind: 'typed', text: JSON.stringify(picked.map(({ call }) => asWritten(call))) };
}

/** The model that makes candidates answers this too; empty: the configuration's default. */
async function backendFor(peagen: Peagen, client: Selected['client'], uri: vscode.Uri): Promise<StepAnswer<string>> {
  const { chosen } = await peagen.models();
  if (chosen.model?.kind === 'model') return chosen.model.name;
  const { backend } = settings(uri);
  if (backend !== undefined) return backend;
  const choice = await pickModel(peagen, client, { back: true, needed: vscode.l10n.t('Which model proposes inputs?') });
  if (choice === BACK || choice === undefined) return choice;
  return choice.kind === 'model' ? choice.name : BACK;
}

function itemOf({ call, why, returned, raised, ms }: ProposedCall): vscode.QuickPickItem {
  const args = callText(call);
  const came = raised === undefined ? `→ ${returned ?? ''}` : vscode.l10n.t('raises {0}', raised);
  return {
    label: args.length > 80 ? `${args.slice(0, 80)}…` : args,
    description: came,
    detail: `${why} · ${ms.toFixed(1)} ms`,
  };
}
