/** The command that serves agents over the Model Context Protocol, one for each folder of a trusted window. */
import * as vscode from 'vscode';
import { daemonCopy } from '../client/copy.ts';
import type { Peagen } from '../peagen.ts';
import { workspaceRoots } from '../roots.ts';
import { settings } from '../settings.ts';

export async function mcpServers({ extension }: Peagen): Promise<vscode.McpStdioServerDefinition[]> {
  const roots = workspaceRoots();
  if (!vscode.workspace.isTrusted || roots.length === 0) return [];
  const script = await daemonCopy(extension.extensionPath, extension.globalStorageUri.fsPath);
  const { version } = extension.extension.packageJSON as { version: string };
  return roots.map((root) => {
    const server = new vscode.McpStdioServerDefinition(
      roots.length === 1 ? 'Peagen' : `Peagen: ${root.path.split('/').at(-1)}`,
      settings(root).nodePath ?? process.execPath,
      [script, 'mcp', '--workspace', root.fsPath],
      // In a desktop window, execPath is Electron, which this variable makes a Node.
      { ELECTRON_RUN_AS_NODE: '1' },
      version,
    );
    server.cwd = root;
    return server;
  });
}
