/**
 * Runs commands of `peagen` one after the other in this process, for tests of what all of them do. Reads an array of
 * argument lists as JSON from its argument; a line that begins with NUL and has the exit status ends what each one wrote.
 */
import { writeSync } from 'node:fs';
import * as z from 'zod';
import { runProgram } from '../daemon/cli/program.ts';

for (const args of z.array(z.array(z.string())).parse(JSON.parse(process.argv[2] ?? ''))) {
  process.exitCode = undefined;
  await runProgram(['node', 'peagen', ...args]);
  for (const stream of [1, 2]) writeSync(stream, `\0${process.exitCode ?? 0}\n`);
}
process.exit(0);
