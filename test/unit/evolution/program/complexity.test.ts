import assert from 'node:assert/strict';
import { defaultAxes } from '../../../../daemon/evolution/features.ts';
import { loadTarget } from '../../../../daemon/evolution/target.ts';
import { builtinRegistry } from '../../../../daemon/plugins/builtin.ts';
import { Config } from '../../../../shared/config.ts';

describe('the feature complexity', () => {
  const complexity = async (path: string, text: string, fn?: string) => {
    const { program } = await loadTarget({ root: '/nowhere', path, text, ...(fn === undefined ? {} : { entry_fn: fn }) });
    const feature = (await builtinRegistry().load('feature', 'complexity'))();
    return feature.value({ program, metrics: {}, generation: 0 });
  };

  it('counts one and every fork, in the part that may change', async () => {
    const python =
      'def a(x):\n    return x\n\ndef b(x):\n    for y in x:\n        if y and x or not y:\n            return 1\n        elif y: pass\n    return 1 if x else 2\n';
    assert.equal(await complexity('a.py', python, 'a'), 1);
    assert.equal(await complexity('a.py', python, 'b'), 7);
    const javascript =
      'function f(x) { while (x) { if (x && !y) break; } switch (x) { case 1: case 2: default: } return x ?? (x ? 1 : 2); }\n';
    assert.equal(await complexity('a.js', javascript, 'f'), 8);
    assert.equal(await complexity('a.tsx', javascript, 'f'), 8);
  });

  it('has no value without a grammar', async () => {
    assert.equal(await complexity('a.rs', 'fn main() {}'), undefined);
  });

  it('can be an axis of the archive', () => {
    const config = Config.parse({ evolve: { archive: { features: ['complexity'] } } });
    const axes = defaultAxes(config, { language: 'python', speed: true });
    for (const axis of axes) builtinRegistry().require('feature', axis.name);
  });
});
