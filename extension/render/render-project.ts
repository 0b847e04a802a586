/** Peagen: Render Project. From a payload file or a template set to files, which a user sees before they are written. */
import * as vscode from 'vscode';
import { PeagenError } from '../../shared/errors.ts';
import { MakeRender, PreviewRender, RenderChoices, type Rendered, type RenderFrom } from '../../shared/protocol/render.ts';
import type { EditorClient } from '../client/client.ts';
import { confirmSpend, spendInWords } from '../dialogue/spend.ts';
import { BACK, pickOne, typeText } from '../dialogue/steps.ts';
import type { Peagen } from '../peagen.ts';
import { rootOf, someRoot } from '../roots.ts';
import { byCount } from '../words.ts';
import { applyFiles } from './apply.ts';
import { askPayload } from './form.ts';
import { chooseFiles } from './preview.ts';

/** Payload files that are offered. */
const MAX_PAYLOADS = 100;

interface Start {
  readonly project: vscode.Uri;
  readonly name: string;
  /** What is not on disk. */
  readonly text?: string;
}

export async function renderProject(peagen: Peagen, file?: unknown): Promise<void> {
  const given = file instanceof vscode.Uri ? file : undefined;
  const root = given === undefined ? someRoot() : rootOf(given).root;
  const client = await peagen.daemon(root);
  const start = given === undefined ? await chooseStart(client) : startWith(given);
  const folder = start === undefined ? undefined : await chooseFolder(root, start);
  if (start === undefined || folder === undefined) return;
  const out = folder === '.' ? root : vscode.Uri.joinPath(root, folder);
  const from = { project: start.project.fsPath, out: out.fsPath, ...(start.text === undefined ? {} : { text: start.text }) };
  const rendered = await made(client, start.name, from);
  if (rendered === undefined) return;
  for (const warning of rendered.warnings) peagen.log.warn(warning);
  const files = rendered.files.map((each) => ({ ...each, uri: vscode.Uri.joinPath(out, each.path) }));
  const payload = await newPayload(start);
  const all = payload === undefined ? files : [payload, ...files];
  if (all.every(({ state }) => state === 'same')) {
    void vscode.window.showInformationMessage(vscode.l10n.t('{0} is up to date: no file would change.', start.name));
    return;
  }
  const chosen = await chooseFiles(peagen, start.name, all);
  if (chosen === undefined || chosen.length === 0) return;
  await applyFiles(chosen);
  vscode.window.setStatusBarMessage(vscode.l10n.t('$(check) Rendered {0}', start.name), 5000);
}

/** The files, those of models too when the user agrees to what they can cost. */
async function made(client: EditorClient, name: string, from: RenderFrom): Promise<Rendered | undefined> {
  const preview = await working(vscode.l10n.t('Rendering {0}…', name), (token) => client.request(PreviewRender, from, token));
  const agreed = preview.worst_case;
  if (agreed.files === 0) return preview;
  const spend = spendInWords(agreed);
  const message = byCount(
    agreed.files,
    vscode.l10n.t('Rendering {0} with {1} generated file may use up to {2}.', name, agreed.files, spend),
    vscode.l10n.t('Rendering {0} with {1} generated files may use up to {2}.', name, agreed.files, spend),
  );
  if (!(await confirmSpend({ message, worst: agreed }))) return undefined;
  return working(vscode.l10n.t('Generating {0}…', name), (token) => client.request(MakeRender, { ...from, agreed }, token));
}

function working<T>(title: string, work: (token: vscode.CancellationToken) => Promise<T>): Thenable<T> {
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  return vscode.window.withProgress(options, (_, token) => work(token));
}

function startWith(uri: vscode.Uri): Start {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  const name = vscode.workspace.asRelativePath(uri, false);
  return { project: uri, name, ...(open?.isDirty === true ? { text: open.getText() } : {}) };
}

async function chooseStart(client: EditorClient): Promise<Start | undefined> {
  const { sets, schema } = await client.request(RenderChoices, {});
  const payloads = await payloadsIn(client.root);
  const items = [
    ...payloads.map((uri) => ({
      label: `$(file-code) ${vscode.workspace.asRelativePath(uri, false)}`,
      description: vscode.l10n.t('payload'),
      uri,
      set: undefined,
    })),
    ...sets.map((set) => ({
      label: `$(file-submodule) ${set.name}`,
      description: vscode.l10n.t('template set'),
      detail: set.description,
      uri: undefined,
      set,
    })),
  ];
  for (;;) {
    const title = vscode.l10n.t('Render Project');
    const picked = await pickOne({ title, placeholder: vscode.l10n.t('Choose a template or payload'), items });
    if (picked === undefined || picked === BACK) return undefined;
    if (picked.set === undefined) return startWith(picked.uri);
    const answered = await askPayload(schema, picked.set);
    if (answered === undefined) continue;
    const project = await freeName(client.root, answered.name);
    return { project, name: answered.name, text: answered.text };
  }
}

async function payloadsIn(root: vscode.Uri): Promise<vscode.Uri[]> {
  const pattern = new vscode.RelativePattern(root, '**/*.{yaml,yml,json}');
  const found: vscode.Uri[] = [];
  for (const uri of await vscode.workspace.findFiles(pattern, '**/{node_modules,.git,.peagen,dist}/**', MAX_PAYLOADS)) {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    if (/^\s*["']?PROJECTS["']?\s*:/m.test(text)) found.push(uri);
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Where the payload of a form is kept: next to none that is there. */
async function freeName(root: vscode.Uri, name: string): Promise<vscode.Uri> {
  const slug = name.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/g, '') || 'project';
  for (let count = 1; ; count++) {
    const uri = vscode.Uri.joinPath(root, `${slug}${count === 1 ? '' : `-${count}`}.yaml`);
    if (!(await isThere(uri))) return uri;
  }
}

function isThere(uri: vscode.Uri): Thenable<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}

/** The payload of a form is one of the new files. */
async function newPayload({ project, text }: Start) {
  if (text === undefined || (await isThere(project))) return undefined;
  return { path: vscode.workspace.asRelativePath(project, false), state: 'new' as const, after: text, uri: project };
}

async function chooseFolder(root: vscode.Uri, { name }: Start): Promise<string | undefined> {
  const answer = await typeText({
    title: vscode.l10n.t('Render {0}', name),
    prompt: vscode.l10n.t('The folder for the files, in {0}.', vscode.workspace.asRelativePath(root)),
    value: '.',
    problem: (text) => (isInside(text) ? undefined : vscode.l10n.t('The folder must be in the workspace.')),
  });
  if (answer === BACK || answer === undefined) return undefined;
  if (isInside(answer)) return answer === '' ? '.' : answer;
  throw new PeagenError('invalid_input', vscode.l10n.t('The folder {0} is not in the workspace.', answer));
}

function isInside(path: string): boolean {
  return !/^[\\/]|^[A-Za-z]:/.test(path) && !path.split(/[\\/]/).includes('..');
}
