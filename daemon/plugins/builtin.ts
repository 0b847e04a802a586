/** Registers the built-in parts. Each room owns its lines; a loader imports only what it needs. */
import { Registry } from './registry.ts';

export function builtinRegistry(): Registry {
  const registry = new Registry();
  return registry;
}
