/** Older key names of `.peagen.toml` and their replacements. Pure; comments and layout of the file stay. */

/** Table and key as they were, and the key's name today. */
const renamedKeys = [{ table: 'task_queue', old: 'idle_ms', now: 'lease_ms' }] as const;

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
