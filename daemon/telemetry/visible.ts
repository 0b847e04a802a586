/** Makes control characters visible: text from candidates, models, queues and file names must not steer a terminal. */

/** Next to the controls, the marks that make text appear in another order than it is. */
const HIDDEN = /(?![\n\t])\p{Cc}|[\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Each as `\u001b`, which in a JSON text means the same character as before. Line ends and tabs stay. */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
