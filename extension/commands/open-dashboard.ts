/** Peagen: Open Dashboard. One for the window; called on a run, it shows that one. */
import * as vscode from 'vscode';
import * as z from 'zod';
import { RunId } from '../../shared/ids.ts';
import type { Peagen } from '../peagen.ts';
import { DashboardPanel } from '../views/dashboard/panel.ts';
import { isNode } from '../views/nodes.ts';

const Remembered = z.object({ run: RunId.optional() });
const VIEW = 'peagen.dashboard';
const open = new WeakMap<Peagen, DashboardPanel>();

export async function openDashboard(peagen: Peagen, node?: unknown): Promise<void> {
  const run = isNode(node) ? node.run : undefined;
  const known = open.get(peagen);
  if (known !== undefined) {
    known.reveal();
    if (run !== undefined) await known.show(run);
    return;
  }
  const panel = vscode.window.createWebviewPanel(VIEW, vscode.l10n.t('Peagen Dashboard'), vscode.ViewColumn.Active);
  keep(peagen, panel).begin(run);
}

/** The tab that was open before the window was loaded again, with what its page remembers. */
export async function restoreDashboard(peagen: Peagen, panel: vscode.WebviewPanel, state: unknown): Promise<void> {
  keep(peagen, panel).begin(Remembered.safeParse(state).data?.run);
}

function keep(peagen: Peagen, panel: vscode.WebviewPanel): DashboardPanel {
  const dashboard = new DashboardPanel(peagen, panel);
  open.set(peagen, dashboard);
  panel.onDidDispose(() => open.delete(peagen));
  return dashboard;
}
