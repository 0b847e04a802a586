/** Gives the lines that a model adds the indentation of the place they come to. Pure. */

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/**
 * A line written for `wanted` as it must be for `found`, line by line the same text in another indentation: the depth
 * that the nearest written line has gives the depth at the place. Lines that agree already stay as they are.
 */
export function reindent(line: string, wanted: readonly string[], found: readonly string[]): string {
  if (line.trim() === '') return '';
  const indent = indentOf(line);
  const known = new Map<string, string>();
  for (const [i, want] of wanted.entries()) {
    const have = found[i];
    if (have !== undefined && want.trim() !== '' && !known.has(indentOf(want))) known.set(indentOf(want), indentOf(have));
  }
  const exact = known.get(indent);
  if (exact !== undefined) return exact + line.slice(indent.length);
  // The deepest known indentation that this one goes on from.
  const base = [...known.keys()].filter((key) => indent.startsWith(key)).sort((a, b) => b.length - a.length)[0];
  if (base !== undefined) {
    const rest = indent.slice(base.length);
    return (known.get(base) ?? '') + converted(rest, found) + line.slice(indent.length);
  }
  const [shallow] = [...known.keys()].sort((a, b) => a.length - b.length);
  if (shallow === undefined) return line;
  // Shallower than all that is known: go back as far from the shallowest.
  const back = shallow.length - indent.length;
  const there = known.get(shallow) ?? '';
  return there.slice(0, Math.max(0, there.length - back)) + line.slice(indent.length);
}

/** Tabs where the place uses tabs, blanks where it uses blanks. */
function converted(indent: string, found: readonly string[]): string {
  const tabs = found.some((line) => line.startsWith('\t'));
  const blanks = found.some((line) => line.startsWith(' '));
  if (tabs && !blanks) return indent.replaceAll('    ', '\t');
  return blanks && !tabs ? indent.replaceAll('\t', '    ') : indent;
}

/** The text with its common indentation replaced by `indent`; blank lines stay empty. */
export function shiftTo(text: string, indent: string): string {
  const lines = text.split('\n');
  const solid = lines.filter((line) => line.trim() !== '').map(indentOf);
  const common = solid.reduce((a, b) => {
    let n = 0;
    while (n < Math.min(a.length, b.length) && a[n] === b[n]) n++;
    return a.slice(0, n);
  }, solid[0] ?? '');
  return lines.map((line) => (line.trim() === '' ? '' : indent + line.slice(common.length))).join('\n');
}
