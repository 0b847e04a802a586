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
  downloadAndUnzipVSCode(version: string): Promise<string>;
  runTests(options: {
    vscodeExecutablePath: string;
    extensionDevelopmentPath: string;
    extensionTestsPath: string;
    launchArgs: string[];
    extensionTestsEnv: Record<string, string>;
  }): Promise<number>;
}

/** The package and the editor that it fetches; undefined, after one line that says why, where one of them cannot be had. */
async function fetched(): Promise<{ runTests: TestElectron['runTests']; vscodeExecutablePath: string } | undefined> {
  const home = join(cache, 'electron');
  try {
    install(home, PACKAGE);
    const { runTests, downloadAndUnzipVSCode }: TestElectron = createRequire(join(home, 'package.json'))('@vscode/test-electron');
    return { runTests, vscodeExecutablePath: await downloadAndUnzipVSCode(process.argv[2] ?? 'stable') };
  } catch (caught) {
    const why = caught instanceof Error ? caught.message.split('\n')[0] : String(caught);
    console.error(
      `Cannot fetch a desktop VS Code: ${why}. Run "node test/vscode/run.ts --host" for the same tests in its server.`,
    );
    return undefined;
  }
}

async function runIn({ runTests, vscodeExecutablePath }: NonNullable<Awaited<ReturnType<typeof fetched>>>): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), 'peagen-electron-'));
  const report = join(scratch, 'report.json');
  try {
    await runTests({
      vscodeExecutablePath,
      extensionDevelopmentPath: stageExtension(),
      extensionTestsPath: await bundleHostTests(),
      launchArgs: [join(scratch), '--disable-workspace-trust', '--user-data-dir', join(scratch, 'data'), '--disable-extensions'],
      extensionTestsEnv: { PEAGEN_TEST_REPORT: report },
    });
    const { tests } = JSON.parse(readFileSync(report, 'utf8')) as HostReport;
    const failed = tests.filter(({ error }) => error !== undefined);
    for (const { title, error } of tests) console.log(error === undefined ? `  ✔ ${title}` : `  ✘ ${title}\n${error}`);
    console.log(`\n  ${tests.length - failed.length} passing\n  ${failed.length} failing`);
    return Math.min(failed.length, 100);
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

const found = await fetched();
process.exitCode = found === undefined ? 1 : await runIn(found);
