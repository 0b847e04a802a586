/** From an answer's text to a child of the parent, whichever form the answer has. */
import type { Entry, Program } from '../../../shared/program.ts';
import { type Applied, applyEdits } from './apply.ts';
import { placeCode } from './code.ts';
import { parseAnswer } from './parse.ts';

interface AnswerText {
  readonly text: string;
  /** The model was stopped in mid-answer. */
  readonly cut?: boolean;
}

export async function childOf(parent: Program, answer: AnswerText, entry: Entry | undefined): Promise<Applied> {
  const parsed = parseAnswer(answer.text, { cut: answer.cut ?? false });
  switch (parsed.kind) {
    case 'none':
      return { fault: parsed.reason };
    case 'code':
      return placeCode(parent, parsed.blocks, entry);
    case 'edits': {
      const edited = applyEdits(parent, parsed.edits);
      if ('program' in edited || parsed.blocks.length === 0) return edited;
      // The change may be written out in full next to the patch that does not apply.
      const code = parsed.blocks.filter((block) => !/^(<{4,}|@@|--- )/m.test(block.text));
      const placed = await placeCode(parent, code, entry);
      return 'program' in placed ? placed : edited;
    }
  }
}
