/** Entry of the tests that run in the extension host: mocha, with a report in the file that PEAGEN_TEST_REPORT names. */
import { renameSync, writeFileSync } from 'node:fs';
import type Mocha from 'mocha';

export interface HostReport {
  readonly tests: { title: string; error?: string; ms: number }[];
}

export async function run(): Promise<void> {
  // Not by a `require`, which the bundle would make of an import above: hosts differ in what that answers for an ES module.
  const { default: Runner } = await import('mocha');
  const mocha = new Runner({ ui: 'bdd', timeout: 120_000, reporter: class {} as unknown as typeof Mocha.reporters.Base });
  mocha.suite.emit('pre-require', globalThis as unknown as Mocha.MochaGlobals, '', mocha);
  await import('./activation.ts');
  await import('./by-key.ts');
  await import('./evidence.ts');
  await import('./evolution.ts');
  await import('./folders.ts');
  await import('./goal.ts');
  await import('./review.ts');
  await import('./stored.ts');
  await import('./verdict.ts');
  const tests: HostReport['tests'] = [];
  await new Promise<void>((resolve) => {
    mocha
      .run(() => resolve())
      .on('pass', (test) => tests.push({ title: test.fullTitle(), ms: test.duration ?? 0 }))
      .on('fail', (test, error: Error) =>
        tests.push({ title: test.fullTitle(), ms: test.duration ?? 0, error: error.stack ?? error.message }),
      );
  });
  const report = process.env['PEAGEN_TEST_REPORT'] ?? '';
  writeFileSync(`${report}.part`, JSON.stringify({ tests } satisfies HostReport));
  renameSync(`${report}.part`, report);
}
