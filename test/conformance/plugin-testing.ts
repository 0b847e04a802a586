/**
 * `peagen/plugin/testing`: the conformance suite of each kind of plugin, for a package's own tests. They run under mocha; the
 * built-in parts pass the same ones.
 */
import type { PluginContext } from '../../daemon/plugins/api.ts';
import type { PluginKind, PluginKinds } from '../../daemon/registry.ts';
import { Config } from '../../shared/config.ts';
import { mutatorConformance as ofMutators } from './mutator.ts';
import { selectorConformance as ofSelectors } from './selector.ts';

export { createRandom } from '../../daemon/random.ts';
export { type BackendFixture, backendLaws as backendConformance } from './backend.ts';
export { type EvaluatorUnderTest, evaluatorConformance } from './evaluator.ts';
export { executorConformance } from './executors/executor.ts';
export { featureConformance } from './feature.ts';
export { type HandlerUnderTest, handlerConformance } from './handler.ts';
export { type LauncherUnderTest, launcherConformance } from './launchers/launcher.ts';
export { queueConformance } from './queue/queue-cases.ts';
export { type Open, type Opened, task as newTask } from './queue/queue-setup.ts';
export { resultsConformance } from './results-cases.ts';
export { archiveOf, type Point, shaOf } from './selector.ts';

/** The default export of a plugin's module. */
interface Tested<Kind extends PluginKind, Options> {
  readonly options?: {
    safeParse(data: unknown): { success: true; data: Options } | { success: false; error: { message: string } };
  };
  make(options: Options, context: PluginContext): ReturnType<PluginKinds[Kind]>;
}

/** With the options that it has when none is given. */
export function mutatorConformance<Options>(name: string, plugin: Tested<'mutator', Options>): void {
  ofMutators(name, () => made(name, plugin));
}

/** With the options that it has when none is given. */
export function selectorConformance<Options>(name: string, plugin: Tested<'selector', Options>): void {
  ofSelectors(name, () => made(name, plugin));
}

function made<Kind extends PluginKind, Options>(name: string, plugin: Tested<Kind, Options>): ReturnType<PluginKinds[Kind]> {
  const parsed = plugin.options?.safeParse({}) ?? { success: true, data: {} as Options };
  if (!parsed.success) throw new Error(`The plugin "${name}" has no defaults for its options: ${parsed.error.message}`);
  return plugin.make(parsed.data, pluginContext(name));
}

/** What a part is made with where nothing is configured. */
export function pluginContext(name: string): PluginContext {
  return { name, config: Config.parse({}), workspace: process.cwd() };
}
