/**
 * Finds the interpreters that candidates run in: the user's own Python (behind any version manager's shim) and a
 * Node. Each is looked for once per process; a worker learns it from the process that launched it.
 */
import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { assetPath } from '../assets.ts';
import { type Interpreter, machine, type RuntimeName } from './machine.ts';

const run = promisify(execFile);
const found = new Map<string, Promise<Interpreter>>();

/** Throws `missing_program` that names what to install. A failed search is not remembered: the user may install it. */
export function findInterpreter(runtime: RuntimeName): Promise<Interpreter> {
  const known = machine.interpreters[runtime];
  if (known !== undefined) return Promise.resolve(known);
  let search = found.get(runtime);
  if (search === undefined) {
    search = runtime === 'python' ? findPython() : findNode();
    found.set(runtime, search);
    search.then(
      (interpreter) => {
        machine.interpreters[runtime] = interpreter;
      },
      () => found.delete(runtime),
    );
  }
  return search;
}

const pythonNames =
  process.platform === 'win32'
    ? ['python', 'python3']
    : ['python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3.10', '/usr/bin/python3'];
const askPython =
  'import sys,json;print(json.dumps({"path":sys.executable,"prefixes":[sys.prefix,sys.base_prefix],"libraries":sys.path,"version":list(sys.version_info[:3])}))';
/** Compiles the parts of the runners where this interpreter has not done so since they were written, for all users to read. */
const compileRunner = `
import os, sys
os.umask(0o022)
from importlib.util import cache_from_source
for source in [os.path.join(folder, name) for folder in sys.argv[1:] for name in os.listdir(folder)]:
    name = os.path.basename(source)
    if not name.endswith('.py'): continue
    target = cache_from_source(source)
    if not os.path.exists(target) or os.path.getmtime(target) < os.path.getmtime(source):
        import py_compile
        py_compile.compile(source, dfile=name)
`;
const PythonAnswer = z.object({
  path: z.string().min(1),
  prefixes: z.array(z.string()),
  libraries: z.array(z.string()),
  version: z.array(z.number()).length(3),
});

async function findPython(): Promise<Interpreter> {
  let tooOld: string | undefined;
  for (const name of pythonNames) {
    const answer = await ask(name);
    if (answer === undefined) continue;
    const [major = 0, minor = 0] = answer.version;
    const version = answer.version.join('.');
    if (major !== 3 || minor < 10) {
      tooOld ??= `${answer.path} is ${version}`;
      continue;
    }
    const { path, libraries } = answer;
    void precompile(path);
    return { path, prefixes: outsideUsr([...answer.prefixes, prefixOf(path)]), libraries, version, env: {} };
  }
  throw new PeagenError('missing_program', `Python 3.10 or newer was not found${tooOld === undefined ? '' : ` (${tooOld})`}.`, {
    hint: 'Install Python 3 and put python3 on the PATH. The JavaScript sample media/samples/bad_sort_js needs no Python.',
  });
}

/** It halves a runner's start, that of the first ones aside. Where our own folder cannot be written to, it is done without. */
async function precompile(python: string): Promise<void> {
  const folders = ['peagen_fork', 'peagen_runner', 'peagen_apart'].map((name) => assetPath(`executors/runners/${name}`));
  await run(python, ['-I', '-S', '-c', compileRunner, ...folders], { timeout: 10_000 }).catch(() => undefined);
}

async function ask(name: string): Promise<z.infer<typeof PythonAnswer> | undefined> {
  try {
    const { stdout } = await run(name, ['-I', '-c', askPython], { timeout: 10_000 });
    return PythonAnswer.parse(JSON.parse(stdout));
  } catch {
    // Not installed, or a shim without a version behind it: the next name may work.
    return undefined;
  }
}

async function findNode(): Promise<Interpreter> {
  const node = { libraries: [], env: {} };
  if (process.versions['electron'] === undefined) {
    return { ...node, path: process.execPath, prefixes: outsideUsr([process.execPath]), version: process.versions.node };
  }
  // An editor's own runtime works as Node too, but it is large and started by a variable; a real Node is better.
  try {
    const { stdout } = await run('node', ['-p', 'JSON.stringify([process.execPath, process.versions.node])'], {
      timeout: 10_000,
    });
    const [path, version] = z.tuple([z.string(), z.string()]).parse(JSON.parse(stdout));
    if (Number.parseInt(version, 10) >= 20) return { ...node, path, prefixes: outsideUsr([path]), version };
  } catch {
    // None on the PATH.
  }
  return {
    path: process.execPath,
    prefixes: outsideUsr([dirname(process.execPath)]),
    libraries: [],
    version: process.versions.node,
    env: { ELECTRON_RUN_AS_NODE: '1' },
  };
}

/** The folder above `bin` of the real file behind a link, where a virtual environment's own libraries are. */
function prefixOf(program: string): string {
  try {
    return dirname(dirname(realpathSync(program)));
  } catch {
    return dirname(dirname(program));
  }
}

/** Sandboxes always show /usr; only what lies outside is named. */
function outsideUsr(paths: readonly string[]): string[] {
  return [...new Set(paths)].filter((path) => path !== '/' && path !== '/usr' && !path.startsWith('/usr/'));
}
