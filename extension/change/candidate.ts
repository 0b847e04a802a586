/** Which elite of which run a candidate's document began as, and its text. */
import * as vscode from 'vscode';
import * as z from 'zod';
import { PeagenError } from '../../shared/errors.ts';
import { RunId, Sha256 } from '../../shared/ids.ts';
import { GetElite } from '../../shared/protocol/runs.ts';
import type { Peagen } from '../peagen.ts';
import { CANDIDATE_SCHEME } from './scheme.ts';

const Query = z.object({ run: RunId, parent: Sha256 });
type CandidateOf = z.infer<typeof Query>;

/** `label`: what its tab says next to the name of the file, which may be open too. */
export function candidateUri({ run, parent }: CandidateOf, label: string, path: string): vscode.Uri {
  const query = new URLSearchParams({ run, parent }).toString();
  return vscode.Uri.from({ scheme: CANDIDATE_SCHEME, path: `/${label.replaceAll('/', '-')}/${path}`, query });
}

/** Throws `invalid_input` for any other document. */
export function candidateOf(uri: vscode.Uri | undefined): CandidateOf {
  const parsed = Query.safeParse(Object.fromEntries(new URLSearchParams(uri?.query ?? '')));
  if (uri?.scheme === CANDIDATE_SCHEME && parsed.success) return parsed.data;
  throw new PeagenError('invalid_input', vscode.l10n.t('No candidate is being edited.'), {
    hint: vscode.l10n.t('Edit one by its menu in the Evolution view.'),
  });
}

/** Undefined when the run or its elite is gone. */
export async function candidateText(peagen: Peagen, uri: vscode.Uri): Promise<string | undefined> {
  const { run, parent } = candidateOf(uri);
  await peagen.runs.refresh();
  const known = peagen.runs.get(run);
  if (known === undefined) return undefined;
  const client = await peagen.daemon(known.root);
  const { changes } = await client.request(GetElite, { run, sha256: parent });
  const path = uri.path.split('/').slice(2).join('/');
  return changes.find((change) => change.path === path)?.after;
}
