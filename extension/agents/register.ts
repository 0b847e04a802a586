/**
 * What the editor's own agents are offered: tools, and the same as a server of the Model Context Protocol. An editor
 * without one of these interfaces gets none, and misses nothing else.
 */
import type * as vscode from 'vscode';
import type { ToolName } from '../../shared/agents/inputs.ts';
import type { Peagen } from '../peagen.ts';

/** Named here as well, so that activation reads no schemas. */
const tools: Record<ToolName, true> = { peagen_evolve: true, peagen_judge: true, peagen_archive: true, peagen_propose: true };

/** `lm`: absent in older editors and in some that are built from VS Code, or present in part, whatever the types say. */
export function registerAgents(peagen: Peagen, lm: Partial<typeof vscode.lm> | undefined): vscode.Disposable[] {
  const registered: vscode.Disposable[] = [];
  /** An editor that refuses one of them is to have all else. */
  const offer = (register: () => vscode.Disposable | undefined) => {
    try {
      const offered = register();
      if (offered !== undefined) registered.push(offered);
    } catch (caught) {
      peagen.log.warn(`Not offered to the editor's agents: ${String(caught)}`);
    }
  };
  for (const name of Object.keys(tools) as ToolName[]) {
    offer(() =>
      lm?.registerTool?.<unknown>(name, {
        prepareInvocation: async ({ input }) => (await import('../late.ts')).askBefore(name, input),
        invoke: async ({ input }, token) => (await import('../late.ts')).callTool(peagen, name, input, token),
      }),
    );
  }
  offer(() =>
    lm?.registerMcpServerDefinitionProvider?.('peagen.mcp', {
      provideMcpServerDefinitions: async () => (await import('../late.ts')).mcpServers(peagen),
    }),
  );
  return registered;
}
