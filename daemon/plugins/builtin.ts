/** Registers the built-in parts. Each room owns its lines; a loader imports only what it needs. */
import { Registry } from './registry.ts';

export function builtinRegistry(): Registry {
  const registry = new Registry();
  registry.register('mutator', 'structural', async () => {
    const { structural } = await import('../evolution/mutators/structural.ts');
    return () => structural;
  });
  return registry;
}
