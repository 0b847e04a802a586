/** What a model's answer asks for, once its text has been read. */

/** One line of an edit, without its line break. */
export interface Op {
  readonly kind: 'keep' | 'remove' | 'add';
  readonly line: string;
}

/** One replacement: the kept and removed lines are what to look for, the kept and added ones what shall stand there. */
export interface AnswerEdit {
  readonly ops: readonly Op[];
  /** As the answer names it; often wrong. */
  readonly path?: string;
  /** Where the answer says it is, zero-based; often wrong. */
  readonly line?: number;
}

export interface CodeBlock {
  /** Behind the fence; empty when there is none. */
  readonly language: string;
  readonly text: string;
}

export type Answer =
  | { readonly kind: 'edits'; readonly edits: readonly AnswerEdit[]; readonly blocks: readonly CodeBlock[] }
  | { readonly kind: 'code'; readonly blocks: readonly CodeBlock[] }
  | { readonly kind: 'none'; readonly reason: string };

export function searched(edit: AnswerEdit): string[] {
  return edit.ops.filter((op) => op.kind !== 'add').map((op) => op.line);
}

/** Whether anything would be different. */
export function changes(edit: AnswerEdit): boolean {
  return edit.ops.some((op) => op.kind !== 'keep');
}
