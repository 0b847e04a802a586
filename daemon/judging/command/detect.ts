/** Finds out how a folder's own tests are run: what is offered when a user is asked how to judge candidates. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as z from 'zod';

export interface DetectedJudge {
  readonly name: 'pytest' | 'unittest' | 'npm' | 'vitest' | 'mocha' | 'cargo' | 'go' | 'make';
  readonly command: string;
  /** Shows a user by which file it was recognised. */
  readonly because: string;
}

const Package = z.object({
  scripts: z.record(z.string(), z.string()).default({}),
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

/** Most specific first. Reads a few files of the folder and runs nothing. */
export async function detectJudges(root: string): Promise<DetectedJudge[]> {
  const names = new Set(await readdir(root).catch(() => []));
  const text = async (name: string): Promise<string> =>
    names.has(name) ? await readFile(join(root, name), 'utf8').catch(() => '') : '';
  const tests = await testFiles(root, names);
  const found: DetectedJudge[] = [];

  const settings = { 'pyproject.toml': /^\[tool\.pytest/m, 'setup.cfg': /^\[tool:pytest\]/m, 'tox.ini': /^\[pytest\]/m };
  let pytest = names.has('pytest.ini') ? 'pytest.ini' : names.has('conftest.py') ? 'conftest.py' : undefined;
  for (const [name, pattern] of Object.entries(settings)) if (pattern.test(await text(name))) pytest ??= name;
  const python = tests.filter((name) => name.endsWith('.py'));
  // unittest finds nothing in a folder within its start folder that is not a package.
  const shallow = python.filter((name) => name.split('/').length <= 2);
  const unittest = (await Promise.all(shallow.map((name) => readFile(join(root, name), 'utf8').catch(() => '')))).some((source) =>
    /\bunittest\.TestCase\b|from unittest import/.test(source),
  );
  if (pytest !== undefined || (python.length > 0 && !unittest)) {
    found.push({ name: 'pytest', command: 'python3 -m pytest -q -x', because: pytest ?? python[0] ?? '' });
  }
  if (unittest) {
    const where = shallow.every((name) => name.startsWith('tests/'))
      ? ' -s tests'
      : shallow.every((name) => name.startsWith('test/'))
        ? ' -s test'
        : '';
    found.push({ name: 'unittest', command: `python3 -m unittest discover -q${where}`, because: python[0] ?? '' });
  }

  found.push(...nodeJudges(await text('package.json')));
  if (names.has('Cargo.toml')) found.push({ name: 'cargo', command: 'cargo test --quiet --offline', because: 'Cargo.toml' });
  if (names.has('go.mod')) found.push({ name: 'go', command: 'go test ./...', because: 'go.mod' });
  for (const name of ['GNUmakefile', 'makefile', 'Makefile']) {
    if (!/^test\s*:(?!=)/m.test(await text(name))) continue;
    found.push({ name: 'make', command: 'make test', because: name });
    break;
  }
  return found;
}

function nodeJudges(text: string): DetectedJudge[] {
  let parsed: z.infer<typeof Package>;
  try {
    parsed = Package.parse(JSON.parse(text));
  } catch {
    return [];
  }
  const found: DetectedJudge[] = [];
  const installed = { ...parsed.dependencies, ...parsed.devDependencies };
  const script = parsed.scripts['test'];
  const because = 'package.json';
  if (installed['vitest'] !== undefined) found.push({ name: 'vitest', command: 'node_modules/.bin/vitest run', because });
  if (installed['mocha'] !== undefined) found.push({ name: 'mocha', command: 'node_modules/.bin/mocha', because });
  // The script that `npm init` writes is not a test.
  if (script !== undefined && !/no test specified/.test(script))
    found.push({ name: 'npm', command: 'npm test --silent', because });
  return found;
}

/** Python test files of the folder itself, of its test folders and of theirs, by their usual names. */
async function testFiles(root: string, names: ReadonlySet<string>): Promise<string[]> {
  const isTest = (name: string): boolean => /^(test_.*|.*_test)\.py$/.test(name);
  const found = [...names].filter(isTest);
  for (const folder of ['tests', 'test']) {
    if (!names.has(folder)) continue;
    const within = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    found.push(...within.map(({ name }) => `${folder}/${name}`).filter((path) => isTest(basename(path))));
    // `tests/unit` and the like.
    for (const inner of within.filter((entry) => entry.isDirectory())) {
      const names = await readdir(join(root, folder, inner.name)).catch(() => []);
      found.push(...names.filter(isTest).map((name) => `${folder}/${inner.name}/${name}`));
    }
  }
  return found.sort();
}
