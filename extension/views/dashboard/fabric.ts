/** What the daemons of this window say of their workers, tokens and alerts. Alerts reach a user once. */
import * as vscode from 'vscode';
import type { Alert, FabricState } from '../../../shared/protocol/watch.ts';

export class Fabric implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<{ root: vscode.Uri; state: FabricState }>();
  readonly onDidChange = this.changed.event;
  /** Told already, until they are withdrawn. */
  private readonly told = new Map<string, ReadonlySet<string>>();

  hear(root: vscode.Uri, state: FabricState): void {
    this.changed.fire({ root, state });
  }

  /** All alerts of a folder's daemon. */
  async alerted(root: vscode.Uri, alerts: readonly Alert[]): Promise<void> {
    const told = this.told.get(root.toString()) ?? new Set();
    this.told.set(root.toString(), new Set(alerts.map(({ id }) => id)));
    for (const { id, severity, summary, fix } of alerts) {
      if (told.has(id) || severity === 'info') continue;
      const show = severity === 'critical' ? vscode.window.showErrorMessage : vscode.window.showWarningMessage;
      const open = await show(vscode.l10n.t('Peagen: {0}. {1}', summary, fix), vscode.l10n.t('Open Dashboard'));
      if (open !== undefined) await vscode.commands.executeCommand('peagen.openDashboard');
    }
  }

  dispose(): void {
    this.changed.dispose();
  }
}
