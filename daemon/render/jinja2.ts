/** The engine `jinja2`: the machine's own Python with Jinja2, one child process for all that this process renders. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { assetPath } from '../assets.ts';
import type { TemplateEngine } from './engine.ts';
import { MAX_OUTPUT, timeLimit } from './limits.ts';
import { pluralRules, singularRules } from './words.ts';

/** From launch to ready: Python imports Jinja2 in about 200 ms. */
const START_MS = 20_000;
const MAX_REASON = 300;

const Reply = z.union([
  z.object({ ready: z.literal(true) }),
  z.object({ missing: z.string() }),
  z.object({ texts: z.array(z.string()) }),
  z.object({ error: z.string(), template: z.string(), large: z.boolean().default(false) }),
]);
type Reply = z.infer<typeof Reply>;

interface Child {
  readonly process: ChildProcess;
  readonly lines: Interface;
}

let child: Promise<Child> | undefined;
let queue: Promise<unknown> = Promise.resolve();

export const jinja2Engine: TemplateEngine = {
  render(sources, jobs, signal) {
    const result = queue.then(async () => {
      signal.throwIfAborted();
      child ??= start();
      const current = await child.catch((caught: unknown) => {
        child = undefined;
        throw caught;
      });
      const line = JSON.stringify({ sources, jobs, plural: pluralRules, singular: singularRules, limit: MAX_OUTPUT });
      const limit = timeLimit(line.length) * jobs.length;
      const reply = await ask(current, line, limit, signal).catch((caught: unknown) => {
        child = undefined;
        current.process.kill('SIGKILL');
        throw caught;
      });
      if ('texts' in reply) return reply.texts;
      if ('error' in reply) {
        throw new PeagenError(
          reply.large ? 'too_large' : 'invalid_input',
          `The template "${reply.template}" fails: ${reply.error.slice(0, MAX_REASON)}.`,
          { hint: 'Mend the template.' },
        );
      }
      throw new PeagenError('internal', `Python answered ${JSON.stringify(reply)} to a rendering.`);
    });
    queue = result.catch(() => undefined);
    return result;
  },
};

/** Sends a line, and waits for one. The child holds this process alive only meanwhile. */
async function ask({ process: python, lines }: Child, line: string, limitMs: number, signal: AbortSignal): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const onLine = (text: string) => {
    try {
      resolve(Reply.parse(JSON.parse(text)));
    } catch (caught) {
      reject(caught);
    }
  };
  const onEnd = () => reject(new PeagenError('too_large', 'Python ended while it rendered: out of memory, most likely.'));
  const onAbort = () => reject(signal.reason);
  const timer = setTimeout(() => {
    reject(
      new PeagenError('too_large', `A template is not done after ${Math.round(limitMs)} ms.`, {
        hint: 'Mend the template: it loops too long.',
      }),
    );
  }, limitMs);
  lines.once('line', onLine);
  python.once('exit', onEnd);
  signal.addEventListener('abort', onAbort, { once: true });
  python.ref();
  if (line !== '') python.stdin?.write(`${line}\n`);
  try {
    return await promise;
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
    // Isolated: neither the current folder nor the person's environment decides what is imported.
    const python = spawn(name, ['-I', assetPath('render/jinja2_child.py')], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { PATH: process.env['PATH'] ?? '', PYTHONIOENCODING: 'utf-8', LANG: 'C.UTF-8' },
    });
    python.on('error', () => undefined);
    python.stdin?.on('error', () => undefined);
    const current: Child = { process: python, lines: createInterface({ input: python.stdout }) };
    const reply = await ask(current, '', START_MS, new AbortController().signal);
    if ('ready' in reply) return current;
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
