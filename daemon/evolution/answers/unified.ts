/** Finds unified diffs in text. Line numbers and counts in hunk headers are hints: models get them wrong. */
import type { AnswerEdit, Op } from './edits.ts';

const hunkHeader = /^@@(?:\s*-(\d+)(?:,\d+)?\s+\+\d+(?:,\d+)?\s*@@.*|.*)$/;

export function readDiff(lines: readonly string[]): AnswerEdit[] {
  const edits: AnswerEdit[] = [];
  let path: string | undefined;
  let ops: Op[] | undefined;
  let line: number | undefined;
  const finish = () => {
    const whole = trimmed(ops ?? []);
    if (whole.length > 0) {
      edits.push({ ops: whole, ...(path === undefined ? {} : { path }), ...(line === undefined ? {} : { line }) });
    }
    ops = undefined;
  };
  for (const [index, text] of lines.entries()) {
    const next = lines[index + 1] ?? '';
    if (/^--- \S/.test(text) && /^\+\+\+ \S/.test(next)) {
      finish();
      path = pathOf(text);
    } else if (/^\+\+\+ \S/.test(text) && /^--- \S/.test(lines[index - 1] ?? '')) {
      path = pathOf(text) ?? path;
    } else if (hunkHeader.test(text)) {
      finish();
      const at = Number(hunkHeader.exec(text)?.[1]);
      line = Number.isInteger(at) && at > 0 ? at - 1 : undefined;
      ops = [];
    } else if (ops !== undefined) {
      const op = opOf(text);
      if (op === undefined) finish();
      else if (op !== 'skip') ops.push(op);
    }
  }
  finish();
  return edits;
}

function opOf(text: string): Op | 'skip' | undefined {
  const rest = text.slice(1);
  switch (text[0]) {
    case '+':
      return { kind: 'add', line: rest };
    case '-':
      return { kind: 'remove', line: rest };
    case ' ':
      return { kind: 'keep', line: rest };
    case '\\':
      return 'skip';
    case undefined:
      // An empty line that lost its blank.
      return { kind: 'keep', line: '' };
    case '\t':
      // A context line that lost its blank.
      return { kind: 'keep', line: text };
    default:
      return undefined;
  }
}

/** Empty lines at the end of a hunk belong to what follows it. A hunk that changes nothing is none. */
function trimmed(ops: readonly Op[]): Op[] {
  if (!ops.some((op) => op.kind !== 'keep')) return [];
  const end = ops.findLastIndex((op) => op.kind !== 'keep' || op.line !== '');
  return ops.slice(0, end + 1);
}

/** `a/src/x.py`, `b/x.py`, `x.py  2024-01-01`, `/dev/null`. */
function pathOf(header: string): string | undefined {
  const path = header.slice(4).split('\t')[0]?.trim().replace(/^"|"$/g, '') ?? '';
  return path === '/dev/null' || path === '' ? undefined : path.replace(/^[ab]\//, '');
}
