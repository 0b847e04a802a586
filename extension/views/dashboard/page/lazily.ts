/**
 * Made with its first use. The first format of numbers or times in a page loads what the browser knows of the language,
 * which takes longer than drawing the archive: that does not wait for it.
 */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
