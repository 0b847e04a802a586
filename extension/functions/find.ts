/** The functions of an open document, as the daemon's parser finds them, and the lenses above those that have a run. */
import * as vscode from 'vscode';
import type * as z from 'zod';
import { type FunctionInfo, InspectFile } from '../../shared/protocol/targets.ts';
import type { RunInfo } from '../../shared/run.ts';
import { selectedFunctions } from '../commands/selection/functions.ts';
import type { Peagen } from '../peagen.ts';
import { rootOf } from '../roots.ts';
import type { WindowRun } from '../runs/runs.ts';
import { gainText, stateOf } from '../words.ts';

type Inspection = z.output<typeof InspectFile.result>;

interface Inspected {
  readonly version: number;
  readonly inspection: Promise<Inspection>;
}

/** Asked for with every movement of the cursor and by every command, and parsed once for each version of a document. */
const inspected = new WeakMap<vscode.TextDocument, Inspected>();

export function inspect(peagen: Peagen, document: vscode.TextDocument): Promise<Inspection> {
  const known = inspected.get(document);
  if (known?.version === document.version) return known.inspection;
  const { root, path } = rootOf(document.uri);
  const { version } = document;
  const inspection = peagen.daemon(root).then((client) => client.request(InspectFile, { path, text: document.getText() }));
  inspected.set(document, { version, inspection });
  inspection.catch(() => inspected.delete(document));
  return inspection;
}

export async function functionsIn(peagen: Peagen, document: vscode.TextDocument): Promise<readonly FunctionInfo[]> {
  return (await inspect(peagen, document)).functions;
}

/** The name of the function that a range lies in, or begins on the first line of. */
export async function functionAt(
  peagen: Peagen,
  document: vscode.TextDocument,
  range: vscode.Range,
  { signatureOnly }: { readonly signatureOnly: boolean },
): Promise<string | undefined> {
  const functions = await functionsIn(peagen, document);
  const selected = selectedFunctions(functions, range.start.line, range.end.line, []);
  if (selected?.kind !== 'one') return undefined;
  const { name, start_line } = selected.function;
  return signatureOnly && range.start.line !== start_line ? undefined : name;
}

/** What a run found, and the way to another one. */
export async function lensesOf(
  peagen: Peagen,
  document: vscode.TextDocument,
  { name, start_line }: FunctionInfo,
  { info }: WindowRun,
): Promise<vscode.CodeLens[]> {
  const lens = (title: string, command: string, ...args: unknown[]) =>
    new vscode.CodeLens(new vscode.Range(start_line, 0, start_line, 0), { title, command, arguments: args });
  const elites = (await peagen.runs.elites(info.run)).filter(({ index }) => index >= 0);
  const announced = info.ending?.best?.sha256;
  const best = elites.find(({ sha256 }) => sha256 === announced) ?? elites[0];
  const again = { uri: document.uri.toString(), fn: name, functions: info.target.functions };
  const { generation, max_generations: of } = info;
  const text = found(elites.length, info);
  const title = info.state === 'running' ? vscode.l10n.t('{0}, generation {1} of {2}', text, generation, of) : text;
  return [
    best === undefined
      ? lens(`$(beaker) ${title}`, 'peagen.evolution.focus')
      : lens(`$(beaker) ${title}`, 'peagen.reviewElite', {
          kind: 'elite',
          run: info.run,
          elite: best,
        }),
    ...(info.state === 'running' ? [] : [lens(vscode.l10n.t('Evolve Again'), 'peagen.evolveAgain', again)]),
  ];
}

/** `best 1.38×`, `no improvement yet`: as the row of the run. */
function found(count: number, info: RunInfo): string {
  if (count === 0) return info.state === 'finished' ? vscode.l10n.t('no faster version found') : vscode.l10n.t('searching…');
  return gainText(info) || stateOf(info);
}
