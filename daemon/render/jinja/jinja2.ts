/** The engine `jinja2`: the machine's own Python with Jinja2, one child process for all that this process renders. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { assetPath } from '../../assets.ts';
import { MAX_OUTPUT, timeLimit } from '../limits.ts';
import { failedOutcome, type RenderOutcome } from '../task.ts';
import type { TemplateEngine } from './engine.ts';
import { pluralRules, singularRules } from './words.ts';

/** From launch to ready: Python imports Jinja2 in about 200 ms. */
const START_MS = 20_000;
const MAX_REASON = 300;

const Reply = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ missing: z.string() }),
  z.object({ text: z.string() }),
  z.object({ error: z.string(), template: z.string(), large: z.boolean().default(false) }),
  z.object({ done: z.literal(true) }),
]);
type Reply = z.infer<typeof Reply>;

/** What the child says in a line. */
export function replyOf(line: string): Reply {
  try {
    return Reply.parse(JSON.parse(line));
  } catch (caught) {
    throw new PeagenError('internal', 'Python gave an answer that is not one of the template engine.', { cause: caught });
  }
}

interface Child {
  readonly process: ChildProcess;
  readonly lines: Interface;
}

let child: Promise<Child> | undefined;
let queue: Promise<unknown> = Promise.resolve();

export const jinja2Engine: TemplateEngine = {
  render(batch, signal) {
    const result = queue.then(async () => {
      signal.throwIfAborted();
      child ??= start();
      const current = await child.catch((caught: unknown) => {
        child = undefined;
        throw caught;
      });
      const line = JSON.stringify({ ...batch, plural: pluralRules, singular: singularRules, limit: MAX_OUTPUT });
      const outcomes: RenderOutcome[] = [];
      await converse(current, line, timeLimit(line.length), signal, (reply) => {
        if ('text' in reply) outcomes.push({ kind: 'text', text: reply.text });
        if ('error' in reply) {
          const reason = `The template "${reply.template}" fails: ${reply.error.slice(0, MAX_REASON)}.`;
          outcomes.push(failedOutcome(reply.large ? 'too_large' : 'invalid_input', reason));
        }
        return 'done' in reply;
      }).catch((caught: unknown) => {
        child = undefined;
        current.process.kill('SIGKILL');
        const error = PeagenError.from(caught);
        if (error.code !== 'too_large') throw caught;
        outcomes.push(failedOutcome(error.code, error.message, error.hint));
      });
      return outcomes;
    });
    queue = result.catch(() => undefined);
    return result;
  },
};

/**
 * Sends a line, and reads replies until `hear` says that it was the last. Each has `limitMs`. The child holds this
 * process alive only meanwhile.
 */
async function converse(
  { process: python, lines }: Child,
  line: string,
  limitMs: number,
  signal: AbortSignal,
  hear: (reply: Reply) => boolean,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const beginReply = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      reject(
        new PeagenError('too_large', `A template is not done after ${Math.round(limitMs)} ms.`, {
          hint: 'Fix the template: it loops too long.',
        }),
      );
    }, limitMs);
  };
  const onLine = (text: string) => {
    try {
      if (hear(replyOf(text))) resolve();
      else beginReply();
    } catch (caught) {
      reject(caught);
    }
  };
  const onEnd = () => reject(new PeagenError('too_large', 'Python ended while it rendered: out of memory, most likely.'));
  const onAbort = () => reject(signal.reason);
  lines.on('line', onLine);
  python.once('exit', onEnd);
  signal.addEventListener('abort', onAbort, { once: true });
  python.ref();
  beginReply();
  if (line !== '') python.stdin?.write(`${line}\n`);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    lines.off('line', onLine);
    python.off('exit', onEnd);
    signal.removeEventListener('abort', onAbort);
    release(python);
  }
}

/** Lets this process end while the child waits for work; the child ends with its input. */
function release(python: ChildProcess): void {
  python.unref();
  for (const stream of [python.stdin, python.stdout]) {
    if (stream !== null && 'unref' in stream && typeof stream.unref === 'function') stream.unref();
  }
}

async function start(): Promise<Child> {
  const missing: string[] = [];
  for (const name of ['python3', '/usr/bin/python3', 'python']) {
    if (!(await hasJinja(name))) {
      missing.push(name);
      continue;
    }
    // Isolated: neither the current folder nor the user's environment decides what is imported.
    const python = spawn(name, ['-I', assetPath('render/jinja/jinja2_child.py')], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '', PYTHONIOENCODING: 'utf-8', LANG: 'C.UTF-8' },
    });
    python.on('error', () => undefined);
    python.stdin?.on('error', () => undefined);
    const current: Child = { process: python, lines: createInterface({ input: python.stdout }) };
    let ready = false;
    await converse(current, '', START_MS, new AbortController().signal, (reply) => {
      ready = 'ready' in reply;
      return true;
    });
    if (ready) return current;
    python.kill('SIGKILL');
    missing.push(name);
  }
  throw new PeagenError('missing_program', `No Python with Jinja2 was found (tried ${missing.join(', ')}).`, {
    hint: 'Install Jinja2 for Python 3, or set engine = "minijinja" under [render].',
  });
}

async function hasJinja(name: string): Promise<boolean> {
  return promisify(execFile)(name, ['-I', '-c', 'import jinja2'], { timeout: START_MS }).then(
    () => true,
    () => false,
  );
}
