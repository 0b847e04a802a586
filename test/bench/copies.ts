/**
 * What a throw-away copy of a large repository costs: `node test/bench/copies.ts [files] [kilobytes each]`. The first line
 * is a whole copy each time, as without overlays; the others what the `command` evaluator does.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openBase } from '../../daemon/judging/copies/base.ts';
import { copyOf } from '../../daemon/judging/copies/copy.ts';

const [files = 20_000, kilobytes = 10] = process.argv.slice(2).map(Number);
const root = mkdtempSync(join(tmpdir(), 'peagen-bench-'));
const { signal } = new AbortController();
const program = {
  language: 'python',
  files: [{ path: 'target.py', text: 'x = 1\n' }],
  spans: [{ path: 'target.py', start: 0, end: 6 }],
};

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await work();
  console.log(`| ${what} | ${(performance.now() - start).toFixed(0)} |`);
}

try {
  for (let index = 0; index < files; index++) {
    const folder = join(root, `d${index % 200}`);
    if (index < 200) mkdirSync(folder);
    writeFileSync(join(folder, `f${index}.txt`), 'x'.repeat(kilobytes * 1024));
  }
  console.log(`${files} files of ${kilobytes} KB\n\n| step | ms |\n| --- | --- |`);
  await timed('a whole copy, made and removed', async () => {
    execFileSync('cp', ['-a', '--reflink=auto', root, `${root}-copy`]);
    rmSync(`${root}-copy`, { recursive: true });
  });
  const judge = async (runs: number): Promise<void> => {
    await using base = await openBase(root, signal);
    for (let run = 0; run < runs; run++) await (await copyOf(root, program, { base, signal }))[Symbol.asyncDispose]();
  };
  await timed('the first candidate, six copies', () => judge(6));
  await timed('every further candidate, six copies', () => judge(6));
} finally {
  rmSync(root, { recursive: true });
}
