/** The same handler for tasks that need a model's keys. */
import type { Plugin } from '../../../../daemon/plugins/api.ts';
import { handler } from './render-test.ts';

export default { make: () => ({ ...handler, name: 'render-model', provides: ['cpu', 'llm'] }) } satisfies Plugin<'handler'>;
