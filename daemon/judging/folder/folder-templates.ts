/** The prompt templates that an evaluator folder brings (`prompt.template_dir`): texts with `{name}` in them. */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Asking } from '../../../shared/asking.ts';
import type { FolderConfig } from './folder-schema.ts';

/** A longer text is not used as a question to a model. */
const LONGEST = 100_000;
/** The mutator whose question a template is. */
const mutators: Readonly<Record<string, string>> = { diff_user: 'patch', full_rewrite_user: 'rewrite' };

interface FolderTemplates {
  readonly questions: Pick<Asking, 'questions' | 'system'>;
  readonly warnings: readonly string[];
}

/** Reads only a folder inside the evaluator's: a configuration may come from anywhere, and what is read goes to a model. */
export async function readTemplates(root: string, { prompt }: FolderConfig): Promise<FolderTemplates> {
  const { template_dir: named, system_message: system } = prompt ?? {};
  if (named === undefined) return { questions: {}, warnings: [] };
  const refused = (why: string): FolderTemplates => ({ questions: {}, warnings: [`prompt.template_dir: ${named} ${why}.`] });
  const home = await realpath(root);
  const folder = await realpath(resolve(root, named)).catch(() => undefined);
  if (folder === undefined) return refused('is not there');
  const inside = (path: string) => !relative(home, path).startsWith('..');
  if (!inside(folder)) return refused('is outside of the folder, so nothing is read from it');
  const texts = new Map<string, string>();
  const ignored: string[] = [];
  for (const name of (await readdir(folder)).sort()) {
    const stem = name.replace(/\.txt$/, '');
    const used = name.endsWith('.txt') && (stem in mutators || stem === 'system_message' || stem === system);
    const file = used ? await realpath(join(folder, name)) : '';
    const text = used && inside(file) ? await readFile(file, 'utf8') : undefined;
    if (text === undefined || text.length > LONGEST) ignored.push(name);
    else texts.set(stem, text);
  }
  const questions = [...texts].flatMap(([stem, text]) => (mutators[stem] === undefined ? [] : [[mutators[stem], text]]));
  // A message can name a template.
  const own = texts.get(system ?? 'system_message');
  return {
    questions: {
      ...(questions.length === 0 ? {} : { questions: Object.fromEntries(questions) }),
      ...(own === undefined ? {} : { system: own }),
    },
    warnings: ignored.length === 0 ? [] : [`prompt.template_dir has files that are not used: ${ignored.join(', ')}.`],
  };
}
