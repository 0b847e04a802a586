/** Writes a new plugin package: TypeScript, with a test and a README, that builds, passes and runs as it is. */
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PeagenError } from '../../shared/errors.ts';
import { API_VERSION } from './manifest.ts';

export const scaffoldKinds = ['mutator', 'selector'] as const;
export type ScaffoldKind = (typeof scaffoldKinds)[number];

interface Scaffold {
  readonly kind: ScaffoldKind;
  readonly name: string;
  /** Absolute; made when it is not there. */
  readonly folder: string;
  /** What npm installs for `peagen/plugin`: a version, or the path of a tarball. */
  readonly peagen: string;
}

/**
 * Returns the paths that it wrote, or would write. Throws `conflict` for a folder that has one of them, and writes nothing
 * then.
 */
export async function scaffold(what: Scaffold, dryRun: boolean): Promise<string[]> {
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(what.name)) {
    throw new PeagenError('invalid_input', `"${what.name}" is not a name for a plugin.`, {
      hint: 'Use lower-case letters, digits and hyphens, such as "hello".',
    });
  }
  const files = Object.entries(filesOf(what)).map(([path, text]) => ({ path: join(what.folder, path), text }));
  const taken = files.find(({ path }) => existsSync(path));
  if (taken !== undefined) throw new PeagenError('conflict', `${taken.path} is there already.`, { hint: 'Give another folder.' });
  if (dryRun) return files.map(({ path }) => path);
  for (const { path, text } of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
  return files.map(({ path }) => path);
}

function filesOf(what: Scaffold): Record<string, string> {
  const { kind, name } = what;
  return {
    'package.json': packageJson(what),
    'tsconfig.json': TSCONFIG,
    '.gitignore': 'node_modules\ndist\n',
    'README.md': readme(what),
    [`src/${name}.ts`]: kind === 'mutator' ? MUTATOR : SELECTOR,
    [`test/${name}.test.ts`]: (kind === 'mutator' ? MUTATOR_TEST : SELECTOR_TEST).replaceAll('NAME', name),
  };
}

function packageJson({ kind, name, peagen }: Scaffold): string {
  const description = {
    name: `peagen-${name}`,
    version: '0.1.0',
    description: `A ${kind} for Peagen.`,
    type: 'module',
    files: ['dist/src'],
    peagen: { api: API_VERSION, [`${kind}s`]: { [name]: `./dist/src/${name}.js` } },
    scripts: { build: 'tsc', test: 'tsc && mocha dist/test', prepare: 'tsc' },
    dependencies: { zod: '^4.0.0' },
    devDependencies: { '@types/mocha': '^10.0.10', '@types/node': '^24.0.0', mocha: '^11.0.0', peagen, typescript: '^5.9.0' },
  };
  return `${JSON.stringify(description, null, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "strict": true,
    "skipLibCheck": true,
    "rootDir": ".",
    "outDir": "dist",
    "types": ["node", "mocha"]
  },
  "include": ["src", "test"]
}
`;

function readme({ kind, name }: Scaffold): string {
  return `# peagen-${name}

A ${kind} for [Peagen](https://www.npmjs.com/package/peagen).

\`\`\`sh
npm install && npm test
\`\`\`

In the workspace that is to use it:

\`\`\`sh
peagen plugin add PATH/TO/peagen-${name}
peagen evolve run --target-file slow.py --entry-fn slow --${kind} ${name}
\`\`\`
`;
}

const MUTATOR = `/** Deletes one line of what may change. Most children are wrong, and some are faster: judging them is the run's part. */
import type { Plugin } from 'peagen/plugin';
import * as z from 'zod';

/** The table [plugins.NAME] of .peagen.toml. */
const Options = z.strictObject({
  /** Lines that contain this text stay. */
  keep: z.string().default('return'),
});

export default {
  options: Options,
  make: ({ keep }, { name }) => ({
    name,
    // Capability tags that its tasks need in addition to cpu: ['llm'] for a mutator that asks a model.
    requires: [],
    async mutate({ parent, seed }) {
      const tokens = { prompt: 0, completion: 0 };
      const { program } = parent;
      // Mutators are deterministic: the seed decides.
      const span = program.spans[seed % program.spans.length];
      const file = program.files.find(({ path }) => path === span?.path);
      if (span === undefined || file === undefined) return { kind: 'rejected', reason: 'nothing may change', tokens };
      const lines = file.text.slice(span.start, span.end).split('\\n');
      const free = lines.flatMap((line, at) => (at === 0 || line.trim() === '' || line.includes(keep) ? [] : [at]));
      const at = free[seed % free.length];
      if (at === undefined) return { kind: 'rejected', reason: 'no line may go', tokens };
      const text = lines.toSpliced(at, 1).join('\\n');
      const moved = text.length - (span.end - span.start);
      const changed = {
        ...program,
        files: program.files.map((each) =>
          each === file ? { ...each, text: each.text.slice(0, span.start) + text + each.text.slice(span.end) } : each,
        ),
        // Offsets behind the change move with it.
        spans: program.spans.map((each) => {
          if (each.path !== span.path || each.end < span.end) return each;
          return { ...each, start: each.start >= span.end ? each.start + moved : each.start, end: each.end + moved };
        }),
      };
      return { kind: 'child', program: changed, origin: { mutator: name, summary: \`delete line \${at + 1} of the span\` }, tokens };
    },
  }),
} satisfies Plugin<'mutator', z.infer<typeof Options>>;
`;

const MUTATOR_TEST = `import { mutatorConformance } from 'peagen/plugin/testing';
import plugin from '../src/NAME.js';

mutatorConformance('NAME', plugin);
`;

const SELECTOR = `/** Takes the champion whose children have gained most so far, and one at random now and then. */
import type { Plugin } from 'peagen/plugin';
import * as z from 'zod';

/** The table [selector.NAME] of .peagen.toml. */
const Options = z.strictObject({
  /** How often another champion is taken. */
  explore: z.number().min(0).max(1).default(0.3),
});

export default {
  options: Options,
  make({ explore }, { name }) {
    const gains = new Map<string, number>();
    return {
      name,
      select(archive, random) {
        const champions = archive.champions();
        if (random.next() < explore) return random.pick(champions);
        const gain = ({ sha256 }: { sha256: string }) => gains.get(sha256) ?? 0;
        return champions.reduce((best, each) => (gain(each) > gain(best) ? each : best));
      },
      inspirations(archive, k, parent, random) {
        // A program can be the champion of several niches.
        const others = new Map(archive.champions().map((each) => [each.sha256, each]));
        others.delete(parent);
        return random.shuffle([...others.values()]).slice(0, k);
      },
      feedback(parent, gain) {
        gains.set(parent, Math.max(gain, (gains.get(parent) ?? 0) * 0.9));
      },
    };
  },
} satisfies Plugin<'selector', z.infer<typeof Options>>;
`;

const SELECTOR_TEST = `import { selectorConformance } from 'peagen/plugin/testing';
import plugin from '../src/NAME.js';

selectorConformance('NAME', plugin);
`;
