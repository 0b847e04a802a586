/** Rewrites `[plugins] packages` in the text of a `.peagen.toml`, leaving every other line as it is. Pure. */
export function withPackages(text: string, packages: readonly string[]): string {
  const line = `packages = ${JSON.stringify(packages)}`;
  const lines = text.split('\n');
  const header = lines.findIndex((row) => /^\s*\[\s*plugins\s*\]/.test(row));
  if (header < 0) return `${text.trimEnd()}${text.trim() === '' ? '' : '\n\n'}[plugins]\n${line}\n`;
  const end = lines.findIndex((row, i) => i > header && /^\s*\[/.test(row));
  const body = lines.slice(header + 1, end < 0 ? undefined : end);
  const at = body.findIndex((row) => /^\s*packages\s*=/.test(row));
  if (at < 0) {
    lines.splice(header + 1, 0, line);
    return lines.join('\n');
  }
  const first = header + 1 + at;
  // The value may span lines: it ends where its bracket closes.
  let last = first;
  while (!(lines[last] ?? ']').includes(']')) last++;
  lines.splice(first, last - first + 1, line);
  return lines.join('\n');
}
