/** What the daemon knows of payload files and templates, in the editor's terms. */
import * as vscode from 'vscode';
import {
  CheckRenderFile,
  CompleteRenderFile,
  type RenderCompletion,
  type RenderFault,
  ShowTemplateValue,
} from '../../shared/protocol/render.ts';
import type { Peagen } from '../peagen.ts';
import { rootOf } from '../roots.ts';

const kinds: Record<RenderCompletion['kind'], vscode.CompletionItemKind> = {
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.Value,
  file: vscode.CompletionItemKind.File,
  variable: vscode.CompletionItemKind.Variable,
};

export async function checkOpen(peagen: Peagen, document: vscode.TextDocument): Promise<vscode.Diagnostic[]> {
  const client = await peagen.daemon(rootOf(document.uri).root);
  const { faults } = await client.request(CheckRenderFile, { path: document.uri.fsPath, text: document.getText() });
  return faults.map(diagnosticOf);
}

function diagnosticOf({ start, end, severity, message }: RenderFault): vscode.Diagnostic {
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  const diagnostic = new vscode.Diagnostic(range, message, severity === 'error' ? error : warning);
  diagnostic.source = 'peagen';
  return diagnostic;
}

export async function complete(
  peagen: Peagen,
  document: vscode.TextDocument,
  position: vscode.Position,
  token: vscode.CancellationToken,
): Promise<vscode.CompletionItem[]> {
  const client = await peagen.daemon(rootOf(document.uri).root);
  const { items } = await client.request(CompleteRenderFile, placeIn(document, position), token);
  return items.map(({ label, kind, detail, insert }) => {
    const item = new vscode.CompletionItem(label, kinds[kind]);
    item.detail = detail;
    item.insertText = insert;
    return item;
  });
}

export async function hover(
  peagen: Peagen,
  document: vscode.TextDocument,
  position: vscode.Position,
  token: vscode.CancellationToken,
): Promise<vscode.Hover | undefined> {
  const client = await peagen.daemon(rootOf(document.uri).root);
  const found = await client.request(ShowTemplateValue, placeIn(document, position), token);
  if (found === null) return undefined;
  const payload = vscode.workspace.asRelativePath(found.payload);
  const text = new vscode.MarkdownString();
  if (found.values.length === 0) text.appendText(vscode.l10n.t('{0} is not defined with {1}.', found.expression, payload));
  else {
    text.appendText(vscode.l10n.t('{0} with {1}:', found.expression, payload));
    text.appendCodeblock([...found.values, ...(found.more > 0 ? ['…'] : [])].join('\n'), 'json');
  }
  return new vscode.Hover(text, new vscode.Range(position.line, found.start, position.line, found.end));
}

function placeIn(document: vscode.TextDocument, { line, character }: vscode.Position) {
  return { path: document.uri.fsPath, text: document.getText(), position: { line, character } };
}
