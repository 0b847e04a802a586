import type { ParentSelector } from '../../daemon/evolution/selectors/selector.ts';
import { builtinRegistry } from '../../daemon/plugins/builtin.ts';
import { Config } from '../../shared/config.ts';
import { selectorConformance } from './selector.ts';

const registry = builtinRegistry();
const factories = new Map<string, () => ParentSelector>();

for (const name of registry.names('selector')) {
  before(async () => {
    const make = await registry.load('selector', name);
    factories.set(name, () => make(Config.parse({})));
  });
  selectorConformance(name, () => {
    const make = factories.get(name);
    if (make === undefined) throw new Error(`The selector ${name} did not load.`);
    return make();
  });
}
