import { builtinRegistry } from '../../daemon/plugins/builtin.ts';
import { featureConformance } from './feature.ts';

const registry = builtinRegistry();
for (const name of registry.names('feature')) featureConformance(name, async () => (await registry.load('feature', name))());
