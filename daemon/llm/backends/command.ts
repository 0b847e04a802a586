/**
 * A CLI agent that the user pays for already, such as `claude -p` or `codex exec -`: it reads the question on standard input
 * and writes its answer to standard output. What is run comes from the user's environment, never from a workspace's file. It
 * works in an empty folder of its own, and it is ended with all its children when it takes too long or writes too much.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import type { LlmBackendConfig } from '../../../shared/config.ts';
import { PeagenError } from '../../../shared/errors.ts';
import type { ChatAnswer, ChatRequest } from '../../../shared/llm.ts';
import type { LlmBackend } from '../backend.ts';
import { requestTokens, tokenCounter } from '../cost/tokens.ts';
import { BackendFailure } from '../failure.ts';

/** Holds the program and its arguments as a JSON list: `["claude", "-p"]`. */
export const COMMAND_VARIABLE = 'PEAGEN_LLM_COMMAND';
/** Bytes of an answer; an agent that writes more is ended. */
const MAX_ANSWER_BYTES = 1_000_000;
/** Bytes of what it says about itself that are kept for a message. */
const MAX_ERROR_BYTES = 2_000;

const Argv = z.tuple([z.string().min(1)], z.string());

export function commandBackend({ name, model }: LlmBackendConfig, env: NodeJS.ProcessEnv): LlmBackend {
  return {
    name,
    model,
    async ask(request, { signal, onText }): Promise<ChatAnswer> {
      const [program, ...args] = argvOf(name, env);
      const started = performance.now();
      const folder = await mkdtemp(join(tmpdir(), 'peagen-agent-'));
      try {
        const text = await answerOf({ program, args, folder, env, name }, request, signal);
        if (text.trim() === '') throw new BackendFailure('malformed', name, `${program} wrote no answer.`);
        onText?.(text);
        const totalMs = performance.now() - started;
        // What the agent is charged with is not known; its question and its answer are counted here.
        const tokens = { prompt: await requestTokens(request), completion: (await tokenCounter())(text) };
        return { text, backend: name, model, tokens, finish: 'stop', firstTokenMs: totalMs, totalMs };
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

function argvOf(name: string, env: NodeJS.ProcessEnv): z.infer<typeof Argv> {
  const own = env[COMMAND_VARIABLE];
  const hint = `Set the environment variable ${COMMAND_VARIABLE} to a JSON list such as ["claude", "-p"].`;
  if (own === undefined)
    throw new BackendFailure('auth', name, `the environment variable ${COMMAND_VARIABLE} is not set.`, { hint });
  try {
    return Argv.parse(JSON.parse(own));
  } catch (caught) {
    throw new PeagenError('invalid_config', `${COMMAND_VARIABLE} is not a JSON list of a program and its arguments.`, {
      hint,
      cause: caught,
    });
  }
}

interface Agent {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly name: string;
}

/** What the agent has written when it has ended by itself. Throws BackendFailure for any other end. */
function answerOf({ program, args, folder, env, name }: Agent, request: ChatRequest, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const answer: Buffer[] = [];
    let size = 0;
    let said = '';
    let failure: BackendFailure | undefined;
    const killGroup = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nothing of it is left.
      }
    };
    const kill = (why: BackendFailure) => {
      failure ??= why;
      killGroup();
    };
    const withdraw = () => kill(new BackendFailure('cancelled', name, 'the question was withdrawn.'));
    signal.addEventListener('abort', withdraw, { once: true });
    child.stdout.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= MAX_ANSWER_BYTES) answer.push(piece);
      else kill(new BackendFailure('malformed', name, `${program} wrote more than ${MAX_ANSWER_BYTES} bytes.`));
    });
    child.stderr.on('data', (piece: Buffer) => {
      if (said.length < MAX_ERROR_BYTES) said += piece.toString('utf8');
    });
    // An agent that ends before it has read the question is reported by its exit status.
    child.stdin.on('error', () => undefined);
    child.stdin.end(`${request.system}\n\n${request.prompt}\n`);
    child.on('error', (caught) => {
      signal.removeEventListener('abort', withdraw);
      reject(
        new BackendFailure('request', name, `${program} cannot be started (${caught.message}).`, {
          hint: `Check ${COMMAND_VARIABLE}.`,
        }),
      );
    });
    // What it has left running must not outlive it, and could hold its output open.
    child.on('exit', killGroup);
    child.on('close', (status) => {
      signal.removeEventListener('abort', withdraw);
      const wrong = said.trim().split('\n').at(-1)?.slice(0, 300) ?? '';
      if (failure !== undefined) reject(failure);
      else if (status !== 0) reject(new BackendFailure('request', name, `${program} ended with status ${status} (${wrong}).`));
      else resolve(Buffer.concat(answer).toString('utf8'));
    });
    if (signal.aborted) withdraw();
  });
}
