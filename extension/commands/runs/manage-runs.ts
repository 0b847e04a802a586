/** Peagen: Delete Run, Remove Old Runs, Rename Run, Compare Runs and Create Git Branch: what a user does with runs that are over. */
import * as vscode from 'vscode';
import type { Elite } from '../../../shared/niche.ts';
import { CollectRuns } from '../../../shared/protocol/collect.ts';
import { ExportToGit } from '../../../shared/protocol/export.ts';
import { DeleteRun } from '../../../shared/protocol/runs.ts';
import type { Peagen } from '../../peagen.ts';
import type { WindowRun } from '../../runs/runs.ts';
import { settings } from '../../settings.ts';
import { byCount, figure, runName, speedIn } from '../../words.ts';
import { compareElites } from '../candidates/compare-elites.ts';
import { outcomeOf, pickRun } from './pick-run.ts';

const OVER = ['finished', 'interrupted'] as const;

/** Asks first: its record is removed from the disk. */
export async function deleteRun(peagen: Peagen, node?: unknown): Promise<void> {
  const run = await pickRun(peagen, node, OVER, 'delete');
  if (run === undefined) return;
  const { candidates } = run.info;
  const remove = vscode.l10n.t('Delete');
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t('Delete the run on {0}?', runName(run)),
    {
      modal: true,
      detail: byCount(
        candidates,
        vscode.l10n.t('Its {0} candidate and its result are removed for good. Your files stay as they are.', candidates),
        vscode.l10n.t('Its {0} candidates and its result are removed for good. Your files stay as they are.', candidates),
      ),
    },
    remove,
  );
  if (answer !== remove) return;
  const client = await peagen.daemon(run.root);
  await client.request(DeleteRun, { run: run.info.run });
  await peagen.runs.refresh(true);
  peagen.redraw();
}

/** Removes all but the newest of each folder; says before how many these are, and how much room that makes. */
export async function removeOldRuns(peagen: Peagen): Promise<void> {
  const roots = new Map(peagen.runs.list().map(({ root }) => [root.toString(), root]));
  const plans = await Promise.all(
    [...roots.values()].map(async (root) => {
      const client = await peagen.daemon(root);
      const retention = { keep: settings(root).keepRuns, keep_ms: 0 };
      return { client, retention, found: await client.request(CollectRuns, { ...retention, dry_run: true }) };
    }),
  );
  const old = plans.filter(({ found }) => found.removed.length > 0);
  const count = old.reduce((sum, { found }) => sum + found.removed.length, 0);
  const kept = plans.reduce((sum, { found }) => sum + found.kept, 0);
  if (count === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no old run to remove: {0} runs are kept.', kept));
    return;
  }
  const megabytes = old.reduce((sum, { found }) => sum + found.bytes, 0) / 1024 ** 2;
  const remove = vscode.l10n.t('Remove');
  const answer = await vscode.window.showWarningMessage(
    byCount(count, vscode.l10n.t('Remove {0} old run?', count), vscode.l10n.t('Remove {0} old runs?', count)),
    {
      modal: true,
      detail: vscode.l10n.t(
        'This frees {0} MB. The newest runs stay ({1}), and so do your files. The setting peagen.keepRuns says how many stay.',
        figure(megabytes, { decimals: 1 }),
        kept,
      ),
    },
    remove,
  );
  if (answer !== remove) return;
  for (const { client, retention } of old) await client.request(CollectRuns, { ...retention, dry_run: false });
  await peagen.runs.refresh(true);
  peagen.redraw();
}

export async function renameRun(peagen: Peagen, node?: unknown): Promise<void> {
  const run = await pickRun(peagen, node, ['running', 'paused', ...OVER], 'rename');
  if (run === undefined) return;
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t('Name of the run'),
    prompt: vscode.l10n.t('Shown in this window. Leave it empty to use the name of the function.'),
    value: run.name ?? '',
  });
  if (name === undefined) return;
  await peagen.runs.rename(run.info.run, name.trim());
  peagen.redraw();
}

/** The best of two runs on the same function, side by side. */
export async function compareRuns(peagen: Peagen, node?: unknown): Promise<void> {
  const one = await pickRun(peagen, node, ['running', 'paused', ...OVER], 'compare');
  if (one === undefined) return;
  const { path, entry_fn: fn } = one.info.target;
  const others = peagen.runs
    .list()
    .filter(({ info }) => info.run !== one.info.run && info.target.path === path && info.target.entry_fn === fn);
  if (others.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t('There is no other run on {0} to compare with.', runName(one)));
    return;
  }
  const items = others.map((run) => ({ label: runName(run), ...outcomeOf(run), run }));
  const pick = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Compare with which run?') });
  if (pick === undefined) return;
  const bests = await Promise.all([one, pick.run].map((run) => bestOf(peagen, run)));
  const nodes = bests.flatMap((best) => (best === undefined ? [] : [best]));
  if (nodes.length < 2) {
    void vscode.window.showInformationMessage(vscode.l10n.t('One of the runs has no candidate yet.'));
    return;
  }
  const [left, right] = nodes;
  if (left !== undefined && left.elite.sha256 === right?.elite.sha256) {
    const gains = [one, pick.run].map(({ info }) => speedIn(info, left.elite));
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Both runs found the same program. It was measured as {0} and as {1}.', gains[0] ?? '', gains[1] ?? ''),
    );
    return;
  }
  await compareElites(peagen, left, nodes);
}

async function bestOf(peagen: Peagen, { info }: WindowRun): Promise<{ kind: 'elite'; run: string; elite: Elite } | undefined> {
  const elites = await peagen.runs.elites(info.run);
  const announced = info.ending?.best?.sha256;
  const elite = elites.find(({ sha256 }) => sha256 === announced) ?? elites[0];
  return elite === undefined ? undefined : { kind: 'elite', run: info.run, elite };
}

/** The steps to the announced best as commits of a branch; nothing that is checked out changes. */
export async function exportToGit(peagen: Peagen, node?: unknown): Promise<void> {
  const run = await pickRun(peagen, node, ['finished'], 'export');
  if (run === undefined) return;
  const client = await peagen.daemon(run.root);
  const at = { run: run.info.run };
  const { branch, commits } = await client.request(ExportToGit, { ...at, preview: true });
  const create = vscode.l10n.t('Create Branch');
  const answer = await vscode.window.showInformationMessage(
    byCount(
      commits.length,
      vscode.l10n.t('Create the branch {0} with {1} commit?', branch, commits.length),
      vscode.l10n.t('Create the branch {0} with {1} commits?', branch, commits.length),
    ),
    {
      modal: true,
      detail: [...commits.map(({ summary }) => summary), vscode.l10n.t('The files that are checked out stay as they are.')].join(
        '\n',
      ),
    },
    create,
  );
  if (answer !== create) return;
  const made = await client.request(ExportToGit, { ...at, preview: false });
  const copy = vscode.l10n.t('Copy Name');
  const next = await vscode.window.showInformationMessage(vscode.l10n.t('Created the branch {0}.', made.branch), copy);
  if (next === copy) await vscode.env.clipboard.writeText(made.branch);
}
