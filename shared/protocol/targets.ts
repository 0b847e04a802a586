/** What in a file can be evolved, and one patch round on it. */
import * as z from 'zod';
import { Outcome } from '../judging.ts';
import { Origin, RelativePath } from '../program.ts';
import { TargetSpec, TokenUse } from '../run.ts';
import { request } from './message.ts';

/** A function that can be a target; lines are zero-based, `end_line` inclusive, `name` is `fn` or `Class.method`. */
export const FunctionInfo = z.object({
  name: z.string(),
  start: z.number().int(),
  end: z.number().int(),
  start_line: z.number().int(),
  end_line: z.number().int(),
  params: z.array(z.string()),
});
export type FunctionInfo = z.infer<typeof FunctionInfo>;

/** Client → daemon: the functions of a file's text, for a selection, CodeLens and code actions. */
export const InspectFile = request(
  'peagen/target/inspect',
  z.object({ path: z.string(), text: z.string() }),
  z.object({ language: z.string(), supported: z.boolean(), functions: z.array(FunctionInfo), hasMarkers: z.boolean() }),
);

export const MutateRequest = z.object({
  target: TargetSpec,
  mutator: z.string().optional(),
  backend: z.string().optional(),
  seed: z.number().int().min(0).max(0xffffffff).optional(),
  instructions: z.string().optional(),
});
export type MutateRequest = z.infer<typeof MutateRequest>;

export const MutateAnswer = z.object({
  changes: z.array(z.object({ path: RelativePath, before: z.string(), after: z.string() })),
  origin: Origin,
  outcome: Outcome.optional(),
  tokens: TokenUse,
  /** Unified diff of all changes. */
  diff: z.string(),
});
export type MutateAnswer = z.infer<typeof MutateAnswer>;

/** Client → daemon: one patch round without evaluation. */
export const Mutate = request('peagen/mutate', MutateRequest, MutateAnswer);
