/**
 * Writes a lineage as a git branch, one commit a step. Work tree, index and checked-out branch stay as they are: the
 * trees are made in an index of their own.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { PeagenError } from '../../../shared/errors.ts';
import { times } from '../../../shared/words/ratio.ts';
import type { LineageStep } from './lineage.ts';

/** What an absent reference is called. */
const NOTHING = '0'.repeat(40);

/** The branch of a run's way to its best. Oldest first; `commits` is empty when `base` already holds the best. */
interface WrittenBranch {
  branch: string;
  base: string;
  commits: { commit: string; sha256: string; summary: string }[];
}

/**
 * `root`: absolute folder that the programs' paths are relative to. Throws `not_found` or `conflict`. A preview says what would be
 * made, and leaves the repository as it is.
 */
export async function exportToGit(
  root: string,
  branch: string,
  steps: readonly LineageStep[],
  preview = false,
): Promise<WrittenBranch> {
  const folder = await mkdtemp(join(tmpdir(), 'peagen-export-'));
  try {
    const exporter = new Exporter(root, { ...process.env, GIT_INDEX_FILE: join(folder, 'index') });
    if (preview) await exporter.keepObjectsIn(folder);
    const written = await exporter.run(branch, steps);
    if (!preview) await exporter.point(written);
    return written;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class Exporter {
  private readonly root: string;
  private readonly env: NodeJS.ProcessEnv;

  constructor(root: string, env: NodeJS.ProcessEnv) {
    this.root = root;
    this.env = env;
  }

  /** What is made is in this folder; what the repository has is read there. */
  async keepObjectsIn(folder: string): Promise<void> {
    const objects = await this.git(['rev-parse', '--git-path', 'objects']);
    Object.assign(this.env, { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: resolve(this.root, objects) });
  }

  async point({ branch, base, commits }: WrittenBranch): Promise<void> {
    const head = commits.at(-1)?.commit ?? base;
    await this.git(['update-ref', '-m', 'peagen: export', `refs/heads/${branch}`, head, NOTHING]);
  }

  async run(branch: string, steps: readonly LineageStep[]): Promise<WrittenBranch> {
    const prefix = await this.git(['rev-parse', '--show-prefix']);
    const base = await this.git(['rev-parse', '--verify', 'HEAD^{commit}']);
    const reference = `refs/heads/${branch}`;
    if ((await this.git(['for-each-ref', reference])) !== '') {
      throw new PeagenError('conflict', `The branch ${branch} exists already in ${this.root}.`, {
        hint: `Look at it with git log ${branch}, or delete it first.`,
      });
    }
    await this.git(['read-tree', base]);
    let tree = await this.git(['write-tree']);
    let head = base;
    const commits: WrittenBranch['commits'] = [];
    for (const step of steps) {
      for (const { path, text } of step.program.files) await this.stage(`${prefix}${path}`, text);
      const next = await this.git(['write-tree']);
      // The original is a step of its own only where it is not what was committed.
      if (next === tree) continue;
      tree = next;
      head = await this.git(['commit-tree', tree, '-p', head, '-F', '-'], messageOf(step));
      commits.push({ commit: head, sha256: step.sha256, summary: step.origin.summary });
    }
    return { branch, base, commits };
  }

  /** `path` from the top of the repository. Line ends become what `git add` would make of them. */
  private async stage(path: string, text: string): Promise<void> {
    const blob = await this.git(['hash-object', '-w', '--stdin', `--path=${path}`], text);
    const [known] = (await this.git(['ls-files', '--stage', '--full-name', '--', `:(top,literal)${path}`])).split(' ');
    const mode = known === undefined || known === '' ? '100644' : known;
    await this.git(['update-index', '--add', '--cacheinfo', `${mode},${blob},${path}`]);
  }

  private git(args: readonly string[], input = ''): Promise<string> {
    return new Promise((resolve, reject) => {
      const child = spawn('git', ['-C', this.root, ...args], { env: this.env, stdio: ['pipe', 'pipe', 'pipe'] });
      let output = '';
      let errors = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        errors += text;
      });
      child.once('error', (cause) => {
        reject(new PeagenError('missing_program', `git cannot be run: ${cause.message}.`, { hint: 'Install git.', cause }));
      });
      child.once('close', (status) => {
        if (status === 0) resolve(output.replace(/\n$/, ''));
        else reject(failed(this.root, args, errors.trim()));
      });
      // git may end before it has read everything; its status shows it.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input);
    });
  }
}

function failed(root: string, [command]: readonly string[], errors: string): PeagenError {
  return new PeagenError('not_found', `git ${command} failed in ${root}: ${errors.split('\n')[0]}`, {
    hint: 'The target has to lie in a git repository with at least one commit, and git has to know your name.',
  });
}

function messageOf({ sha256, origin, metrics }: LineageStep): string {
  const { speedup } = metrics;
  const lines = [
    `Program: ${sha256}`,
    `Mutator: ${origin.mutator}`,
    ...(origin.backend === undefined ? [] : [`Backend: ${origin.backend}`]),
    ...(speedup === undefined ? [] : [`Speed-up: ${times(speedup)}`]),
  ];
  return `${origin.summary.replaceAll(/\s+/g, ' ').trim()}\n\n${lines.join('\n')}\n`;
}
