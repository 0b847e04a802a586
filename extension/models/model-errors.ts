/** What the editor says when one of its models cannot be asked, in our terms and with what to do about it. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';

/** The codes are names of the constructors of `LanguageModelError`. */
export function explainModelError(caught: unknown, model: string): PeagenError {
  if (caught instanceof PeagenError) return caught;
  if (caught instanceof vscode.CancellationError)
    return new PeagenError('cancelled', vscode.l10n.t('The question was withdrawn.'));
  const text = (caught instanceof Error ? caught.message : String(caught)).trim();
  const said = /[.!?]$/.test(text) ? text : `${text}.`;
  const code = caught instanceof vscode.LanguageModelError ? caught.code : '';
  switch (code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return new PeagenError('untrusted', vscode.l10n.t('Peagen may not use {0}: {1}', model, said), {
        hint: vscode.l10n.t('Allow it, or choose another model.'),
        cause: caught,
      });
    case vscode.LanguageModelError.Blocked.name:
      return new PeagenError('budget_exceeded', vscode.l10n.t('{0} is no longer responding: {1}', model, said), {
        hint: vscode.l10n.t('Its quota may be used up. Wait until it is renewed, or choose another model.'),
        cause: caught,
      });
    case vscode.LanguageModelError.NotFound.name:
      return new PeagenError('not_found', vscode.l10n.t('{0} is not there any more: {1}', model, said), {
        hint: vscode.l10n.t('Choose another model.'),
        cause: caught,
      });
    default:
      return new PeagenError('backend_failed', vscode.l10n.t('{0} failed: {1}', model, said), {
        hint: vscode.l10n.t('Try again, or choose another model.'),
        cause: caught,
      });
  }
}
