/** Asks for a payload, question by question. */
import * as vscode from 'vscode';
import { BACK, typeText } from '../dialogue/steps.ts';
import { questionsOf, type Schema, yamlOf } from './questions.ts';

/** Undefined when the person leaves. Back goes to the question before. */
export async function askPayload(schema: Schema, set: string): Promise<{ name: string; text: string } | undefined> {
  const answers: string[] = [];
  for (;;) {
    const walk = questionsOf(schema, { TEMPLATE_SET: set });
    let turn = walk.next('');
    for (const answer of answers) turn = walk.next(answer);
    if (turn.done === true) return { name: answers[0] ?? '', text: yamlOf(turn.value, 0) };
    const { title, prompt, mayBeEmpty, list } = turn.value;
    const answer = await typeText({
      title: vscode.l10n.t('Render {0}: {1}', set, title),
      prompt: list ? vscode.l10n.t('{0} Names, with commas between them.', prompt) : prompt,
      back: answers.length > 0,
      mayBeEmpty,
    });
    if (answer === undefined) return undefined;
    if (answer === BACK) answers.pop();
    else answers.push(answer);
  }
}
