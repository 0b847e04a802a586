/** Peagen: Report Issue. Shows the diagnostics that would be sent, with everything private taken out, before anything is sent. */
import { readdir, readFile } from 'node:fs/promises';
import { homedir, hostname, release, userInfo } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { DaemonStatus } from '../../shared/protocol/session.ts';
import type { Peagen } from '../peagen.ts';
import { workspaceRoots } from '../roots.ts';
import { redact } from './redact.ts';

const LOG_LINES = 60;

export async function reportIssue(peagen: Peagen): Promise<void> {
  const body = await diagnostics(peagen);
  const document = await vscode.workspace.openTextDocument({ language: 'markdown', content: body });
  await vscode.window.showTextDocument(document, { preview: true });
  const report = vscode.l10n.t('Open Issue Reporter');
  const copy = vscode.l10n.t('Copy');
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t('This is all that goes with an issue. Keys, paths and names are taken out; edit it as you like.'),
    report,
    copy,
  );
  if (answer === copy) await vscode.env.clipboard.writeText(document.getText());
  if (answer === report) {
    const extensionId = peagen.extension.extension.id;
    await vscode.commands.executeCommand('workbench.action.openIssueReporter', { extensionId, issueBody: document.getText() });
  }
}

async function diagnostics(peagen: Peagen): Promise<string> {
  const roots = workspaceRoots();
  const { version } = peagen.extension.extension.packageJSON as { version: string };
  // The kind of remote; where the editor gives its address instead, that is private.
  const { remoteName } = vscode.env;
  const remote = remoteName === undefined || /^[a-z-]+$/.test(remoteName) ? remoteName : 'of another kind';
  const text = [
    `## ${vscode.l10n.t('What happened, and what you expected')}`,
    '',
    '',
    '## Versions',
    '',
    `- Peagen ${version}`,
    `- ${vscode.env.appName} ${vscode.version}, ${vscode.env.uiKind === vscode.UIKind.Web ? 'web' : 'desktop'}${remote === undefined ? '' : `, remote ${remote}`}`,
    `- Node ${process.versions.node}, ${process.platform} ${process.arch} ${release()}`,
    `- ${roots.length} folders, ${vscode.workspace.isTrusted ? 'trusted' : 'not trusted'}`,
    `- Settings that are set: ${changedSettings().join(', ') || 'none'}`,
    '',
    '## Daemons',
    '',
    ...(await Promise.all(roots.map((root, index) => daemonLines(peagen, root, index)))).flat(),
    '',
    '## End of the log',
    '',
    '```',
    ...(await logEnd(peagen.extension.logUri)),
    '```',
    '',
  ].join('\n');
  return redact(text, {
    home: homedir(),
    user: userInfo().username,
    host: hostname(),
    folders: roots.map((root) => root.fsPath),
    secrets: secretValues(process.env),
  });
}

/** Their names only: a value may be a path or a host. */
function changedSettings(): string[] {
  const configuration = vscode.workspace.getConfiguration('peagen');
  return Object.keys(configuration).filter((key) => {
    const found = configuration.inspect(key);
    return [found?.globalValue, found?.workspaceValue, found?.workspaceFolderValue].some((value) => value !== undefined);
  });
}

async function daemonLines(peagen: Peagen, root: vscode.Uri, index: number): Promise<string[]> {
  if (!vscode.workspace.isTrusted) return [`- Folder ${index + 1}: none, not trusted`];
  try {
    const client = await peagen.daemon(root);
    const { version, buildId, started_at, running, queue, workers, sandbox } = await client.request(DaemonStatus, {});
    return [
      `- Folder ${index + 1}: ${version} (${buildId}) since ${started_at}, ${running.length} runs, queue ${queue.provider} with ${queue.pending} waiting, ${workers.live} workers, sandbox ${sandbox}`,
    ];
  } catch (caught) {
    return [`- Folder ${index + 1}: ${PeagenError.from(caught).line}`];
  }
}

async function logEnd(folder: vscode.Uri): Promise<string[]> {
  const names = (await readdir(folder.fsPath).catch(() => [])).filter((name) => name.endsWith('.log'));
  const texts = await Promise.all(names.map((name) => readFile(join(folder.fsPath, name), 'utf8').catch(() => '')));
  return texts.flatMap((text) => text.trimEnd().split('\n')).slice(-LOG_LINES);
}

function secretValues(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    /key|token|secret|passw|credential|auth/i.test(name) && value !== undefined ? [value] : [],
  );
}
