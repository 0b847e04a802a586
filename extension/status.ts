/** The one status bar item: the daemon's health, hidden until there is a daemon. */
import * as vscode from 'vscode';

interface DaemonHealth {
  readonly health: 'ok' | 'warning' | 'error';
  readonly quiescent: boolean;
  readonly message?: string | undefined;
}

export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('peagen.status', vscode.StatusBarAlignment.Left, 10);

  private last: DaemonHealth | undefined;
  private cluster: string | undefined;

  constructor() {
    this.item.name = 'Peagen';
    this.item.command = 'peagen.evolution.focus';
  }

  /** Where work goes: a cluster's `host:port`, or undefined for this machine. */
  workAt(cluster: string | undefined): void {
    this.cluster = cluster;
    if (this.last !== undefined) this.show(this.last);
  }

  show(daemon: DaemonHealth): void {
    this.last = daemon;
    const { health, quiescent, message } = daemon;
    const icon = { ok: quiescent ? '$(beaker)' : '$(sync~spin)', warning: '$(warning)', error: '$(error)' }[health];
    const state = message ?? (quiescent ? vscode.l10n.t('Ready') : vscode.l10n.t('Evolving'));
    const cluster = this.cluster;
    this.item.text = cluster === undefined ? `${icon} Peagen` : `${icon} Peagen · ${cluster}`;
    const place =
      cluster === undefined
        ? vscode.l10n.t('new runs use this machine')
        : vscode.l10n.t('new runs use the cluster at {0}', cluster);
    const ways = [
      `[${vscode.l10n.t('Show daemon log')}](command:peagen.showDaemonLog)`,
      `[${vscode.l10n.t('Connect to a cluster')}](command:peagen.connectCluster)`,
      ...(cluster === undefined ? [] : [`[${vscode.l10n.t('Work locally')}](command:peagen.workLocally)`]),
    ];
    this.item.tooltip = new vscode.MarkdownString(`**Peagen** · ${state} · ${place}\n\n${ways.join(' · ')}`);
    this.item.tooltip.isTrusted = {
      enabledCommands: ['peagen.showDaemonLog', 'peagen.connectCluster', 'peagen.workLocally'],
    };
    this.item.accessibilityInformation = { label: `Peagen: ${state}, ${place}` };
    this.item.backgroundColor = health === 'ok' ? undefined : new vscode.ThemeColor(`statusBarItem.${health}Background`);
    this.item.show();
    vscode.commands.executeCommand('setContext', 'peagen.daemonDown', health === 'error');
  }

  dispose(): void {
    this.item.dispose();
  }
}
