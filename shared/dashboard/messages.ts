/** What a dashboard's page and its host tell each other. The host is the extension. */
import * as z from 'zod';
import { RunId, Sha256 } from '../ids.ts';
import type { FabricState } from '../protocol/watch.ts';
import type { LineageView, RunCourse, RunPatch, RunView } from './views.ts';

/** Page → host. */
export const FromPage = z.discriminatedUnion('type', [
  /** It can be drawn on; sent again whenever it was loaded. `run`: what it remembers; `shown`: what it was sent already. */
  z.object({ type: z.literal('ready'), run: RunId.optional(), shown: RunId.optional() }),
  z.object({ type: z.literal('choose'), run: RunId }),
  z.object({ type: z.literal('review'), run: RunId, sha256: Sha256 }),
  z.object({ type: z.literal('lineage'), run: RunId, sha256: Sha256 }),
  z.object({ type: z.literal('cross'), run: RunId, a: Sha256, b: Sha256 }),
  z.object({ type: z.literal('control'), run: RunId, what: z.enum(['pause', 'continue', 'stop', 'resume']) }),
]);
export type FromPage = z.infer<typeof FromPage>;

/** Host → page. */
export type ToPage =
  /** All runs there are, newest first. */
  | { readonly type: 'runs'; readonly runs: readonly RunView[] }
  /** The run to show, whole. */
  | { readonly type: 'run'; readonly course: RunCourse }
  /** What changed of the run shown. */
  | { readonly type: 'patch'; readonly patch: RunPatch }
  | { readonly type: 'fabric'; readonly state: FabricState }
  | { readonly type: 'lineage'; readonly lineage: LineageView }
  /** Something for the user to read, such as what came of a request. */
  | { readonly type: 'said'; readonly text: string; readonly failed: boolean };
