/** Texts with places for values, as translations have them: `{0} of {1}`. */

/** Every `{0}` and its likes replaced by the values. */
export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (brace, at) => String(values[Number(at)] ?? brace));
}
