/**
 * Runs the host's tests in a desktop VS Code: `npm run test:electron [VERSION]`. @vscode/test-electron fetches that editor, which
 * works only where its download site can be reached; everything else in this folder runs in the server of VS Code instead.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleHostTests, cache, install, stageExtension } from './driver/parts.ts';
import type { HostReport } from './host/index.ts';

const PACKAGE = '@vscode/test-electron@2.5.2';

interface TestElectron {
  runTests(options: {
    version: string;
    extensionDevelopmentPath: string;
    extensionTestsPath: string;
    launchArgs: string[];
    extensionTestsEnv: Record<string, string>;
  }): Promise<number>;
}

const home = join(cache, 'electron');
install(home, PACKAGE);
const { runTests }: TestElectron = createRequire(join(home, 'package.json'))('@vscode/test-electron');
const scratch = mkdtempSync(join(tmpdir(), 'peagen-electron-'));
const report = join(scratch, 'report.json');
try {
  await runTests({
    version: process.argv[2] ?? 'stable',
    extensionDevelopmentPath: stageExtension(),
    extensionTestsPath: await bundleHostTests(),
    launchArgs: [join(scratch), '--disable-workspace-trust', '--user-data-dir', join(scratch, 'data'), '--disable-extensions'],
    extensionTestsEnv: { PEAGEN_TEST_REPORT: report },
  });
  const { tests } = JSON.parse(readFileSync(report, 'utf8')) as HostReport;
  const failed = tests.filter(({ error }) => error !== undefined);
  for (const { title, error } of tests) console.log(error === undefined ? `  ✔ ${title}` : `  ✘ ${title}\n${error}`);
  console.log(`\n  ${tests.length - failed.length} passing\n  ${failed.length} failing`);
  process.exitCode = Math.min(failed.length, 100);
} finally {
  rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
}
