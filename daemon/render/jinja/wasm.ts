/** Loads the embedded engine's WebAssembly with a bound on its memory, so that a template cannot take the machine's. */
import { readFileSync } from 'node:fs';
import { Environment, initSync } from 'minijinja-js/dist/web/minijinja_js.js';
import { jinjaWasm } from '../../assets.ts';
import { MAX_MEMORY_BYTES } from '../limits.ts';

const PAGE = 65_536;
const HEADER = 8;
const MEMORY_SECTION = 5;

let ready = false;

export function createEnvironment(): Environment {
  if (!ready) initSync({ module: withMemoryLimit(readFileSync(jinjaWasm), MAX_MEMORY_BYTES / PAGE) });
  ready = true;
  const environment = new Environment();
  environment.enablePyCompat();
  return environment;
}

/** The module with a maximum in its memory section (WebAssembly core specification, 5.5.8). */
export function withMemoryLimit(module: Uint8Array, pages: number): Uint8Array<ArrayBuffer> {
  for (let at = HEADER; at < module.length; ) {
    const id = module[at];
    const size = readNumber(module, at + 1);
    if (id === MEMORY_SECTION) {
      // One memory: count 1, flags (1: has a maximum), minimum, maximum.
      const minimum = readNumber(module, size.end + 2).value;
      const body = [1, 1, ...encoded(minimum), ...encoded(pages)];
      const section = Uint8Array.from([MEMORY_SECTION, ...encoded(body.length), ...body]);
      // Copied as a whole: number by number, a module of a megabyte would cost more than to compile it.
      const rest = module.subarray(size.end + size.value);
      const limited = new Uint8Array(at + section.length + rest.length);
      limited.set(module.subarray(0, at));
      limited.set(section, at);
      limited.set(rest, at + section.length);
      return limited;
    }
    at = size.end + size.value;
  }
  throw new Error('the engine has no memory section');
}

/** An unsigned LEB128 number. */
function readNumber(bytes: Uint8Array, from: number): { value: number; end: number } {
  let value = 0;
  for (let at = from, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end: at + 1 };
  }
}

function encoded(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...encoded(value >>> 7)];
}
