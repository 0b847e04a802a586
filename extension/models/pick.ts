/**
 * The question which model: none, one of the configuration, one of the editor's, one of a server on this machine, or one
 * of a provider that wants a key. Consent and keys are asked here, where the user has just chosen what needs them.
 */
import * as vscode from 'vscode';
import { ListModels } from '../../shared/protocol/models.ts';
import type { EditorClient } from '../client/client.ts';
import { warnOf } from '../commands/errors.ts';
import { BACK, pickOne, type StepAnswer } from '../dialogue/steps.ts';
import type { Peagen } from '../peagen.ts';
import { type ModelChoice, modelChoice, providerName } from './choice.ts';
import { modelId } from './editor-models.ts';
import { chooseFromProvider, chooseOwnEndpoint } from './provider.ts';

interface Choice extends vscode.QuickPickItem {
  take?(): Promise<StepAnswer<ModelChoice>>;
}

const noModel = (): Choice => ({
  label: vscode.l10n.t('$(circuit-board) No model'),
  description: vscode.l10n.t('offline, costs nothing'),
  detail: vscode.l10n.t('Tries small mechanical edits. Free and private; finds simple wins only.'),
  take: async () => ({ kind: 'offline' }),
});

const ownEndpoint = (peagen: Peagen, client: EditorClient): Choice => ({
  label: vscode.l10n.t('$(plug) Your own endpoint…'),
  description: vscode.l10n.t('base URL, key, model'),
  detail: vscode.l10n.t('Any server that speaks the OpenAI protocol, on this machine or elsewhere.'),
  take: () => chooseOwnEndpoint(peagen, client),
});

/**
 * `needed` asks for a model that something other than candidates cannot do without. BACK when the user wants the question
 * before this one.
 */
export async function pickModel(
  peagen: Peagen,
  client: EditorClient,
  { back, needed }: { back: boolean; needed?: string },
): Promise<StepAnswer<ModelChoice>> {
  const { chosen } = await peagen.models();
  for (;;) {
    const choice = await pickOne<Choice>({
      title: needed ?? vscode.l10n.t('Which model should propose changes?'),
      placeholder: vscode.l10n.t('Remembered for this workspace'),
      back,
      items: [...(needed === undefined ? [noModel()] : []), ownEndpoint(peagen, client)],
      more: modelsToChoose(peagen, client),
    });
    if (choice === BACK || choice === undefined) return choice;
    const answer = await choice.take?.();
    if (answer === BACK) continue;
    if (answer !== undefined) await chosen.chooseModel(answer);
    return answer;
  }
}

async function modelsToChoose(peagen: Peagen, client: EditorClient): Promise<Choice[]> {
  const models = await peagen.models();
  const [editor, { configured, local, providers }] = await Promise.all([models.editor.list(), client.request(ListModels, {})]);
  const group = (label: string, items: Choice[]): Choice[] =>
    items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
  return [
    ...group(
      vscode.l10n.t('in .peagen.toml'),
      configured.map(({ name, model, preset, missing_key: missing }) => ({
        label: `$(gear) ${name}`,
        description: `${model} · ${providerName(preset)}`,
        ...(missing === undefined ? {} : { detail: vscode.l10n.t('The environment variable {0} is not set.', missing) }),
        take: async () => ({ kind: 'model', name, label: name }),
      })),
    ),
    ...group(
      vscode.l10n.t('models of the editor'),
      editor.map((model) => ({
        label: `$(sparkle) ${model.name || model.id}`,
        description: `${model.vendor}${model.family === '' || model.family === model.id ? '' : ` · ${model.family}`}`,
        take: () => takeEditorModel(peagen, model),
      })),
    ),
    ...group(
      vscode.l10n.t('on this machine'),
      local.flatMap(({ preset, base_url, models: names }) =>
        names.map((model) => ({
          label: `$(server) ${model}`,
          description: `${providerName(preset)} · ${base_url}`,
          take: async () => modelChoice(preset, model, {}),
        })),
      ),
    ),
    ...group(
      vscode.l10n.t('with an API key'),
      providers.map((provider) => ({
        label: `$(key) ${providerName(provider.preset)}…`,
        description: provider.base_url ?? vscode.l10n.t('at your own address'),
        take: () => chooseFromProvider(peagen, client, provider),
      })),
    ),
  ];
}

/** Asks the editor for consent where it has none yet: the user has just asked for this model. */
async function takeEditorModel(peagen: Peagen, model: vscode.LanguageModelChat): Promise<StepAnswer<ModelChoice>> {
  const { editor } = await peagen.models();
  if (!editor.isAllowed(model)) {
    try {
      await vscode.window.withProgress(
        {
          location: vscode.ProgressLocation.Notification,
          title: vscode.l10n.t('Checking that {0} responds…', model.name),
          cancellable: true,
        },
        (_, token) => editor.allow(modelId(model), token),
      );
    } catch (caught) {
      warnOf(peagen, caught);
      return BACK;
    }
  }
  return { ...modelChoice('editor', modelId(model), {}), label: `${model.name || model.id} (${model.vendor})` };
}
