/** The manifest of a rendered project: what was made from what. The same inputs give the same bytes. */
import { createHash } from 'node:crypto';
import * as z from 'zod';
import { slugOf } from './payload.ts';

const Entry = z.object({
  path: z.string(),
  sha256: z.string(),
  template: z.string(),
  package: z.string(),
  /** The SHA-256 of a generated file's prompt. A file whose prompt is the same is not asked for again. */
  prompt: z.string().optional(),
});
export type ManifestEntry = z.infer<typeof Entry>;

const Manifest = z.object({ schemaVersion: z.literal(1), files: z.array(Entry) });

export function manifestPath(project: string): string {
  return `.peagen/${slugOf(project)}_manifest.json`;
}

export function manifestText(project: string, engine: string, files: readonly ManifestEntry[]): string {
  return `${JSON.stringify({ schemaVersion: 1, project, engine, files }, null, 2)}\n`;
}

/** By path. A manifest that cannot be read is as good as none. */
export function readManifest(text: string | undefined): Map<string, ManifestEntry> {
  let value: unknown;
  try {
    value = JSON.parse(text ?? 'null');
  } catch {
    value = null;
  }
  const parsed = Manifest.safeParse(value);
  return new Map(parsed.success ? parsed.data.files.map((entry) => [entry.path, entry]) : []);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
