/**
 * Answers that suit the program in a prompt: of the corpus written for it, those whose searched lines are there, chosen
 * by a hash of the question, so that the same question gets the same answer. One in five is an answer as bad as real ones are.
 */
import { createHash } from 'node:crypto';
import { badSortEdits, badSortFunctions } from './corpus/bad_sort.ts';
import type { ChatBody, Step } from './steps.ts';

export interface CorpusEdit {
  readonly say: string;
  readonly search: string;
  readonly replace: string;
}

export interface CorpusFunction {
  readonly say: string;
  readonly code: string;
}

const corpora = [{ marker: 'def bad_sort(', language: 'python', edits: badSortEdits, functions: badSortFunctions }];

export function corpusAnswer(body: ChatBody): Step {
  const prompt = body.messages.at(-1)?.content ?? '';
  const dice = createHash('sha256')
    .update(`${body.seed ?? ''}\0${prompt}`)
    .digest();
  const pick = <T>(items: readonly T[], byte: number): T | undefined => items[(dice[byte] ?? 0) % items.length];
  const corpus = corpora.find((each) => prompt.includes(each.marker));
  if (corpus === undefined) return { type: 'answer', text: 'I do not know this program.' };
  const asksForBlocks = prompt.includes('<<<<<<< SEARCH\nlines copied exactly');
  const program = prompt.slice(prompt.indexOf(corpus.marker));
  const fitting = corpus.edits.filter((edit) => program.includes(edit.search));
  const edit = pick(fitting, 0);
  const fn = pick(corpus.functions, 1);
  const text =
    asksForBlocks && edit !== undefined
      ? `Change: ${edit.say}\n\n${blocks(edit)}`
      : `Change: ${fn?.say}\n\n\`\`\`${corpus.language}\n${fn?.code}\n\`\`\``;
  return (dice[2] ?? 0) < 51 ? spoiled(text, (dice[3] ?? 0) % 6) : { type: 'answer', text };
}

function blocks({ search, replace }: CorpusEdit): string {
  return `<<<<<<< SEARCH\n${search}\n=======\n${replace}\n>>>>>>> REPLACE\n`;
}

function spoiled(text: string, how: number): Step {
  switch (how) {
    case 0:
      return {
        type: 'answer',
        text: `Sure! Here is the improved version you asked for.\n\n${text}\n\nLet me know if that helps!`,
      };
    case 1:
      return { type: 'answer', text: text.slice(0, Math.floor(text.length * 0.7)), finish: 'length' };
    case 2:
      return { type: 'answer', text: text.replaceAll('\n', '\r\n') };
    case 3:
      return { type: 'answer', text: `<think>\nMaybe reverse it? ${text.slice(0, 60)}\n</think>\n${text}` };
    case 4:
      return { type: 'answer', text: 'The program is already as fast as it can be.' };
    default:
      return { type: 'refusal' };
  }
}
