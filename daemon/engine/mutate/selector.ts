/** The parent selector of a run: its own options go over those of the configuration. */
import type { Config } from '../../../shared/config.ts';
import type { RunSpec } from '../../../shared/run-spec.ts';
import type { ParentSelector } from '../../evolution/selectors/selector.ts';
import type { Registry } from '../../registry.ts';

export async function selectorOf(
  { selector: name, selector_options: own }: Pick<RunSpec, 'selector' | 'selector_options'>,
  config: Config,
  registry: Registry,
): Promise<ParentSelector> {
  const make = await registry.load('selector', name);
  if (own === undefined) return make(config);
  return make({ ...config, selector: { ...config.selector, [name]: { ...config.selector[name], ...own } } });
}
