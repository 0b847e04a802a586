/** What the editor says when one of its models cannot be asked, in our terms and with what to do about it. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';

/** The codes are names of the constructors of `LanguageModelError`. */
export function explainModelError(caught: unknown, model: string): PeagenError {
  if (caught instanceof PeagenError) return caught;
  if (caught instanceof vscode.CancellationError) return new PeagenError('cancelled', 'The question was withdrawn.');
  const text = (caught instanceof Error ? caught.message : String(caught)).trim();
  const said = /[.!?]$/.test(text) ? text : `${text}.`;
  const code = caught instanceof vscode.LanguageModelError ? caught.code : '';
  switch (code) {
    case vscode.LanguageModelError.NoPermissions.name:
      return new PeagenError('untrusted', `Peagen may not use ${model}: ${said}`, {
        hint: 'Allow it, or choose another model.',
        cause: caught,
      });
    case vscode.LanguageModelError.Blocked.name:
      return new PeagenError('budget_exceeded', `${model} answers no more: ${said}`, {
        hint: 'Its quota may be used up. Wait until it is renewed, or choose another model.',
        cause: caught,
      });
    case vscode.LanguageModelError.NotFound.name:
      return new PeagenError('not_found', `${model} is not there any more: ${said}`, {
        hint: 'Choose another model.',
        cause: caught,
      });
    default:
      return new PeagenError('backend_failed', `${model} failed: ${said}`, {
        hint: 'Try again, or choose another model.',
        cause: caught,
      });
  }
}
