/** What in a file can be evolved: its functions, and whether it has markers. The parser is loaded when first needed. */

import type * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import type { InspectFile } from '../../shared/protocol/targets.ts';

/** Beyond this, a file is not parsed for lenses: UTF-16 code units. */
const MAX_TEXT = 4 * 1024 * 1024;

type Inspection = z.infer<typeof InspectFile.result>;

export async function inspectFile(path: string, text: string): Promise<Inspection> {
  if (text.length > MAX_TEXT) {
    throw new PeagenError('too_large', `${path} has ${text.length} characters; files up to ${MAX_TEXT} are looked at.`);
  }
  const { languageOf } = await import('../evolution/syntax/languages.ts');
  const language = languageOf(path);
  const hasMarkers = text.includes('EVOLVE-BLOCK-START') && text.includes('EVOLVE-BLOCK-END');
  if (language === undefined) return { language: 'plaintext', supported: false, functions: [], hasMarkers };
  const { functionsIn } = await import('../evolution/syntax/functions.ts');
  const { lineOf, parse } = await import('../evolution/syntax/parse.ts');
  const tree = await parse(language, text);
  const error = tree.error === undefined ? {} : { error: { line: lineOf(text, tree.error.offset), what: tree.error.what } };
  return { language, supported: true, functions: functionsIn(tree), hasMarkers, ...error };
}
