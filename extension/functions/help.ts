/**
 * What the editor offers at functions: a lens above each that a run has looked at, and actions on any. Loads nothing and
 * starts no daemon for a workspace without runs, or for a cursor that merely moves.
 */
import * as vscode from 'vscode';
import type { Peagen } from '../peagen.ts';
import { rootOf } from '../roots.ts';
import type { WindowRun } from '../runs/runs.ts';

const languages = ['python', 'javascript', 'javascriptreact', 'typescript', 'typescriptreact'];

export function registerFunctionHelp(peagen: Peagen): vscode.Disposable[] {
  const selector = languages.map((language) => ({ scheme: 'file', language }));
  const lenses = new FunctionLenses(peagen);
  return [
    lenses,
    vscode.languages.registerCodeLensProvider(selector, lenses),
    vscode.languages.registerCodeActionsProvider(selector, new FunctionActions(peagen), {
      providedCodeActionKinds: [vscode.CodeActionKind.RefactorRewrite],
    }),
  ];
}

/** A run says something many times a second; a lens is drawn again at most this often. */
const REDRAW_MS = 1000;

class FunctionLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly peagen: Peagen;
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly subscription: vscode.Disposable;
  /** What the lenses of each document say and do, as last given to the editor. */
  private readonly given = new WeakMap<vscode.TextDocument, string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(peagen: Peagen) {
    this.peagen = peagen;
    this.subscription = peagen.runs.onDidChange(() => this.soon());
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.refresh().catch((caught) => this.peagen.log.error(`Lenses of functions: ${String(caught)}`));
    }, REDRAW_MS);
  }

  /** The editor draws all lenses of all documents again when asked to: only if the text of one of them has changed. */
  private async refresh(): Promise<void> {
    const documents = new Set(vscode.window.visibleTextEditors.map(({ document }) => document));
    for (const document of documents) {
      // Lenses of a proposal hold still for a hand that is on its way to them; its end draws all of them again.
      if (document.uri.scheme !== 'file' || this.peagen.underReview(document.uri)) continue;
      // Without any where they could not be made when the editor asked.
      const given = this.given.get(document) ?? contentOf([]);
      if (contentOf(await this.lensesIn(document)) !== given) return this.changed.fire();
    }
  }

  async provideCodeLenses(document: vscode.TextDocument, token: vscode.CancellationToken): Promise<vscode.CodeLens[]> {
    const lenses = await this.lensesIn(document);
    // What the editor does not wait for any more is not shown.
    if (!token.isCancellationRequested) this.given.set(document, contentOf(lenses));
    return lenses;
  }

  private async lensesIn(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    const runs = await this.runsToShow(document);
    if (runs.size === 0) return [];
    const { functionsIn, lensesOf } = await import('../late.ts');
    const lenses: vscode.CodeLens[] = [];
    for (const info of await functionsIn(this.peagen, document)) {
      const run = runs.get(info.name);
      if (run !== undefined) lenses.push(...(await lensesOf(this.peagen, document, info, run)));
    }
    return lenses;
  }

  /** The run to show above each function of the file, by its name: a live one, else the newest with a result, else the newest. */
  private async runsToShow(document: vscode.TextDocument): Promise<Map<string, WindowRun>> {
    const { root, path } = rootOf(document.uri);
    const found = new Map<string, WindowRun>();
    if (!vscode.workspace.isTrusted || !(await hasRuns(root))) return found;
    await this.peagen.runs.refresh();
    for (const run of this.peagen.runs.list()) {
      const { entry_fn: fn, path: target } = run.info.target;
      if (fn === undefined || target !== path || run.root.toString() !== root.toString()) continue;
      const known = found.get(fn);
      if (known === undefined || (hasFailed(known) && run.info.ending?.best)) found.set(fn, run);
    }
    return found;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.subscription.dispose();
    this.changed.dispose();
  }
}

/** It has ended, and has found nothing. */
function hasFailed({ info }: WindowRun): boolean {
  return info.state === 'finished' && !info.ending?.best;
}

function contentOf(lenses: readonly vscode.CodeLens[]): string {
  return JSON.stringify(lenses.map(({ range, command }) => [range.start.line, command?.title, command?.arguments]));
}

async function hasRuns(root: vscode.Uri): Promise<boolean> {
  return await vscode.workspace.fs.stat(vscode.Uri.joinPath(root, '.peagen', 'runs')).then(
    () => true,
    () => false,
  );
}

class FunctionActions implements vscode.CodeActionProvider {
  private readonly peagen: Peagen;

  constructor(peagen: Peagen) {
    this.peagen = peagen;
  }

  async provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    { triggerKind, only }: vscode.CodeActionContext,
  ): Promise<vscode.CodeAction[]> {
    if (only !== undefined && !only.contains(vscode.CodeActionKind.RefactorRewrite)) return [];
    const asked = triggerKind === vscode.CodeActionTriggerKind.Invoke;
    if (!vscode.workspace.isTrusted || !(asked || this.peagen.isConnected(rootOf(document.uri).root))) return [];
    const { functionAt } = await import('../late.ts');
    // A light bulb on every line would be noise.
    const name = await functionAt(this.peagen, document, range, { signatureOnly: !asked });
    if (name === undefined) return [];
    const action = (title: string, command: string) => {
      const made = new vscode.CodeAction(title, vscode.CodeActionKind.RefactorRewrite);
      made.command = { title, command, arguments: [{ uri: document.uri.toString(), fn: name }] };
      return made;
    };
    return [
      action(vscode.l10n.t('Evolve {0} with Peagen…', name), 'peagen.evolveSelection'),
      action(vscode.l10n.t('Mutate {0} once with Peagen', name), 'peagen.mutateSelection'),
    ];
  }
}
