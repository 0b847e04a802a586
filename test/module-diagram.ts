/**
 * The rooms of the source tree and what each imports, as the table in ARCHITECTURE.md. `node test/module-diagram.ts` writes it
 * there; a unit test holds it current.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readTracked, trackedFiles } from './prose.ts';

const BEGIN = '<!-- modules: written by test/module-diagram.ts -->';
const END = '<!-- end of modules -->';
const IMPORT = /^(?:import|export)\s(?:[^'";]*?\sfrom\s)?'(\.[^']+)'|import\('(\.[^']+)'\)/gm;

/**
 * A folder of daemon/, or shared, or extension; undefined for the few files that lie in daemon/ itself, which all rooms
 * share.
 */
function roomOf(path: string): string | undefined {
  const [side = '', folder, file] = path.split('/');
  if (side !== 'daemon') return side;
  return file === undefined ? undefined : folder;
}

/** Each room with the rooms that it imports, in alphabetical order. */
export function roomImports(): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const path of trackedFiles('daemon', 'shared', 'extension').filter((file) => file.endsWith('.ts'))) {
    const room = roomOf(path);
    if (room === undefined) continue;
    const imported = rooms.get(room) ?? new Set();
    rooms.set(room, imported);
    for (const [, from, late] of readTracked(path).matchAll(IMPORT)) {
      const target = join(dirname(path), from ?? late ?? '');
      // Templates for other packages have imports too.
      const other = existsSync(target) ? roomOf(target) : undefined;
      if (other !== undefined && other !== room) imported.add(other);
    }
  }
  return new Map([...rooms].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** ARCHITECTURE.md with the table of today's imports. */
export function withModules(text: string): string {
  const rows = [...roomImports()].map(([room, imported]) => `| \`${room}\` | ${[...imported].sort().join(', ') || 'none'} |`);
  const table = ['| room | imports |', '| --- | --- |', ...rows].join('\n');
  const [before = '', after = ''] = [text.split(BEGIN)[0], text.split(END)[1]];
  return `${before}${BEGIN}\n${table}\n${END}${after}`;
}

if (import.meta.main)
  writeFileSync(join(import.meta.dirname, '..', 'ARCHITECTURE.md'), withModules(readTracked('ARCHITECTURE.md')));
