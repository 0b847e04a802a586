/** One hostile program in one tier: what contained it, and what it reached. */
import { assetPath } from '../../../../daemon/assets.ts';
import { openForked } from '../../../../daemon/executors/fork-server.ts';
import { executedBy } from '../../../../daemon/executors/runner.ts';
import { defaultLimits, type Executor, type SandboxExit } from '../../../../daemon/executors/sandbox.ts';
import { type Hostile, prelude } from './programs.ts';
import type { Trap } from './trap.ts';

export const limits = {
  ...defaultLimits,
  wallMs: 3000,
  cpuSeconds: 2,
  memoryBytes: 512 * 1024 ** 2,
  processes: 48,
  fileBytes: 16 * 1024 ** 2,
  outputBytes: 1024 ** 2,
};

interface Attack {
  /** What stopped it; empty when it just ended. */
  readonly contained: string;
  readonly escapes: readonly string[];
  readonly exit: SandboxExit;
}

/** Reads its files and its program from its channel: nothing of it stands on a command line. */
const boot = `const fs = require("node:fs"), chunk = Buffer.alloc(1 << 16);
let text = "";
while (!text.endsWith("\\n")) try { text += chunk.toString("latin1", 0, fs.readSync(0, chunk)); } catch {}
for (const [path, file] of JSON.parse(text)) fs.writeFileSync(path, file);
require("/tmp/attack.cjs");`;

/** The same tier, with programs of Node started by a server in a sandbox. */
export function served(tier: Executor): Executor {
  return {
    ...tier,
    open: async ({ files = [], ...spec }) => {
      const started = await executedBy({ ...spec, argv: ['-e', boot] });
      const sandbox = started === undefined ? undefined : await openForked(tier, started);
      if (sandbox === undefined) throw new Error('No server can be had here.');
      sandbox.send(JSON.stringify(files.map(({ path, text }) => [path, text])));
      return sandbox;
    },
  };
}

export async function attackIn(tier: Executor, tierName: string, { name, language, code }: Hostile, trap: Trap): Promise<Attack> {
  const targets = trap.targetsFor(`${tierName} ${name}`);
  const sandbox = await tier.open({
    runtime: language,
    argv: language === 'python' ? ['-S', 'attack.py'] : ['attack.cjs'],
    files: [
      { path: language === 'python' ? 'attack.py' : 'attack.cjs', text: `${prelude[language]}\n${code}\n` },
      { path: 'targets.json', text: JSON.stringify(targets) },
    ],
    // What every runner is shown.
    mounts: [{ from: assetPath('executors/runners'), at: '/peagen' }],
    limits,
  });
  const lines: string[] = [];
  for (let line = await sandbox.receive(); line !== undefined; line = await sandbox.receive()) lines.push(line);
  const exit = await sandbox.exited;
  const said = lines.find((line) => /^(escaped|contained):/.test(line));
  const escapes = trap.damage(targets.sign);
  if (said?.startsWith('escaped') === true) escapes.push(said);
  if (`${lines.join('\n')}${exit.stderr}`.includes(trap.targets.token)) escapes.push('the secret came out');
  return { contained: said?.replace('contained: ', '') ?? howItEnded(exit), escapes, exit };
}

/** A program that prints no verdict was ended; a plain exit would mean that it did not do what it is here for. */
function howItEnded(exit: SandboxExit): string {
  if (exit.cause === 'exit')
    return exit.code === 0 ? '' : `ended with status ${exit.code}: ${exit.stderr.trim().split('\n').at(-1)}`;
  return {
    timeout: 'time limit',
    memory: 'memory limit',
    output: 'output limit',
    killed: `killed (${exit.signal ?? exit.code})`,
  }[exit.cause];
}
