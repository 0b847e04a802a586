/** The tools of the editor's own agents: what a user is asked before, and the work itself. */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { type ToolName, toolTexts } from '../../shared/agents/inputs.ts';
import { type AgentHost, archive, eliteOf, evolve, judge } from '../../shared/agents/tools.ts';
import { PeagenError } from '../../shared/errors.ts';
import type { Peagen } from '../peagen.ts';
import { someRoot, workspaceRoots } from '../roots.ts';
import { openProposed } from './proposed.ts';

/** Asks for consent in the words of what would be done; nothing runs before it is given. */
export function askBefore(name: ToolName, input: unknown): vscode.PreparedToolInvocation {
  switch (name) {
    case 'peagen_evolve': {
      const evolve = parse(name, toolTexts.peagen_evolve.input, input);
      const { generations, max_minutes: minutes, max_tokens: tokens } = evolve;
      const what = nameOf(evolve);
      return {
        invocationMessage: vscode.l10n.t('Evolving {0}', what),
        confirmationMessages: {
          title: vscode.l10n.t('Evolve {0}?', what),
          message: judgedText(
            tokens === 0
              ? vscode.l10n.t(
                  'Runs candidates in a sandbox for {0} generations or {1} minutes, and asks no paid model.',
                  generations,
                  minutes,
                )
              : vscode.l10n.t(
                  'Runs candidates in a sandbox for {0} generations or {1} minutes, and spends up to {2} tokens.',
                  generations,
                  minutes,
                  tokens.toLocaleString(vscode.env.language),
                ),
            evolve.command,
          ),
        },
      };
    }
    case 'peagen_judge': {
      const judge = parse(name, toolTexts.peagen_judge.input, input);
      const what = nameOf(judge);
      return {
        invocationMessage: vscode.l10n.t('Judging a change of {0}', what),
        confirmationMessages: {
          title: vscode.l10n.t('Judge a change of {0}?', what),
          message: judgedText(vscode.l10n.t('Runs the changed file and the original in a sandbox.'), judge.command),
        },
      };
    }
    case 'peagen_archive':
      return { invocationMessage: vscode.l10n.t('Reading the archive') };
    case 'peagen_propose':
      return {
        invocationMessage: vscode.l10n.t('Opening a candidate for review'),
        confirmationMessages: {
          title: vscode.l10n.t('Open a candidate for review?'),
          message: vscode.l10n.t('Shows its change in the editor. No file changes before you accept a part of it.'),
        },
      };
  }
}

export async function callTool(
  peagen: Peagen,
  name: ToolName,
  input: unknown,
  token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolResult> {
  const aborter = new AbortController();
  const withdraw = () => aborter.abort(new PeagenError('cancelled', vscode.l10n.t('The agent withdrew the call.')));
  const listener = token.onCancellationRequested(withdraw);
  if (token.isCancellationRequested) withdraw();
  try {
    const text = await answer(peagen, name, input, aborter.signal);
    return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
  } catch (caught) {
    // The model reads what was wrong and what to do.
    throw new Error(PeagenError.from(caught).line, { cause: caught });
  } finally {
    listener.dispose();
  }
}

async function answer(peagen: Peagen, name: ToolName, input: unknown, signal: AbortSignal): Promise<string> {
  switch (name) {
    case 'peagen_evolve': {
      const parsed = parse(name, toolTexts.peagen_evolve.input, input);
      const tell = async (cost: string) => {
        // The user has agreed to the most that it may spend; this says more, and nothing waits for it.
        void vscode.window.showInformationMessage(vscode.l10n.t('Peagen, for an agent: {0}', cost));
      };
      return await evolve(hostAt(peagen, await rootWith(parsed.file)), parsed, signal, tell);
    }
    case 'peagen_judge': {
      const parsed = parse(name, toolTexts.peagen_judge.input, input);
      return await judge(hostAt(peagen, await rootWith(parsed.file)), parsed, signal);
    }
    case 'peagen_archive': {
      const parsed = parse(name, toolTexts.peagen_archive.input, input);
      return await archive(hostAt(peagen, await rootOfRun(peagen, parsed.run)), parsed, signal);
    }
    case 'peagen_propose': {
      const { run, sha256 } = parse(name, toolTexts.peagen_propose.input, input);
      const root = await rootOfRun(peagen, run);
      const detail = await eliteOf(hostAt(peagen, root), run, sha256, signal);
      await openProposed(peagen, root, { run: detail.run, sha256: detail.elite.sha256 });
      return 'It is open for review in the editor.';
    }
  }
}

function hostAt(peagen: Peagen, root: vscode.Uri): AgentHost {
  return {
    root: root.fsPath,
    contains: (path) => contains(root.fsPath, path),
    request: async (definition, params, signal) => {
      signal.throwIfAborted();
      const source = new vscode.CancellationTokenSource();
      const cancel = () => source.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      try {
        const client = await peagen.daemon(root);
        return await client.request(definition, params, source.token);
      } finally {
        signal.removeEventListener('abort', cancel);
        source.dispose();
      }
    },
    ended: (run, ms, signal) =>
      new Promise((resolve) => {
        const done = () => {
          clearTimeout(timer);
          heard.dispose();
          resolve();
        };
        const heard = peagen.runs.onDidChange(() => {
          const state = peagen.runs.get(run)?.info.state;
          if (state !== undefined && state !== 'running' && state !== 'paused') done();
        });
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done, { once: true });
        // It may have ended before we began to listen.
        peagen.runs.refresh(true).catch(done);
      }),
  };
}

async function contains(folder: string, path: string): Promise<boolean> {
  const root = await realpath(folder);
  const real = await realpath(join(root, path)).catch(() => undefined);
  return real?.startsWith(root.endsWith(sep) ? root : root + sep) === true;
}

/** The folder that has the file; where none has it, the one that is asked says so. */
async function rootWith(file: string): Promise<vscode.Uri> {
  for (const root of workspaceRoots()) if (await contains(root.fsPath, file)) return root;
  return someRoot();
}

async function rootOfRun(peagen: Peagen, run: string | undefined): Promise<vscode.Uri> {
  await peagen.runs.refresh();
  return peagen.runs.list().find(({ info }) => info.run === run)?.root ?? someRoot();
}

function parse<S extends z.ZodType>(name: ToolName, schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  throw new PeagenError('invalid_input', vscode.l10n.t('{0} was called wrongly: {1}', name, z.prettifyError(parsed.error)));
}

function nameOf({ file, function: entry }: { file: string; function?: string | undefined }): string {
  return entry === undefined ? file : vscode.l10n.t('{0} in {1}', entry, file);
}

/** What is run is shown as it is, whatever it contains. */
function judgedText(text: string, command: string | undefined): vscode.MarkdownString {
  const message = new vscode.MarkdownString();
  message.appendText(text);
  if (command !== undefined) message.appendCodeblock(command, 'shellscript');
  return message;
}
