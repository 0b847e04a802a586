/**
 * A test's own provider of language models, through the same API as any other: one that answers with a change of `bad_sort`, and
 * some that fail as real ones do. Writes what was asked of it to the file that PEAGEN_TEST_MODELS names, a line each.
 */
import { appendFileSync } from 'node:fs';
import * as vscode from 'vscode';

/** The part of the API that is younger than the oldest editor we support, and than its types. */
interface Provider {
  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;
  provideLanguageModelChatInformation(): Promise<{ id: string }[]>;
  provideLanguageModelChatResponse(
    model: { id: string },
    messages: readonly { content: readonly unknown[] }[],
    options: unknown,
    progress: vscode.Progress<vscode.LanguageModelTextPart>,
    token: vscode.CancellationToken,
  ): Promise<void>;
  provideTokenCount(model: unknown, text: string | { content: readonly unknown[] }): Promise<number>;
}
/** Whatever is asked, so that each question comes to a proposal. */
const CHANGE = `Change: one round is enough

<<<<<<< SEARCH
    rounds = 2
=======
    rounds = 1
>>>>>>> REPLACE
`;

type Register = (vendor: string, provider: Provider) => vscode.Disposable;

const names: Record<string, string> = {
  corpus: 'Corpus',
  forbidden: 'Forbidden',
  exhausted: 'Exhausted',
  silent: 'Silent',
};

export function activate(context: vscode.ExtensionContext): void {
  const register: Register | undefined = Reflect.get(vscode.lm, 'registerLanguageModelChatProvider');
  if (register === undefined) throw new Error('This VS Code cannot take a provider of language models.');
  const changed = new vscode.EventEmitter<void>();
  let offered = ['corpus', 'forbidden', 'exhausted', 'silent'];
  const provider: Provider = {
    onDidChangeLanguageModelChatInformation: changed.event,
    async provideLanguageModelChatInformation() {
      return offered.map((id) => ({
        id,
        name: names[id] ?? id,
        family: 'test',
        version: '1',
        maxInputTokens: 100_000,
        maxOutputTokens: 8000,
        capabilities: {},
      }));
    },
    async provideLanguageModelChatResponse({ id }, _messages, _options, progress, token) {
      note(`asked ${id}`);
      if (id === 'forbidden') throw vscode.LanguageModelError.NoPermissions('the user has not agreed');
      if (id === 'exhausted') throw vscode.LanguageModelError.Blocked('the monthly quota is used up');
      if (id === 'silent') return await withdrawn(token);
      for (let at = 0; at < CHANGE.length; at += 40) progress.report(new vscode.LanguageModelTextPart(CHANGE.slice(at, at + 40)));
    },
    async provideTokenCount(_model, text) {
      return Math.ceil((typeof text === 'string' ? text : textOf(text)).length / 4);
    },
  };
  context.subscriptions.push(
    register('peagen-test', provider),
    vscode.commands.registerCommand('peagen-test.withdraw', () => {
      offered = ['silent'];
      changed.fire();
    }),
  );
}

function textOf({ content }: { content: readonly unknown[] }): string {
  return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}

function withdrawn(token: vscode.CancellationToken): Promise<void> {
  return new Promise((resolve) => {
    token.onCancellationRequested(() => {
      note('cancelled silent');
      resolve();
    });
  });
}

function note(line: string): void {
  const file = process.env['PEAGEN_TEST_MODELS'];
  if (file !== undefined) appendFileSync(file, `${line}\n`);
}
