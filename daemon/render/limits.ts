/** What one rendering may take. Templates come from anywhere: each bound ends a hostile one with an error that names it. */

/** Characters of one rendered file. */
export const MAX_OUTPUT = 16 * 1024 * 1024;
/** Bytes of one template, and of the payload file. */
export const MAX_TEMPLATE = 4 * 1024 * 1024;
export const MAX_PAYLOAD = 32 * 1024 * 1024;
/** Files of one project. */
export const MAX_FILES = 20_000;
/** Instructions of the embedded engine; a 5 MB table takes some millions. */
export const FUEL = 50_000_000;
/** Memory of the embedded engine. */
export const MAX_MEMORY_BYTES = 512 * 1024 * 1024;

/** Milliseconds that one file may take: a floor, and what reading its values and templates honestly costs. */
export function timeLimit(inputChars: number): number {
  return 800 + inputChars / 1000;
}
