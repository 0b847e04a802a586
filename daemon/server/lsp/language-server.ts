/**
 * The daemon as a plain language server: lenses and actions on functions, commands with progress, diagnostics in
 * `.peagen.toml`. An editor with commands of its own says `{ editorCommands: true }` when it initializes and gets the
 * diagnostics only.
 */
import {
  CodeActionKind,
  type InitializeParams,
  type InitializeResult,
  TextDocumentSyncKind,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import type { Session } from '../connection.ts';
import type { Daemon } from '../server.ts';
import { actionsFor, bestRuns, lensesFor } from './actions.ts';
import { Commands, commandNames } from './commands.ts';
import { configDiagnostics, isConfig } from './config-diagnostics.ts';
import { functionsIn } from './documents.ts';

const Options = z.object({ editorCommands: z.boolean().default(false) }).catch({ editorCommands: false });

export function serveLanguage(session: Session, daemon: Daemon): void {
  const { lsp } = session;
  const documents = new TextDocuments(TextDocument);
  let offersCommands = session.trusted;

  lsp.onInitialize((params: InitializeParams): InitializeResult => {
    offersCommands &&= !Options.parse(params.initializationOptions ?? {}).editorCommands;
    const { workspace, window } = params.capabilities ?? {};
    const commands = new Commands(session, daemon, documents, {
      progress: window?.workDoneProgress === true,
      refresh: workspace?.codeLens?.refreshSupport === true,
    });
    if (offersCommands) {
      lsp.onExecuteCommand((command, token, progress) =>
        answered(command.command, () => commands.execute(command, token, progress)),
      );
    }
    return {
      serverInfo: { name: 'peagen', version: daemon.version },
      capabilities: {
        textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
        ...(offersCommands && {
          codeLensProvider: {},
          codeActionProvider: { codeActionKinds: [CodeActionKind.RefactorRewrite] },
          executeCommandProvider: { commands: [...commandNames], workDoneProgress: true },
        }),
      },
    };
  });

  lsp.onCodeLens(({ textDocument: { uri } }) =>
    answered('textDocument/codeLens', async () => {
      const functions = offersCommands ? await functionsIn(documents.get(uri)) : [];
      return functions.length === 0 ? [] : lensesFor(uri, functions, await bestRuns(daemon, uri));
    }),
  );
  lsp.onCodeAction(({ textDocument: { uri }, range, context }) =>
    answered('textDocument/codeAction', async () => {
      const wanted = context.only?.some((kind) => CodeActionKind.RefactorRewrite.startsWith(kind)) ?? true;
      const functions = offersCommands && wanted ? await functionsIn(documents.get(uri)) : [];
      return functions.length === 0 ? [] : actionsFor(uri, range, functions, await bestRuns(daemon, uri));
    }),
  );

  documents.onDidChangeContent(({ document }) => {
    if (!isConfig(document.uri)) return;
    // A client that has gone needs no diagnostics.
    lsp
      .sendDiagnostics({ uri: document.uri, version: document.version, diagnostics: configDiagnostics(document.getText()) })
      .catch((caught: unknown) => daemon.log.debug(PeagenError.from(caught).line));
  });
  documents.listen(lsp);

  /** Work for a client keeps the daemon alive; what is thrown goes back as data. */
  async function answered<T>(method: string, work: () => Promise<T>): Promise<T> {
    try {
      return await daemon.busyWith(work);
    } catch (caught) {
      throw session.failure(method, caught);
    }
  }
}
