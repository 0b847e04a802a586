/** Help in payload files and templates. Registered at activation; nothing is loaded before such a file is open. */
import * as vscode from 'vscode';
import type { Peagen } from '../peagen.ts';

/** Between a change and the look at it. */
const PAUSE_MS = 300;

export function registerRenderHelp(peagen: Peagen): vscode.Disposable[] {
  const faults = vscode.languages.createDiagnosticCollection('peagen-render');
  const timers = new Map<string, NodeJS.Timeout>();
  const check = (document: vscode.TextDocument) => {
    const key = document.uri.toString();
    clearTimeout(timers.get(key));
    if (!isChecked(document)) return faults.delete(document.uri);
    const look = async () => {
      timers.delete(key);
      const { version } = document;
      const found = await (await import('../late.ts')).checkOpen(peagen, document);
      if (!document.isClosed && document.version === version) faults.set(document.uri, found);
    };
    const failed = (caught: unknown) => peagen.log.warn(`${document.uri.fsPath} could not be checked: ${String(caught)}`);
    timers.set(
      key,
      setTimeout(() => look().catch(failed), PAUSE_MS),
    );
  };
  for (const document of vscode.workspace.textDocuments) check(document);
  const files: vscode.DocumentSelector = ['yaml', 'yml', 'j2'].map((end) => ({ scheme: 'file', pattern: `**/*.${end}` }));
  return [
    faults,
    vscode.workspace.onDidOpenTextDocument(check),
    vscode.workspace.onDidChangeTextDocument(({ document }) => check(document)),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => faults.delete(uri)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => vscode.workspace.textDocuments.forEach(check)),
    vscode.languages.registerCompletionItemProvider(
      files,
      {
        provideCompletionItems: async (document, position, token) =>
          isHelped(document) ? (await import('../late.ts')).complete(peagen, document, position, token) : undefined,
      },
      '.',
      ' ',
    ),
    vscode.languages.registerHoverProvider([{ scheme: 'file', pattern: '**/*.j2' }], {
      provideHover: async (document, position, token) =>
        vscode.workspace.isTrusted ? (await import('../late.ts')).hover(peagen, document, position, token) : undefined,
    }),
    {
      dispose: () => {
        for (const timer of timers.values()) clearTimeout(timer);
      },
    },
  ];
}

function isHelped(document: vscode.TextDocument): boolean {
  return vscode.workspace.isTrusted && (document.uri.path.endsWith('.j2') || isPayload(document));
}

function isChecked(document: vscode.TextDocument): boolean {
  if (document.uri.scheme !== 'file' || !vscode.workspace.isTrusted) return false;
  return document.uri.path.endsWith('/ptree.yaml.j2') || isPayload(document);
}

function isPayload(document: vscode.TextDocument): boolean {
  const { scheme, path } = document.uri;
  return scheme === 'file' && /\.(?:ya?ml|json)$/.test(path) && /^\s*["']?PROJECTS["']?\s*:/m.test(document.getText());
}
