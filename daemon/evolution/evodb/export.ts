/** An archive as JSON: one entry per elite, champions first. */
import type { Elite } from '../../../shared/niche.ts';
import type { EvoDB } from '../evodb.ts';

interface ExportedElite extends Elite {
  /** The niche in words. */
  readonly label: string;
  readonly role: 'champion' | 'former';
}

/** Niche by niche, the champion and then its forerunners, newest first; niches in the order of their champions' rank. */
function exportedElites(archive: EvoDB): ExportedElite[] {
  const niches = archive.niches().sort((a, b) => b.champion.fitness - a.champion.fitness);
  return niches.flatMap(({ id, champion, history }) => {
    const label = archive.geometry.label(id);
    return [champion, ...history].map((elite, i) => ({
      ...elite,
      label,
      role: i === 0 ? ('champion' as const) : ('former' as const),
    }));
  });
}

/** `front`: the Pareto front, of several objectives. */
export function archiveJson(archive: EvoDB, front: readonly Elite[] = []): string {
  const { axes } = archive;
  const shown = front.length === 0 ? {} : { front };
  return `${JSON.stringify({ axes, stats: archive.stats(), elites: exportedElites(archive), ...shown }, null, 2)}\n`;
}
