/** An archive as a table: CSV for a spreadsheet (RFC 4180), JSON for everything else. One row per elite, champions first. */
import type { Elite } from '../../../shared/niche.ts';
import type { EvoDB } from '../evodb.ts';

export interface ExportedElite extends Elite {
  /** The niche in words. */
  readonly label: string;
  readonly role: 'champion' | 'former';
}

/** Niche by niche, the champion and then its forerunners, newest first; niches in the order of their champions' rank. */
export function exportedElites(archive: EvoDB): ExportedElite[] {
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

export function archiveCsv(archive: EvoDB): string {
  const elites = exportedElites(archive);
  const metrics = [...new Set(elites.flatMap((elite) => Object.keys(elite.metrics)))].sort();
  const head = ['niche', 'label', 'role', 'sha256', 'fitness', 'generation', 'index', 'mutator', 'parents', 'summary'];
  const features = archive.axes.map((axis) => `feature_${axis.name}`);
  const rows = elites.map((elite) => [
    elite.niche,
    elite.label,
    elite.role,
    elite.sha256,
    elite.fitness,
    elite.generation,
    elite.index,
    elite.mutator,
    elite.parents.join(' '),
    elite.summary,
    ...archive.axes.map((_, i) => elite.features[i] ?? ''),
    ...metrics.map((name) => elite.metrics[name] ?? ''),
  ]);
  const lines = [[...head, ...features, ...metrics], ...rows].map((row) => row.map(cell).join(','));
  return `${lines.join('\r\n')}\r\n`;
}

function cell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  // A spreadsheet would run a text of these as a formula, and summaries come from models.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
