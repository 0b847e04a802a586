/** The parameters of a query string; a name that occurs again has a list of values. */
export function parseQuery(query) {
  const result = {};
  const text = query.startsWith('?') ? query.slice(1) : query;
  for (const part of text.split('&')) {
    if (part === '') continue;
    const at = part.indexOf('=');
    const name = decodeURIComponent((at < 0 ? part : part.slice(0, at)).replaceAll('+', ' '));
    const value = at < 0 ? '' : decodeURIComponent(part.slice(at + 1).replaceAll('+', ' '));
    if (!Object.hasOwn(result, name)) {
      result[name] = value;
    } else if (Array.isArray(result[name])) {
      result[name].push(value);
    } else {
      result[name] = [result[name], value];
    }
  }
  return result;
}

export function inputs() {
  return [['?q=red+shoes&size=42&size=43&sale'], ['a=1&b=%C3%BC']];
}
