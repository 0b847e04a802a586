/** Files of elites as virtual documents, for diff editors. */
import * as vscode from 'vscode';
import * as z from 'zod';
import { RunId, Sha256 } from '../../shared/ids.ts';
import { GetElite } from '../../shared/protocol/runs.ts';
import type { EliteDetail } from '../../shared/run.ts';
import type { Peagen } from '../peagen.ts';

const ELITE_SCHEME = 'peagen-elite';

const Query = z.object({ run: RunId, sha256: Sha256, or: Sha256 });

/** `other`: an elite that knows the file as it was, if this one does not change it. */
export function eliteFileUri({ run, elite }: EliteDetail, other: EliteDetail, path: string): vscode.Uri {
  const query = new URLSearchParams({ run, sha256: elite.sha256, or: other.elite.sha256 }).toString();
  return vscode.Uri.from({ scheme: ELITE_SCHEME, path: `/${path}`, query });
}

/** The text behind such a URI; empty when the run is gone. */
export async function eliteFile(peagen: Peagen, uri: vscode.Uri): Promise<string> {
  const { run, sha256, or } = Query.parse(Object.fromEntries(new URLSearchParams(uri.query)));
  await peagen.runs.refresh();
  const root = peagen.runs.get(run)?.root;
  if (root === undefined) return '';
  const client = await peagen.daemon(root);
  const path = uri.path.slice(1);
  const changeIn = async (elite: Sha256) =>
    (await client.request(GetElite, { run, sha256: elite })).changes.find((change) => change.path === path);
  return (await changeIn(sha256))?.after ?? (await changeIn(or))?.before ?? '';
}
