/** The one status bar item: the daemon's health, hidden until there is a daemon. */
import * as vscode from 'vscode';

export interface DaemonHealth {
  readonly health: 'ok' | 'warning' | 'error';
  readonly quiescent: boolean;
  readonly message?: string | undefined;
}

export class StatusItem implements vscode.Disposable {
  readonly #item = vscode.window.createStatusBarItem('peagen.status', vscode.StatusBarAlignment.Left, 10);

  constructor() {
    this.#item.name = 'Peagen';
    this.#item.command = 'peagen.evolution.focus';
  }

  show({ health, quiescent, message }: DaemonHealth): void {
    const icon = { ok: quiescent ? '$(beaker)' : '$(sync~spin)', warning: '$(warning)', error: '$(error)' }[health];
    const state = message ?? (quiescent ? vscode.l10n.t('Ready') : vscode.l10n.t('Evolving'));
    this.#item.text = `${icon} Peagen`;
    this.#item.tooltip = new vscode.MarkdownString(
      `**Peagen** · ${state}\n\n[${vscode.l10n.t('Show daemon log')}](command:peagen.showDaemonLog)`,
    );
    this.#item.tooltip.isTrusted = { enabledCommands: ['peagen.showDaemonLog'] };
    this.#item.accessibilityInformation = { label: `Peagen: ${state}` };
    this.#item.backgroundColor = health === 'ok' ? undefined : new vscode.ThemeColor(`statusBarItem.${health}Background`);
    this.#item.show();
    vscode.commands.executeCommand('setContext', 'peagen.daemonDown', health === 'error');
  }

  dispose(): void {
    this.#item.dispose();
  }
}
