/**
 * Fetches template sets from elsewhere. Their authors are not trusted: no script of a package runs, git runs no hook,
 * filter or helper program, and links, devices and large files are refused. Nothing is kept unless all of it is in order.
 */
import { execFile } from 'node:child_process';
import { copyFile, lstat, mkdir, mkdtemp, readdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { PeagenError } from '../../../shared/errors.ts';
import { MAX_TEMPLATE } from '../limits.ts';
import { ADDED_SETS } from './search.ts';
import { hasFileList, LEFT_OUT, originPath, type SetOrigin } from './sets.ts';
import { unpack } from './unpack.ts';

const FETCH_MS = 120_000;
const MAX_FILES = 2000;
const MAX_BYTES = 64 * 1024 * 1024;
/** Folders between the top of a source and its sets. */
const MAX_DEPTH = 5;

/** `https`, `ssh` and `file` URLs, and `user@host:path`; a part behind `#` names a branch or a tag. */
const GIT_URL = /^(?:git\+)?((?:https|ssh|file):\/\/[^\s#]+|[\w.-]+@[\w.-]+:[^\s#]+)(?:#(.+))?$/;
const GIT_REF = /^[\w][\w./-]*$/;
const PACKAGE = /^(?:npm:)?((?:@[\w.-]+\/)?[\w][\w.-]*)(?:@([\w.^~<>=*+-]+))?$/;

export interface AddedSet {
  readonly name: string;
  readonly folder: string;
  readonly files: number;
  readonly origin: SetOrigin;
}

export interface AddOptions {
  readonly workspace: string;
  /** Another name for the set; the source has one set only then. */
  readonly name?: string | undefined;
  readonly replace: boolean;
  readonly dryRun: boolean;
}

/** Copies every set of the source into the workspace. */
export async function addTemplateSets(source: string, options: AddOptions): Promise<AddedSet[]> {
  const parent = resolve(options.workspace, ADDED_SETS);
  const temporary = await makeTemporary(resolve(options.workspace, '.peagen'));
  try {
    const { folder, origin, title } = await fetchSource(source, options.workspace, temporary);
    const sets = await setsIn(folder, title);
    if (sets.length === 0) {
      throw new PeagenError('invalid_input', `${source} holds no template set (a folder with ptree.yaml.j2).`);
    }
    if (options.name !== undefined && sets.length > 1) {
      throw new PeagenError('invalid_input', `${source} holds ${sets.length} template sets: one name does not suit them all.`);
    }
    const copies: { name: string; from: string; files: number }[] = [];
    for (const { path, name } of sets) {
      const chosen = requireName(options.name ?? name);
      const from = join(temporary, 'copies', chosen);
      copies.push({ name: chosen, from, files: await copySet(path, from) });
      if (!options.replace && (await exists(join(parent, chosen)))) {
        throw new PeagenError('conflict', `The template set "${chosen}" has been added already.`, {
          hint: 'Replace it with --force, or choose another --name.',
        });
      }
    }
    const added = copies.map(({ name, files }) => ({ name, folder: join(parent, name), files, origin }));
    if (options.dryRun) return added;
    await mkdir(parent, { recursive: true });
    for (const { name, from } of copies) {
      const target = join(parent, name);
      if (await exists(target)) await rename(target, join(temporary, `old-${name}`));
      await rename(from, target);
      await writeFile(originPath(target), `${JSON.stringify(origin, null, 2)}\n`);
    }
    return added;
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function makeTemporary(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  return mkdtemp(join(folder, 'adding-'));
}

interface Fetched {
  readonly folder: string;
  readonly origin: SetOrigin;
  /** The name of a set that is the source itself. */
  readonly title: string;
}

async function fetchSource(source: string, workspace: string, temporary: string): Promise<Fetched> {
  const path = resolve(workspace, source);
  if (/^[./~]|^[A-Za-z]:[\\/]/.test(source) || (await isFolder(path))) {
    if (await isFolder(path)) return { folder: await realpath(path), origin: { source: path }, title: basename(path) };
    throw new PeagenError('not_found', `There is no folder ${path}.`);
  }
  const git = GIT_URL.exec(source);
  if (git?.[1] !== undefined) return fetchGit(git[1], git[2], temporary);
  const named = PACKAGE.exec(source);
  if (named?.[1] !== undefined) return fetchPackage(named[1], named[2], workspace, temporary);
  throw new PeagenError('invalid_input', `${JSON.stringify(source)} is not a folder, git address or package.`, {
    hint: 'Give a folder, an https:// or ssh:// address of a git repository, or the name of a package.',
  });
}

async function fetchGit(url: string, ref: string | undefined, temporary: string): Promise<Fetched> {
  if (ref !== undefined && !GIT_REF.test(ref)) {
    throw new PeagenError('invalid_input', `${JSON.stringify(ref)} is not a name of a branch or tag.`);
  }
  const folder = join(temporary, 'git');
  // An empty folder of templates: a clone's hooks come from there.
  await mkdir(join(temporary, 'empty'));
  const settings = ['core.hooksPath=/dev/null', 'core.symlinks=false', 'core.fsmonitor=false', 'protocol.ext.allow=never'];
  const args = [
    ...settings.flatMap((each) => ['-c', each]),
    'clone',
    '--quiet',
    '--depth=1',
    '--single-branch',
    '--no-tags',
    '--no-recurse-submodules',
    `--template=${join(temporary, 'empty')}`,
    ...(ref === undefined ? [] : [`--branch=${ref}`]),
    '--',
    url,
    folder,
  ];
  // A filter that a repository asks for runs only where a user has set it up, as with git lfs; here, not even then.
  const env = {
    ...process.env,
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_SSH_COMMAND: process.env['GIT_SSH_COMMAND'] ?? 'ssh -oBatchMode=yes',
  };
  await run('git', args, { env, cwd: temporary }, `${url} cannot be cloned`);
  const revision = (await run('git', ['-C', folder, 'rev-parse', 'HEAD'], { env, cwd: temporary }, 'git')).trim();
  const title = basename(url.replace(/\/+$/, '').split(/[/:]/).at(-1) ?? '', '.git');
  return { folder, origin: { source: ref === undefined ? url : `${url}#${ref}`, revision }, title };
}

/** One that is installed in the workspace, else from the registry that npm is set up for. */
async function fetchPackage(name: string, version: string | undefined, workspace: string, temporary: string): Promise<Fetched> {
  const title = basename(name);
  if (version === undefined) {
    const folder = await installed(name, workspace);
    if (folder !== undefined) return { folder, origin: { source: `npm:${name}` }, title };
  }
  const spec = `${name}@${version ?? 'latest'}`;
  const args = ['pack', '--ignore-scripts', '--json', '--silent', `--pack-destination=${temporary}`, '--', spec];
  // Not in the workspace: settings of npm that lie there are not to be trusted.
  await run('npm', args, { cwd: tmpdir(), env: process.env }, `The package ${spec} cannot be fetched`);
  const archive = (await readdir(temporary)).find((file) => file.endsWith('.tgz'));
  if (archive === undefined) throw new PeagenError('unavailable', `npm has packed nothing for ${spec}.`);
  const folder = join(temporary, 'package');
  await unpack(join(temporary, archive), folder, { maxFiles: MAX_FILES, maxBytes: MAX_BYTES });
  return { folder, origin: { source: `npm:${name}`, revision: archive.slice(0, -'.tgz'.length) }, title };
}

async function installed(name: string, workspace: string): Promise<string | undefined> {
  for (const folder of createRequire(join(workspace, 'package.json')).resolve.paths(name) ?? []) {
    const path = join(folder, name);
    if (await isFolder(path)) return realpath(path);
  }
  return undefined;
}

async function run(
  file: string,
  args: string[],
  options: { env: NodeJS.ProcessEnv; cwd: string },
  failure: string,
): Promise<string> {
  return new Promise((done, reject) => {
    execFile(
      file,
      args,
      { ...options, timeout: FETCH_MS, maxBuffer: 16 * 1024 * 1024, killSignal: 'SIGKILL' },
      (error, stdout, stderr) => {
        if (error === null) return done(stdout);
        const missing = 'code' in error && String(error.code) === 'ENOENT';
        const late = error.killed === true;
        const said = missing
          ? `${file} is not installed`
          : late
            ? `no end after ${FETCH_MS / 1000} s`
            : lastLine(stderr || error.message);
        reject(
          new PeagenError('unavailable', `${failure}: ${said}.`, {
            hint: 'Check the address and your access to it.',
            retryable: false,
          }),
        );
      },
    );
  });
}

function lastLine(text: string): string {
  return (text.trim().split('\n').at(-1) ?? '').replace(/\.$/, '').slice(0, 300);
}

/** The source itself, or every folder in it that is a set. */
async function setsIn(folder: string, title: string): Promise<{ path: string; name: string }[]> {
  if (await hasFileList(folder)) return [{ path: folder, name: title }];
  const found: { path: string; name: string }[] = [];
  const walk = async (at: string, depth: number): Promise<void> => {
    for (const entry of await readdir(at, { withFileTypes: true })) {
      const path = join(at, entry.name);
      if (!entry.isDirectory() || LEFT_OUT.has(entry.name)) continue;
      if (await hasFileList(path)) found.push({ path, name: entry.name });
      else if (depth < MAX_DEPTH) await walk(path, depth + 1);
    }
  };
  await walk(folder, 1);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function requireName(name: string): string {
  if (/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u.test(name)) return name;
  throw new PeagenError('invalid_input', `${JSON.stringify(name.slice(0, 100))} is not a name for a template set.`, {
    hint: 'Give one with --name: letters, digits, dots, dashes.',
  });
}

/** Returns how many files there are. Throws `invalid_input` for anything but files and folders. */
async function copySet(from: string, to: string): Promise<number> {
  let files = 0;
  let bytes = 0;
  const walk = async (source: string, target: string): Promise<void> => {
    await mkdir(target, { recursive: true });
    for (const entry of await readdir(source, { withFileTypes: true })) {
      if (LEFT_OUT.has(entry.name)) continue;
      const path = join(source, entry.name);
      if (entry.isDirectory()) {
        await walk(path, join(target, entry.name));
        continue;
      }
      if (!entry.isFile()) {
        throw new PeagenError('invalid_input', `${path} is a link or no file, which a template set may not hold.`);
      }
      const { size } = await lstat(path);
      files += 1;
      bytes += size;
      if (size > MAX_TEMPLATE || files > MAX_FILES || bytes > MAX_BYTES) {
        throw new PeagenError(
          'too_large',
          `The template set ${from} is too large: ${files} files with ${bytes} bytes, the last one ${path}.`,
          {
            hint: `A file may have ${MAX_TEMPLATE} bytes, a set ${MAX_FILES} files and ${MAX_BYTES} bytes.`,
          },
        );
      }
      await copyFile(path, join(target, entry.name));
    }
  };
  await mkdir(dirname(to), { recursive: true });
  await walk(from, to);
  return files;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
