/** Changes the text of a `.peagen.toml`: every other line stays as it is, with comments and layout. Pure. */

/** Table and key as they were, and the key's name today. */
const renamedKeys = [{ table: 'task_queue', old: 'idle_ms', now: 'lease_ms' }] as const;

/** Replaces older key names. */
export function upgradeText(text: string): { text: string; renamed: string[] } {
  const renamed: string[] = [];
  let table = '';
  const lines = text.split('\n').map((line, index) => {
    table = /^\s*\[+\s*([^\]\s]+)\s*\]/.exec(line)?.[1] ?? table;
    for (const { table: home, old, now } of renamedKeys) {
      const key = new RegExp(`^(\\s*)${old}(\\s*=)`);
      if (table !== home || !key.test(line)) continue;
      renamed.push(`line ${index + 1}: ${home}.${old} is now ${home}.${now}`);
      return line.replace(key, `$1${now}$2`);
    }
    return line;
  });
  return { text: lines.join('\n'), renamed };
}

/** Sets `[plugins] packages`. */
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
