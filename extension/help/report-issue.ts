/** Peagen: Report Issue. Shows the diagnostics that would be sent, with everything private taken out, before anything is sent. */
import { open } from 'node:fs/promises';
import { homedir, hostname, release, userInfo } from 'node:os';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { DaemonStatus } from '../../shared/protocol/session.ts';
import { readLogLine } from '../client/log-line.ts';
import type { Peagen } from '../peagen.ts';
import { workspaceRoots } from '../roots.ts';
import { redact } from './redact.ts';

const LOG_LINES = 60;
/** Enough for as many lines. */
const LOG_BYTES = 64 * 1024;

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
  const daemons = await Promise.all(roots.map((root, index) => describeDaemon(peagen, root, index)));
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
    `- Folders: ${roots.length}, ${vscode.workspace.isTrusted ? 'trusted' : 'not trusted'}`,
    `- Settings that are set: ${changedSettings().join(', ') || 'none'}`,
    '',
    '## Daemons',
    '',
    ...daemons.map(({ line }) => line),
    '',
    ...logSection("End of the window's log", peagen.recentLog()),
    ...logSection("End of the daemon's log", (await Promise.all(daemons.flatMap(({ log }) => log ?? []).map(logEnd))).flat()),
  ].join('\n');
  return redact(text, {
    home: homedir(),
    user: userInfo().username,
    host: hostname(),
    folders: roots.map((root) => root.fsPath),
    places: [
      [peagen.extension.extensionUri.fsPath, '<extension>'],
      [peagen.extension.globalStorageUri.fsPath, '<storage>'],
      ...daemons.flatMap(({ log }) => (log === undefined ? [] : [[dirname(log), '<daemons>'] as const])),
    ],
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

interface Described {
  readonly line: string;
  /** Path of its log. */
  readonly log?: string;
}

async function describeDaemon(peagen: Peagen, root: vscode.Uri, index: number): Promise<Described> {
  if (!vscode.workspace.isTrusted) return { line: `- Folder ${index + 1}: none, not trusted` };
  try {
    const client = await peagen.daemon(root);
    const { version, buildId, started_at, running, queue, workers, sandbox, log } = await client.request(DaemonStatus, {});
    return {
      line: `- Folder ${index + 1}: ${version} (${buildId}) since ${started_at}, ${running.length} runs, queue ${queue.provider} with ${queue.pending} waiting, ${workers.live} workers, sandbox ${sandbox}`,
      log,
    };
  } catch (caught) {
    return { line: `- Folder ${index + 1}: ${PeagenError.from(caught).line}` };
  }
}

/** In a fence that no line of a log closes. */
function logSection(title: string, lines: readonly string[]): string[] {
  const last = lines.slice(-LOG_LINES).map((line) => line.replaceAll('~~~', '~ ~'));
  return [`## ${title}`, '', '~~~', ...(last.length === 0 ? ['empty'] : last), '~~~', ''];
}

/** Lines of the daemon's own form as a user reads them. */
async function logEnd(path: string): Promise<string[]> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return [];
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOG_BYTES), 0, LOG_BYTES, Math.max(0, size - LOG_BYTES));
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    return lines.flatMap((line) => {
      const read = readLogLine(line);
      return read === undefined ? [] : [`[${read.level}] ${read.text}`];
    });
  } finally {
    await file.close();
  }
}

function secretValues(env: NodeJS.ProcessEnv): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    /key|token|secret|passw|credential|auth/i.test(name) && value !== undefined ? [value] : [],
  );
}
