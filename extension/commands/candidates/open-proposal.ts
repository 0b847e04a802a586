/** Opens any proposed change for review: for agents and other extensions. Not in the palette. */
import * as vscode from 'vscode';
import * as z from 'zod';
import { PeagenError } from '../../../shared/errors.ts';
import { RelativePath } from '../../../shared/program.ts';
import type { Peagen } from '../../peagen.ts';

const ProposalInput = z.object({
  id: z.string().min(1).optional(),
  /** URI of the folder that the paths are in. */
  root: z.string().min(1),
  title: z.string().min(1),
  why: z.string().default(''),
  metrics: z.string().default(() => vscode.l10n.t('not evaluated')),
  changes: z.array(z.object({ path: RelativePath, before: z.string(), after: z.string() })).min(1),
});

/** Returns the review's id, for the other review commands. */
export async function openProposal(peagen: Peagen, input?: unknown): Promise<string> {
  const parsed = ProposalInput.safeParse(input);
  if (!parsed.success)
    throw new PeagenError('invalid_input', vscode.l10n.t('Not a proposal: {0}', z.prettifyError(parsed.error)));
  const { id = crypto.randomUUID(), root, ...rest } = parsed.data;
  const reviews = await peagen.reviews();
  await reviews.open({ id, root: vscode.Uri.parse(root, true), ...rest });
  return id;
}
