/** Elites as virtual documents: their files, for diff editors, and the evidence for them. */
import * as vscode from 'vscode';
import * as z from 'zod';
import { RunId, Sha256 } from '../../shared/ids.ts';
import { GetElite, ListOutputs } from '../../shared/protocol/runs.ts';
import type { EliteDetail } from '../../shared/run.ts';
import type { Peagen } from '../peagen.ts';
import { evidence } from './evidence.ts';

const ELITE_SCHEME = 'peagen-elite';

/** A file also has the elite that may know it instead, and the run of that one; the evidence has none. */
const Query = z.object({ run: RunId, sha256: Sha256, or: Sha256.optional(), in: RunId.optional() });

/** `other`: an elite that knows the file as it was, if this one does not change it. */
export function eliteFileUri({ run, elite }: EliteDetail, other: EliteDetail, path: string): vscode.Uri {
  const query = new URLSearchParams({ run, sha256: elite.sha256, or: other.elite.sha256, in: other.run }).toString();
  return vscode.Uri.from({ scheme: ELITE_SCHEME, path: `/${path}`, query });
}

/** Read-only, so that closing it asks nothing; there again after the window was reloaded. */
export function evidenceUri({ run, elite }: EliteDetail, title: string): vscode.Uri {
  const query = new URLSearchParams({ run, sha256: elite.sha256 }).toString();
  return vscode.Uri.from({ scheme: ELITE_SCHEME, path: `/${title}.md`, query });
}

/** The text behind such a URI; undefined when the run is gone. */
export async function eliteFile(peagen: Peagen, uri: vscode.Uri): Promise<string | undefined> {
  const { run, sha256, or, in: other = run } = Query.parse(Object.fromEntries(new URLSearchParams(uri.query)));
  await peagen.runs.refresh();
  const known = peagen.runs.get(run);
  if (known === undefined) return undefined;
  const client = await peagen.daemon(known.root);
  if (or === undefined) {
    const detail = await client.request(GetElite, { run, sha256 });
    return evidence(known.info, detail, await client.request(ListOutputs, { run }));
  }
  const path = uri.path.slice(1);
  const changeOf = async (elite: z.output<typeof GetElite.params>) =>
    (await client.request(GetElite, elite)).changes.find((change) => change.path === path);
  return (await changeOf({ run, sha256 }))?.after ?? (await changeOf({ run: other, sha256: or }))?.before ?? '';
}
