#!/usr/bin/env node
/** The `peagen` command's first step: says plainly that Node is too old before anything newer is imported. */
const NEEDED = [22, 15] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `peagen: Node ${NEEDED.join('.')} or newer is needed, and this is ${process.versions.node}. Install a newer Node, or run it with "npx" in a project that has the "node" package.\n`,
  );
  process.exitCode = 4;
} else {
  (await import('../compile-cache.ts')).useCompileCache();
  const { runProgram } = await import('./program.ts');
  await runProgram(process.argv);
}

export {};
