/** Loads the prompt templates: `prompts/NAME.j2` in the user's search path before the built-in ones next to this file. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { assetPath } from '../../assets.ts';
import { type Templates, templatesOf } from '../jinja.ts';

const loaded = new Map<string, Templates>();

/** `searchPath` is relative to the current folder. Read once for each search path. */
export function promptTemplates(searchPath: readonly string[]): Templates {
  const key = JSON.stringify(searchPath);
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const folders = [...searchPath.map((folder) => join(resolve(folder), 'prompts')), assetPath('llm/prompts/templates')];
  const sources = new Map<string, string>();
  for (const folder of folders) {
    if (!existsSync(folder)) continue;
    for (const file of readdirSync(folder)) {
      const name = file.slice(0, -'.j2'.length);
      if (file.endsWith('.j2') && !sources.has(name)) sources.set(name, readFileSync(join(folder, file), 'utf8'));
    }
  }
  const templates = templatesOf(sources);
  loaded.set(key, templates);
  return templates;
}
