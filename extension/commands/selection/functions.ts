/** Which functions of a file a selection means. Pure: lines are zero-based and inclusive. */
import type { FunctionInfo } from '../../../shared/protocol/targets.ts';

export type SelectedFunctions =
  | { readonly kind: 'one'; readonly function: FunctionInfo }
  /** `inClass` when all of a class is meant. */
  | { readonly kind: 'several'; readonly functions: readonly FunctionInfo[]; readonly inClass?: string };

/** Undefined when the selection means none in particular. */
export function selectedFunctions(
  functions: readonly FunctionInfo[],
  start: number,
  end: number,
  lines: readonly string[],
): SelectedFunctions | undefined {
  const around = functions
    .filter(({ start_line, end_line }) => start_line <= start && end <= end_line)
    .sort((a, b) => a.end_line - a.start_line - (b.end_line - b.start_line));
  if (around[0] !== undefined) return { kind: 'one', function: around[0] };
  const touched = start === end ? [] : functions.filter(({ start_line, end_line }) => start_line <= end && start <= end_line);
  if (touched.length > 1) return { kind: 'several', functions: touched };
  const [only] = touched;
  if (only !== undefined) return { kind: 'one', function: only };
  return classAround(functions, start, lines);
}

/** The methods of the class that a line between them, or its first line, belongs to. */
function classAround(functions: readonly FunctionInfo[], line: number, lines: readonly string[]): SelectedFunctions | undefined {
  for (let at = Math.min(line, lines.length - 1); at >= 0; at--) {
    const name = /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+([\p{L}\p{N}_$]+)/u.exec(lines[at] ?? '')?.[1];
    if (name === undefined) continue;
    const members = functions.filter((each) => each.name.split('.').at(-2) === name && each.start_line >= at);
    const last = Math.max(...members.map(({ end_line }) => end_line));
    if (members.length === 0 || line > last) return undefined;
    const [only] = members;
    return members.length === 1 && only !== undefined
      ? { kind: 'one', function: only }
      : { kind: 'several', functions: members, inClass: name };
  }
  return undefined;
}
