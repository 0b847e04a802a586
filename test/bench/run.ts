/** `npm run bench -- NAME [arguments]` runs the benchmark of that name from this folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';

const [name = '', ...args] = process.argv.slice(2);
const script = join(import.meta.dirname, `${name}.ts`);
if (!/^[\w/-]+$/.test(name) || !existsSync(script)) {
  const parts = '{*,evolve/{growth,rate,replay,resume,time-to-best},workers/{recovery,run}}.ts';
  const known = globSync(parts, { cwd: import.meta.dirname });
  process.stderr.write(`There is no benchmark "${name}". Known: ${known.map((file) => file.slice(0, -3)).join(', ')}.\n`);
  process.exit(2);
}
process.exit(spawnSync(process.execPath, ['--expose-gc', script, ...args], { stdio: 'inherit' }).status ?? 1);
