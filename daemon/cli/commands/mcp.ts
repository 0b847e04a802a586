/**
 * `peagen mcp`: a Model Context Protocol server over standard input and output, for agents. It talks to the workspace's
 * daemon.
 */
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { CallToolResult, ServerNotification, ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { Command } from 'commander';
import { ArchiveInput, EvolveInput, JudgeInput, ProposeInput, toolTexts } from '../../../shared/agents/inputs.ts';
import { type AgentHost, archive, eliteOf, evolve, judge } from '../../../shared/agents/tools.ts';
import { PeagenError } from '../../../shared/errors.ts';
import { unifiedDiff } from '../../../shared/patch/unified.ts';
import { ProposeElite } from '../../../shared/protocol/proposals.ts';
import { connectAgent } from '../../client/agent.ts';
import { version } from '../../version.ts';
import { action, type CommonOptions, printResult, withCommonOptions } from '../output.ts';
import { visitor } from '../session.ts';

interface McpOptions extends CommonOptions {
  workspace: string;
}

export function mcpCommand(): Command {
  return withCommonOptions(new Command('mcp'))
    .description('offer evolve, judge, archive and propose to agents, over the Model Context Protocol')
    .option('--workspace <dir>', 'the workspace folder', '.')
    .action(action(serve));
}

async function serve(options: McpOptions): Promise<void> {
  if (options.dryRun === true) {
    return printResult(options, { tools: Object.keys(toolTexts) }, `Would offer ${Object.keys(toolTexts).join(', ')}.`);
  }
  const agent = connectAgent(options.workspace, { ...visitor(options, options.workspace), client: 'agent' });
  const server = new McpServer({ name: 'peagen', version }, { capabilities: { logging: {} } });
  type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
  const { peagen_evolve, peagen_judge, peagen_archive, peagen_propose } = toolTexts;
  const reads = { readOnlyHint: true, openWorldHint: false };
  // Not read-only, so that the agent's user is asked: code is run, and a model may be paid for.
  const runs = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
  const offer = { ...about(peagen_evolve), inputSchema: EvolveInput.shape, annotations: runs };
  server.registerTool('peagen_evolve', offer, (input, extra: Extra) =>
    told(() => evolve(agent, input, extra.signal, (cost) => show(extra, cost))),
  );
  server.registerTool(
    'peagen_judge',
    { ...about(peagen_judge), inputSchema: JudgeInput.shape, annotations: { ...runs, openWorldHint: false } },
    (input, { signal }: Extra) => told(() => judge(agent, input, signal)),
  );
  server.registerTool(
    'peagen_archive',
    { ...about(peagen_archive), inputSchema: ArchiveInput.shape, annotations: reads },
    (input, { signal }: Extra) => told(() => archive(agent, input, signal)),
  );
  server.registerTool(
    'peagen_propose',
    { ...about(peagen_propose), inputSchema: ProposeInput.shape, annotations: { ...runs, openWorldHint: false } },
    (input, { signal }: Extra) => told(() => propose(agent, input, signal)),
  );
  const transport = new StdioServerTransport();
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.server.onclose = resolve;
  // The SDK does not notice the end of its input.
  process.stdin.once('end', resolve);
  await server.connect(transport);
  await closed;
  agent.close();
  await server.close();
}

function about({ title, description }: { title: string; description: string }): { title: string; description: string } {
  return { title, description };
}

/** As progress where the client asks for that, and in its log: an agent shows its user one of the two. */
async function show(
  { _meta, sendNotification }: RequestHandlerExtra<ServerRequest, ServerNotification>,
  message: string,
): Promise<void> {
  const token = _meta?.progressToken;
  if (token !== undefined)
    await sendNotification({ method: 'notifications/progress', params: { progressToken: token, progress: 0, message } });
  await sendNotification({ method: 'notifications/message', params: { level: 'notice', logger: 'peagen', data: message } });
}

/** An error is an answer too: the model reads what was wrong and what to do. */
async function told(work: () => Promise<string>): Promise<CallToolResult> {
  try {
    return { content: [{ type: 'text', text: await work() }] };
  } catch (caught) {
    return { content: [{ type: 'text', text: PeagenError.from(caught).line }], isError: true };
  }
}

async function propose(host: AgentHost, { run, sha256 }: ProposeInput, signal: AbortSignal): Promise<string> {
  const detail = await eliteOf(host, run, sha256, signal);
  const { windows } = await host.request(ProposeElite, { run: detail.run, sha256: detail.elite.sha256 }, signal);
  const where =
    windows > 0
      ? 'It is open for review in the editor:'
      : 'It waits for an editor to be opened on this folder, where it will be open for review:';
  return `${where}\n\n${unifiedDiff(detail.changes)}`;
}
