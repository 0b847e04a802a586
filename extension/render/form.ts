/** Asks for a payload, question by question. */
import * as vscode from 'vscode';
import type { SetExtras, TemplateSetInfo } from '../../shared/protocol/render.ts';
import { BACK, pickMany, type StepAnswer, typeText } from '../dialogue/steps.ts';
import { detailIn, payloadOf } from './details.ts';
import { type FormQuestion, type FormReply, type Schema, yamlOf } from './questions.ts';

/** Undefined when the user leaves. Back goes to the question before. */
export async function askPayload(
  schema: Schema,
  set: Pick<TemplateSetInfo, 'name' | 'extras'>,
): Promise<{ name: string; text: string } | undefined> {
  const answers: FormReply[] = [];
  for (;;) {
    const walk = payloadOf(schema, set.name, set.extras);
    let turn = walk.next('');
    for (const answer of answers) turn = walk.next(answer);
    if (turn.done === true) return { name: String(answers[0] ?? ''), text: yamlOf(turn.value, 0) };
    const answer = await ask(turn.value, set.name, answers.length > 0);
    if (answer === undefined) return undefined;
    if (answer === BACK) answers.pop();
    else answers.push(answer);
  }
}

async function ask(question: FormQuestion, set: string, back: boolean): Promise<StepAnswer<FormReply>> {
  switch (question.kind) {
    case 'text': {
      const { prompt, list, mayBeEmpty } = question;
      return typeText({
        title: vscode.l10n.t('Render {0}: {1}', set, question.title),
        prompt: list ? vscode.l10n.t('{0} Names, with commas between them.', prompt) : prompt,
        back,
        mayBeEmpty,
      });
    }
    case 'choice': {
      const items = question.offered.map((detail) => ({
        label: detail.extra.name,
        description: levelName(detail.level),
        ...(detail.extra.example === undefined
          ? {}
          : { detail: vscode.l10n.t('For example: {0}', exampleText(detail.extra.example)) }),
        chosen: detail,
      }));
      const chosen = await pickMany({
        title: vscode.l10n.t('Render {0}: details', set),
        placeholder: vscode.l10n.t('Select the details to fill in; the rest use defaults.'),
        items,
        back,
        mayBeEmpty: true,
      });
      return chosen === undefined || chosen === BACK ? chosen : chosen.map((item) => item.chosen);
    }
    case 'detail': {
      const { extra } = question;
      const { name, example } = extra;
      const shown = exampleText(example);
      return typeText({
        title: vscode.l10n.t('Render {0}: {1}', set, question.title),
        prompt: vscode.l10n.t('Leave it empty for the value that the templates have of their own.'),
        ...(example === undefined ? {} : { placeholder: vscode.l10n.t('For example: {0}', shown) }),
        // Nobody types a list without having seen one.
        ...(typeof example === 'object' && example !== null ? { value: shown } : {}),
        back,
        mayBeEmpty: true,
        problem: (text) =>
          text === '' || detailIn(text, extra) !== undefined
            ? undefined
            : vscode.l10n.t('{0} is written as JSON, such as {1}', name, shown),
      });
    }
  }
}

function levelName(level: keyof SetExtras): string {
  switch (level) {
    case 'project':
      return vscode.l10n.t('of the project');
    case 'package':
      return vscode.l10n.t('of each package');
    case 'module':
      return vscode.l10n.t('of each module');
  }
}

function exampleText(example: unknown): string {
  return typeof example === 'string' ? example : (JSON.stringify(example) ?? '');
}
