/** How Python prints values: what `str`, `repr` and `json.dumps` (as Jinja's `tojson` calls it) give. */

/** A float of a payload whose value is integral: printed as `1.0`, which a JavaScript number would forget. */
export class IntegralFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

export function pyRepr(value: unknown, ordered: (map: ReadonlyMap<unknown, unknown>) => Iterable<unknown> = keysOf): string {
  if (value === null || value === undefined) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return pyNumber(value);
  if (Array.isArray(value)) return `[${value.map((item) => pyRepr(item, ordered)).join(', ')}]`;
  if (typeof value === 'object') {
    const map: ReadonlyMap<unknown, unknown> = value instanceof Map ? value : new Map(Object.entries(value));
    return `{${Array.from(ordered(map), (key) => `${pyRepr(key, ordered)}: ${pyRepr(map.get(key), ordered)}`).join(', ')}}`;
  }
  return String(value);
}

function keysOf(map: ReadonlyMap<unknown, unknown>): Iterable<unknown> {
  return map.keys();
}

/** As `repr` of an int or a float: exponents from 1e16 up and below 1e-4, with two digits at least. */
function pyNumber(value: number): string {
  if (Number.isSafeInteger(value)) return String(value);
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power < -4 || power >= 16) {
    return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
  }
  const plain = String(value);
  if (plain.includes('e')) return value.toFixed(Math.max(1, digits.replace(/^-?\d\.?/, '').length - power));
  return plain.includes('.') ? plain : `${plain}.0`;
}

const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\\': '\\\\' };

function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = text.replaceAll(/[\\\p{C}\p{Zl}\p{Zp}\p{Zs}'"]/gu, (char) => {
    if (char === "'" || char === '"') return char === quote ? `\\${char}` : char;
    if (char === ' ') return char;
    const code = char.codePointAt(0) ?? 0;
    return named[char] ?? escaped(code);
  });
  return quote + body + quote;
}

function escaped(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** JSON text with Python's separators and escapes. An indented text has its own separators already. */
export function pyJson(json: string): string {
  const indented = json.includes('\n');
  return json.replaceAll(/"(?:\\.|[^"\\])*"|[,:]/g, (token) => {
    if (token === ',') return indented ? ',' : ', ';
    if (token === ':') return indented ? ':' : ': ';
    return token.replaceAll(/[\u007f-\uffff'<>&]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
  });
}

/** JSON text that Python reads back with the same types: integral floats keep their point, mappings their order. */
export function writeJson(value: unknown): string {
  if (value instanceof IntegralFloat) return Object.is(value.value, -0) ? '-0.0' : `${value.value}.0`;
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
  }
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (value instanceof Map) return writeEntries([...value]);
  if (typeof value === 'object' && value !== null) return writeEntries(Object.entries(value));
  return JSON.stringify(value ?? null);
}

function writeEntries(entries: readonly (readonly [unknown, unknown])[]): string {
  const kept = entries.filter(([, value]) => value !== undefined);
  return `{${kept.map(([key, value]) => `${JSON.stringify(String(key))}:${writeJson(value)}`).join(',')}}`;
}
